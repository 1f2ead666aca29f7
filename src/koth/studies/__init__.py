"""Studies whose authors are programs: in each round their commands change their bots, and the bots play."""
