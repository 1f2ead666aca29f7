"""Builds: the lines of a bot's build, and compilers, before it plays."""
