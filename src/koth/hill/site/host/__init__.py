"""Pages of the host: people, order, seasons, disk and the audit trail.

What is done here is what `koth hill` does in the terminal, by the same functions; the audit trail names the host.
"""
