"""What the scores of matches say: estimates, intervals, ranks, who is told apart, when to stop."""
