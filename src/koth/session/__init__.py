"""One bot in one match: its process, its time, what it is asked and answers."""
