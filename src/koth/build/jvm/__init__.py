"""Bots on the JVM: Java and other compiled languages, and scripts, through the API of a game's statement.

A game that has such an API keeps it in its folder `jvm`: `api/` is what bots are compiled against, `host/`
holds the class that asks them (its file ends in `Host.java`).
"""
