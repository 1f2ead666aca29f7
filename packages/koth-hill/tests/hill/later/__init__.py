"""A later koth, for tests."""
