"""Use cases of koth's hosts and authors, as functions over dataclasses that print nothing."""
