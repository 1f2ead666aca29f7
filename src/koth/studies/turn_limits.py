"""An author of a study, the limits of its turns, and the place where one is taken."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from koth.errors import KothError
from koth.files.folders import FolderLimits
from koth.sandbox.copies import DEPTH
from koth.services.options import Bounds, Options
from koth.studies.usage_report import find_mistake

Megabytes = Annotated[int, Bounds(1, 100_000, "MB")]


@dataclass(frozen=True, kw_only=True)
class AuthorCommand(Options):
    """An author: the line of the shell that changes its bot, and what of the host this may use.

    An empty `command` is a person, who changes the bot by hand.
    """

    command: str
    variables: Sequence[str] = ()
    """Names of the host's environment variables that it gets."""
    reads: Sequence[str] = ()
    """Files and folders of the host that it sees in isolation."""


@dataclass(frozen=True, kw_only=True)
class TurnLimits(Options):
    """The limits of each turn, the same for all authors, and what follows when a turn reaches one."""

    timeout: float = 3600.0
    """Seconds of wall time."""
    cpu_time: float | None = None
    """Seconds of CPU time of all its processes (default: no limit)."""
    reported: Mapping[str, float] = field(default_factory=dict)
    """The most that it may report of each quantity, such as { tokens = 200_000, cost = 2 }."""
    retries: Annotated[int, Bounds(0, 1000)] = 0
    """How often a command that fails runs again, from the same folder and within the same limits."""
    retry_pause: float = 30.0
    """Seconds before the first repetition, doubled before each further one."""
    sends_unfinished: bool = False
    """Whether the bot is sent that lies there when time, CPU time or a reported quantity is used up."""
    folder_size: Megabytes = 1024
    """The most megabytes of an author's folder."""
    folder_files: Annotated[int, Bounds(1, 1_000_000)] = 20_000
    """The most files and folders of an author's folder."""
    log_size: Megabytes = 64
    """The most megabytes that a command prints in a turn."""
    author_isolation: Literal["none", "namespaces"] = "none"
    """none: a command has all rights of koth's user; namespaces: it sees the system and its own folder alone."""
    network: bool = True
    """Whether a command in isolation has the machine's network."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("timeout", "cpu_time", "retry_pause"):
            seconds = getattr(self, name)
            if seconds is not None and not 0 <= seconds < math.inf:
                raise KothError(f"{name} must be a number of seconds from 0, not {seconds!r}")
        if mistake := find_mistake(self.reported):
            raise KothError(f"reported: {mistake}")

    @property
    def folder(self) -> FolderLimits:
        """The limits of an author's folder."""
        return FolderLimits(self.folder_files, self.folder_size << 20, DEPTH)


@dataclass(frozen=True)
class TurnPlace:
    """The place of a turn: the author's folder, and the log of its command.

    A command in isolation sees nothing of `hidden` but its own folder. It gets the environment `variables`.
    """

    folder: Path
    log: Path
    hidden: Path
    variables: Mapping[str, str] = field(default_factory=dict)
