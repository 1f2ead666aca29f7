"""The sockets on which processes listen, read from /proc."""

from __future__ import annotations

import ipaddress
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

OPEN = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}
"""By table of /proc/PID/net: the state of a socket that takes connections, or datagrams, of anybody."""
SOCKET = re.compile(r"socket:\[(\d+)\]")


@dataclass(frozen=True)
class Listener:
    """An open socket: `kind` is tcp or udp."""

    kind: str
    host: str
    port: int


def listeners(pid: int) -> set[Listener]:
    """Return the open sockets of a process and of all its descendants."""
    return {listener for process in family(pid) for listener in _of_process(Path(f"/proc/{process}"))}


def family(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for process in found:
        found += children.get(process, [])
    return found


def _of_process(process: Path) -> Iterator[Listener]:
    inodes = set(_inodes(process / "fd"))
    for table, state in OPEN.items() if inodes else ():
        with suppress(OSError):
            for line in (process / "net" / table).read_text().splitlines()[1:]:
                columns = line.split()
                if columns[3] == state and columns[9] in inodes:
                    host, _, port = columns[1].partition(":")
                    yield Listener(table.removesuffix("6"), _host(host), int(port, 16))


def _inodes(folder: Path) -> Iterator[str]:
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                if found := SOCKET.fullmatch(os.readlink(folder / name)):
                    yield found[1]


def _host(digits: str) -> str:
    """Return the IP address that the kernel writes as words of 32 bits in its own order of bytes."""
    words = [int(digits[k : k + 8], 16).to_bytes(4, sys.byteorder) for k in range(0, len(digits), 8)]
    return str(ipaddress.ip_address(b"".join(words)))
