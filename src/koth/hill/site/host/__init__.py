"""Pages of the host: people, moderation, seasons, disk and the audit trail.

They do the same as `koth hill` in the terminal, by the same functions; the audit trail names the host.
"""
