"""koth: an arena for king-of-the-hill bot contests."""

__version__ = "0.1.0"
