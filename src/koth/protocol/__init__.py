"""How a question becomes bytes and bytes become an answer, by what a game declares."""
