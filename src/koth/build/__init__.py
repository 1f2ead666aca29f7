"""Builds: the build steps of a bot, and compilers, before it plays."""
