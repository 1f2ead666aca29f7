"""The hill: a permanent contest, in Django's models; `connection` sets Django up before anything imports them."""
