"""The hill: a contest that lives. Its models are Django's; `connection` sets Django up before they are imported."""
