"""Discovery of bots in folders: found, named, and known by their digests."""
