"""The process from which koth's programs are started: it makes a keeper for each, a copy of itself, within a moment.

    python -I -S -c "from koth.sandbox.spawner import main; main(FD)"

On this descriptor it gets four files for each program: standard input, output and error, and the keeper's link to
koth. It ends with koth; keepers end by themselves. It imports nothing but the standard library and its own kind, for
that takes time once for every koth, and room in the memory of every keeper.
"""

from __future__ import annotations

import gc
import os
import signal
import socket

from koth.sandbox.supervisor import keep


def main(fd: int) -> None:
    """Make keepers for as long as koth is there."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers are not waited for
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for koth to say what a person's Ctrl-C ends
    gc.disable()  # keepers have little, and share what is not touched
    gc.freeze()
    with socket.socket(fileno=fd) as calls:
        while True:
            data, files, _, _ = socket.recv_fds(calls, 1, 4)
            if not data:
                return
            if os.fork() == 0:
                calls.close()
                _keep(files)
            for file in files:
                os.close(file)


def _keep(files: list[int]) -> None:
    try:
        for file in files:  # what holds its room must not hold its output
            os.set_inheritable(file, False)
        keep(socket.socket(fileno=files[3]), files[:3])
    finally:
        os._exit(1)
