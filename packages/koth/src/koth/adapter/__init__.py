"""Code of koth that runs in a bot's own process: standard library only, Python 3.9 or newer."""
