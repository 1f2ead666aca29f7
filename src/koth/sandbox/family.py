"""Which processes a process has started. Imported by keepers: nothing but the standard library."""

from __future__ import annotations

import contextlib
import os


def below(pid: int) -> list[int]:
    """All that a process has started, and those have, as far as the system tells."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for tid in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{tid}/children", "rb") as children:
                    found += [int(word) for word in children.read().split()]
    return found[1:]
