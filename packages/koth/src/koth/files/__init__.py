"""Files of strangers, read within limits; atomic writes; the cache."""
