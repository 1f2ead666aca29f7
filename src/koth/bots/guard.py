"""The guardian of this process, which kills the bots that koth leaves when it is gone, and how it knows them."""

from __future__ import annotations

import atexit
import itertools
import os
import secrets
import subprocess
import sys

from koth.bots import guardian

_panels = itertools.count()


class Guard:
    """Started with the first bot; `mark` is what all bots of this process have in their environment."""

    process: subprocess.Popen[bytes] | None = None
    owner = 0
    mark = ""

    @classmethod
    def start(cls) -> dict[str, str]:
        """The marks for the bots of one more match: this process's, and the match's own."""
        if cls.owner != os.getpid():
            cls._start_guardian()
        return {"KOTH_RUN": cls.mark, "KOTH_PANEL": f"{cls.mark}.{next(_panels)}"}

    @classmethod
    def _start_guardian(cls) -> None:
        cls.owner = os.getpid()
        cls.mark = f"{cls.owner}.{secrets.token_hex(6)}"
        if os.path.isdir("/proc/self"):
            argv = [sys.executable, "-s", "-S", os.path.abspath(guardian.__file__), f"KOTH_RUN={cls.mark}"]
            cls.process = subprocess.Popen(
                argv, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
            )
            atexit.register(cls._stop)

    @classmethod
    def _stop(cls) -> None:
        if cls.process is not None and cls.owner == os.getpid() and cls.process.stdin is not None:
            cls.process.stdin.close()
            cls.process.wait()
            cls.process = None


def end_all(marks: dict[str, str]) -> None:
    """Kill whatever of a match's bots is still there."""
    if os.path.isdir("/proc/self"):
        guardian.kill_marked(f"KOTH_PANEL={marks['KOTH_PANEL']}".encode())
