"""The commands `koth hill`: `commands` declares them, the other modules carry them out."""
