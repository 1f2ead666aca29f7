"""Discovery: bots in folders, and their names and digests."""
