"""Users that own nothing, for programs that root starts.

Supervisors import this module: it needs nothing but the standard library.
"""

from __future__ import annotations

import os

NOBODY = 65534
"""The user that a program in namespaces takes itself for."""
OWN, ONE = 0x70000000, 60700
"""Each program has a user of its own, so that no quota of the kernel's is shared: one of those from this number on.

Where there are no such users (in some containers), and while bots are built, all have the second.
"""
USERS = 1 << 27
"""So many that two programs which draw the same are never seen."""


def own_user() -> int:
    """Return the number of a user that no other process has, drawn by chance; or `ONE`."""
    with open("/proc/self/uid_map") as ranges:
        for line in ranges:
            first, _, count = map(int, line.split())
            if first <= OWN and first + count >= OWN + USERS:
                return OWN + int.from_bytes(os.urandom(4), "little") % USERS
    return ONE
