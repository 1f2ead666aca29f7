"""The process that forks a supervisor for each program that koth starts.

    python -I -S -c "from koth.sandbox.spawner import main; main(FD)"

Through the socket FD it receives four descriptors per program: standard input, output and error, and the supervisor's
link to koth. It ends with koth; supervisors end by themselves. It imports only the standard library and the modules
of supervisors: imports cost time at koth's start, and memory in every supervisor.
"""

from __future__ import annotations

import gc
import os
import signal
import socket

from koth.sandbox.supervisor import supervise


def main(fd: int) -> None:
    """Fork supervisors until koth closes its end of the socket."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors are not waited for
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # koth decides what Ctrl-C ends
    gc.disable()  # memory that no supervisor writes to stays shared
    gc.freeze()
    with socket.socket(fileno=fd) as requests:
        while True:
            data, files, _, _ = socket.recv_fds(requests, 1, 4)
            if not data:
                return
            if os.fork() == 0:
                requests.close()
                _supervise(files)
            for file in files:
                os.close(file)


def _supervise(files: list[int]) -> None:
    try:
        for file in files:  # the shell that holds a sandbox must not keep the program's output open
            os.set_inheritable(file, False)
        supervise(socket.socket(fileno=files[3]), files[:3])
    finally:
        os._exit(1)
