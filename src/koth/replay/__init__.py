"""The record of a match: written, read, and made again to be compared."""
