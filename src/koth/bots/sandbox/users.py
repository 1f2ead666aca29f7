"""Users that own nothing, for programs that root starts. Imported by keepers: nothing but the standard library."""

from __future__ import annotations

NOBODY = 65534
"""What a program in a room takes itself for."""
OWN, ONE = 0x70000000, 60700
"""Each program has a user of its own, so that no quota of the kernel's is shared: this number and its process's.

Where there are no such users (in some containers), and while bots are built, all have the second.
"""
PROCESSES = 1 << 22
"""More than the number of any process."""


def own_user(pid: int) -> int:
    """The number of a user that only this process has; or `ONE`."""
    with open("/proc/self/uid_map") as ranges:
        for line in ranges:
            first, _, count = map(int, line.split())
            if first <= OWN and first + count >= OWN + PROCESSES:
                return OWN + pid
    return ONE
