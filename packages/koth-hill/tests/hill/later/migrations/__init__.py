"""The migrations of a later koth, for tests."""
