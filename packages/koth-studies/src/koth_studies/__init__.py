"""Studies with programs as authors: in each round, authors' commands change bots, and the bots play."""
