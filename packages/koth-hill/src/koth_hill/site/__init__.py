"""The site of a hill: pages for everybody, for authors and for the host, over the hill's models."""
