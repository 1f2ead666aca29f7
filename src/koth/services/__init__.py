"""Use cases: what koth does for its hosts and authors, as functions over dataclasses that print nothing."""
