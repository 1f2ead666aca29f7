"""Starts for bots in languages that koth's own runners don't run: made of what a game declares."""
