"""Pages of the host: people, moderation, seasons, disk and the audit trail.

These pages call the same functions as `koth hill` in the terminal; the audit trail names the host.
"""
