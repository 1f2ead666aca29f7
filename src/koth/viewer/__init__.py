"""Viewers of matches: a page in the browser, and the terminal."""
