"""Protocols: questions encoded as bytes and bytes decoded as answers, by what a game declares."""
