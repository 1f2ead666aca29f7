"""One match's bots: their processes, their time, what they are asked and what they answer."""
