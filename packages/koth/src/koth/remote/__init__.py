"""A hill by the address of its site: its API, and the matches of a season."""
