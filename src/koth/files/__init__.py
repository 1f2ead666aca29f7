"""Files that anybody may have made, read within bounds; files that appear whole; the cache."""
