"""The variables by which a host grants bots more of the machine."""

INTERPRETERS, ALLOW_READ = "KOTH_INTERPRETERS", "KOTH_ALLOW_READ"
"""Programs for words in bots' commands, as WORD=PROGRAM, and paths that bots may read; several with : between."""
