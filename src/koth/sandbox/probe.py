"""The probes of a sandbox: a program that tries inside it what bots must not be able to do.

It prints one JSON object: name -> whether the attempt failed, as it should.

    python -I -S probe.py ORDERS

ORDERS is JSON: `secret` (a file that is not shown to bots), `port` (somebody listens on it, on the host), `host`
(the host's process), `outside` (folders to write to), `memory` (bytes that are too many), `tasks` (threads that are
too many). It imports nothing of koth.
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


def refused(attempt: Any) -> bool:
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
    """Return whether nothing can be written in any of these folders."""

    def write(folder: str) -> None:
        path = os.path.join(folder, "koth-probe")
        with open(path, "w"):
            pass
        os.unlink(path)

    return all(refused(lambda folder=folder: write(folder)) for folder in folders)


def call(name: str, *arguments: Any) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def sees_others() -> bool:
    """Return whether any process but the one that holds the namespaces can be looked at."""
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
    """Leave all cores but the last. Raises OSError where nothing comes of it, though it was said to be done."""
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


def attempts(orders: dict[str, Any]) -> dict[str, bool]:
    """Return all attempts by the name of what should prevent them."""
    host = orders["host"]
    outside = [".", "/", "/tmp", "/dev", "/dev/shm", "/var/tmp", *orders["outside"]]
    held = {
        "files": refused(lambda: read(orders["secret"])),
        "environment": refused(lambda: read(f"/proc/{host}/environ")),
        "writing": write_anywhere(outside),
        "network": refused(lambda: connect(orders["port"])),
        "memory": refused(lambda: mmap.mmap(-1, orders["memory"], flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)),
        "open files": refused(lambda: open_files(5000)),
    }
    if sys.platform == "linux":
        held |= {
            "processes": not sees_others() and not os.path.exists(f"/proc/{host}"),
            "signals": refused(lambda: os.kill(host, 0)),
            "sockets": refused(open_socket),
            "children": refused(fork),
            "hidden memory": refused(lambda: os.close(os.memfd_create("probe"))),
            "namespaces": refused(lambda: call("unshare", CLONE_NEWUSER)),
            "tracing": refused(lambda: call("ptrace", 16, host, 0, 0)),
            "scheduling": refused(lambda: os.nice(1)) and refused(change_core),
            "death": refused(lambda: call("prctl", 1, 0, 0, 0, 0)),
            "threads": refused(lambda: start_threads(orders["tasks"])),
        }
    return held


if __name__ == "__main__":
    print(json.dumps(attempts(json.loads(sys.argv[1]))))
