"""What is done to a bot's files before it plays: the lines of its build, compilers."""
