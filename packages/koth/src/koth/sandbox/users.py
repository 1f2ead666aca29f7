"""Users that own no files, for programs that root starts.

Supervisors import this module: it imports only the standard library.
"""

from __future__ import annotations

import os

NOBODY = 65534
"""The user number that a program in namespaces sees as its own."""
OWN, ONE = 0x70000000, 60700
"""The first of a range of users, one for each program, so that programs share no kernel quota; and a shared user.

If the range does not exist (in some containers), and while bots are built, all programs have the shared user."""
USERS = 1 << 27
"""The size of the range, large enough that two programs never draw the same user."""


def own_user() -> int:
    """Return the number of a user that no other process has, drawn at random; `ONE` if the range does not exist."""
    with open("/proc/self/uid_map") as ranges:
        for line in ranges:
            first, _, count = map(int, line.split())
            if first <= OWN and first + count >= OWN + USERS:
                return OWN + int.from_bytes(os.urandom(4), "little") % USERS
    return ONE
