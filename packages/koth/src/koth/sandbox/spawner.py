"""The process that forks a supervisor for each program that koth starts.

    python -s -S -c "...; from koth.sandbox import spawner; exec(spawner.main())"

Through a socket, its standard input, the spawner receives the descriptors of each program: standard input, output and
error, the supervisor's link to koth, and, if there are any, bwrap's arguments and the cgroup's folder. The spawner
ends with koth; supervisors end by themselves. The spawner imports only the standard library, the modules of
supervisors, and koth's adapter, as bots are forked from the spawner (`forked_python.py`): imports cost time at koth's
start, and memory in every supervisor.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
from types import CodeType

from koth.sandbox import forked_python
from koth.sandbox.child_setup import reset_signals
from koth.sandbox.supervisor import supervise


def main() -> CodeType:
    """Fork supervisors until koth closes its end of the socket; in a bot's process, return the bot's program."""
    reset_signals()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors are not waited for
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # koth decides what Ctrl-C ends
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a supervisor tidies up after a koth that was killed
    os.chdir("/")
    gc.disable()  # memory that no supervisor writes to stays shared
    gc.freeze()
    with socket.socket(fileno=os.dup(0)) as requests:
        os.dup2(1, 0)  # programs get pipes
        while True:
            data, files, _, _ = socket.recv_fds(requests, 1, 6)
            if not data:
                raise SystemExit
            if os.fork() == 0:
                break
            for file in files:
                os.close(file)
    program = forked_python.become(*_supervise(files))
    gc.enable()
    gc.collect()  # what is left of the supervisor
    return program


def _supervise(files: list[int]) -> tuple[list[str], dict[str, str]]:
    """Supervise a program; in the program's process, return its command and environment."""
    command = None
    try:
        for file in files:  # the shell that holds a sandbox must not keep the program's output open
            os.set_inheritable(file, False)
        command = supervise(socket.socket(fileno=files[3]), files[:3], files[4:])
    finally:
        if command is None:
            os._exit(1)
    return command
