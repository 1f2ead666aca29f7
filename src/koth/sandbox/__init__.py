"""How strangers' bots are kept from each other and from the host: levels of isolation, each proven by probes."""
