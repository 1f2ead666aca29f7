"""Viewers of matches: pages in the browser, and films."""
