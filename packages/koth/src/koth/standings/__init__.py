"""Statistics of match scores: estimates, intervals, ranks, significance, and a stopping rule."""
