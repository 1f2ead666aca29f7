"""Isolation of strangers' bots from each other and from the host: levels, each proven by probes."""
