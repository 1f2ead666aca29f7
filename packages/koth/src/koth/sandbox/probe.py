"""The probes of a sandbox: a program that attempts, inside the sandbox, actions that bots must not be able to do.

The program prints one JSON object: the name of each attempt, and true if the attempt failed, as it should.

    python -I -S probe.py ARGUMENTS

ARGUMENTS is JSON: `secret` (a file hidden from bots), `port` (a port of the host with a listener), `host` (the host's
process), `outside` (folders to write to), `temporary` (more bytes than /tmp may hold), `memory` (too many bytes),
`tasks` (too many threads). The program imports nothing of koth.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import sys
import threading
from typing import Any

CLONE_NEWUSER = 0x10000000
PTRACE_SEIZE = 0x4206
"""The ptrace request that traces a process without stopping it, so that koth goes on even if tracing is allowed."""


def is_refused(attempt: Any) -> bool:
    """Return whether a call fails."""
    try:
        attempt()
    except (OSError, MemoryError, RuntimeError, ValueError):
        return True
    return False


def read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


def connect(port: int) -> None:
    import socket

    with socket.create_connection(("127.0.0.1", port), timeout=1):
        pass


def open_socket() -> None:
    import socket

    socket.socket(socket.AF_UNIX).close()


def fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def write_anywhere(folders: list[str]) -> bool:
    """Return whether writing is impossible in all of these folders."""

    def write(folder: str) -> None:
        path = os.path.join(folder, "koth-probe")
        with open(path, "w"):
            pass
        os.unlink(path)

    return all(is_refused(lambda folder=folder: write(folder)) for folder in folders)


def write_temporary(size: int) -> None:
    path = "/tmp/koth-probe"
    try:
        with open(path, "wb") as file:
            file.write(bytes(size))
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)


def call(name: str, *arguments: Any) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def sees_others() -> bool:
    """Return whether any process is visible except this process and process 1, which holds the namespaces."""
    with contextlib.suppress(OSError):
        return any(name.isdigit() and int(name) not in (1, os.getpid()) for name in os.listdir("/proc"))
    return False


def open_files(number: int) -> None:
    files: list[int] = []
    try:
        for _ in range(number):
            files.append(os.dup(0))
    finally:
        for file in files:
            os.close(file)


def change_core() -> None:
    """Restrict this process to the last core. Raises OSError also if the call succeeds without effect."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    if os.sched_getaffinity(0) == cores:
        raise OSError("nothing has changed")


def start_threads(number: int) -> None:
    end = threading.Event()
    threads = []
    try:
        for _ in range(number):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            threads.append(thread)
    finally:
        end.set()
        for thread in threads:
            thread.join()


def attempts(arguments: dict[str, Any]) -> dict[str, bool]:
    """Return the result of each attempt by the name of the protection that it tests."""
    host = arguments["host"]
    outside = [".", "/", "/dev", "/dev/shm", "/var/tmp", *arguments["outside"]]
    held = {
        "files": is_refused(lambda: read(arguments["secret"])),
        "environment": is_refused(lambda: read(f"/proc/{host}/environ")),
        "writing": write_anywhere(outside) and is_refused(lambda: write_temporary(arguments["temporary"])),
        "network": is_refused(lambda: connect(arguments["port"])),
        "memory": is_refused(lambda: mmap.mmap(-1, arguments["memory"], flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)),
        "open files": is_refused(lambda: open_files(5000)),
    }
    if sys.platform == "linux":
        held |= {
            "processes": not sees_others() and not os.path.exists(f"/proc/{host}"),
            "signals": is_refused(lambda: os.kill(host, 0)),
            "sockets": is_refused(open_socket),
            "children": is_refused(fork),
            "hidden memory": is_refused(lambda: os.close(os.memfd_create("probe"))),
            "tracing": is_refused(lambda: call("ptrace", PTRACE_SEIZE, host, None, None)),
            # From here on a process without sandbox is in a namespace of its own, and less is allowed to it.
            "namespaces": is_refused(lambda: call("unshare", CLONE_NEWUSER)),
            "scheduling": is_refused(lambda: os.nice(1)) and is_refused(change_core),
            "death": is_refused(lambda: call("prctl", 1, 0, 0, 0, 0)),
            "threads": is_refused(lambda: start_threads(arguments["tasks"])),
        }
    return held


if __name__ == "__main__":
    print(json.dumps(attempts(json.loads(sys.argv[1]))))
