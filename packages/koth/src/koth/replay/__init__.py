"""The record of a match: written, read, and verified by playing it again."""
