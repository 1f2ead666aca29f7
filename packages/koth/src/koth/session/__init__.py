"""The bots of one match: processes, time, questions and answers."""
