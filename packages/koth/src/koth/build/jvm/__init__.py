"""Bots on the JVM: Java and other compiled languages, and scripts, through the API that a game defines.

The API is in the folder `jvm` of the game: bots are compiled against `api/`, and `host/` holds the class that asks
bots (its file's name ends in `Host.java`).
"""
