"""Protocols: questions encoded as bytes, and bytes decoded as answers, by a game's declarations."""
