"""Isolation of untrusted bots from each other and from the host: levels, each proven by probes."""
