"""What lies in folders and how it becomes bots: found, named, built, and known by its digest."""
