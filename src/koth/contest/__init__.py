"""Contests: many matches, and what they say about the bots."""
