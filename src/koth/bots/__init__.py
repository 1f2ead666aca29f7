"""How bots are found, started and spoken to."""
