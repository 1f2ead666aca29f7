"""Starts for bots, in many languages: made of what a game declares."""
