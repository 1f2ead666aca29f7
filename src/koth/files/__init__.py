"""Files of strangers, read within bounds; files that appear whole; the cache."""
