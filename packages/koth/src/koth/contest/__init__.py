"""Contests: many matches between bots, played and recorded."""
