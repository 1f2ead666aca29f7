"""Code of koth's that runs in a bot's own process. Standard library only, Python 3.9 on."""
