"""What all processes of a program have computed, ended ones too: a cgroup (version 2) tells it by itself."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time
from pathlib import Path

from koth.bots.sandbox import cgroup

_numbers = itertools.count()


class Account:
    """The account of one program and of all that it starts from now on. Raises OSError where there can be none."""

    def __init__(self, pid: int) -> None:
        base = _base()
        if base is None:
            raise OSError("there is no cgroup v2 here")
        self.folder = base / f"koth-account-{os.getpid()}-{next(_numbers)}"
        self.folder.mkdir()
        try:
            if pid:
                (self.folder / "cgroup.procs").write_text(str(pid))
        except OSError:
            self.close()
            raise

    @property
    def file(self) -> str:
        """Where the system tells the time: `usage_usec` of all its processes."""
        return str(self.folder / "cpu.stat")

    def close(self) -> None:
        """Give it back; its processes are gone or going."""
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.folder.rmdir()
                return
            time.sleep(0.005)


def _base() -> Path | None:
    """koth's own cgroup."""
    mount = cgroup._mount()
    with contextlib.suppress(OSError, StopIteration):
        own = next(line for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::"))
        return mount / own[3:].lstrip("/") if mount is not None else None
    return None


@functools.cache
def can_be_kept() -> bool:
    """Whether programs can have accounts here."""
    try:
        account = Account(0)
    except OSError:
        return False
    told = os.path.exists(account.file)
    account.close()
    return told
