"""Discovery: finds bots in folders, and gives them names and digests."""
