"""Studies of authors that are programs: in rounds, their commands change their bots, and the bots play."""
