"""The hill: a permanent contest. Its models are Django's; `connection` sets Django up before they are imported."""
