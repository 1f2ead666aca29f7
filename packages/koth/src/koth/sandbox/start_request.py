"""The request by which koth asks a supervisor to start a program: a line of JSON that only this module reads.

Supervisors import this module: it imports only the standard library.
"""

from __future__ import annotations

import json
from typing import NamedTuple


class CallFilter(NamedTuple):
    """The filter of system calls, and the data with which the supervisor answers calls that the filter passes on."""

    program: str
    """The filter in hexadecimal digits."""
    starts: list[int]
    """The numbers of the calls by which a process executes another program."""
    names: dict[str, str]
    """The names of the calls that are passed to the supervisor, by their numbers as texts."""
    sender: int
    """The file descriptor through which the filter's listener leaves the sandbox."""


class ShownPaths(NamedTuple):
    """The paths that Landlock lets a program use: files to read, folders to list, files and folders to write."""

    reads: list[str]
    lists: list[str]
    writes: list[str]


class NamespacePlan(NamedTuple):
    """The namespaces that bwrap makes; a separate file holds bwrap's arguments."""

    bwrap: str
    """The path of bwrap."""
    maps_users: bool
    """True if root maps the program's user."""
    user: int
    """The host's user to which root maps the program's user."""
    hidden_sources: list[str]
    """Folders in the sandbox whose sources the mount table must not reveal."""
    temporary: str
    """Mount options of /tmp; empty if /tmp has no limits of its own."""
    network: bool
    """True if the program has the machine's network."""
    aside: str
    """An empty folder in the sandbox, in which a mount is made before it is moved."""
    timeout: float
    """Seconds that bwrap may take."""


class StartRequest(NamedTuple):
    """The request to start a program, with all properties of its process."""

    level: str
    argv: list[str]
    environment: dict[str, str]
    folder: str
    rlimits: dict[str, int]
    """Resource limits by their names in `resource`."""
    forked: list[str] | None = None
    """The libraries of the spawner from which the program is forked; None if it is executed."""
    filter: CallFilter | None = None
    paths: ShownPaths | None = None
    namespaces: NamespacePlan | None = None
    user: int | None = None
    """The user that the process becomes; None for koth's own."""
    tasks: int = 0
    """The largest number of processes, if the program has a user of its own."""
    reads_all: bool = False
    """True if the process keeps the capability to read other users' files."""
    subreaper: bool = False
    """True if the program's orphaned descendants become its children."""
    copy: str = ""
    """The place to which the process copies its folder, and where it runs; empty if it runs in the folder itself."""
    cgroup: bool = False
    """True if the process enters a cgroup, whose folder is the last file that the supervisor receives."""

    def encode(self) -> bytes:
        """Return the request as a line."""
        return json.dumps(self).encode() + b"\n"

    @classmethod
    def decode(cls, line: bytes | bytearray) -> StartRequest:
        """Return the request in a line that `encode` has made."""
        request = cls(*json.loads(line))
        return request._replace(
            filter=request.filter and CallFilter(*request.filter),
            paths=request.paths and ShownPaths(*request.paths),
            namespaces=request.namespaces and NamespacePlan(*request.namespaces),
        )
