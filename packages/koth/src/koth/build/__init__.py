"""Builds: build steps and compilers that run before a bot plays."""
