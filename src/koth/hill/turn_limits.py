"""An author of rounds, and the limits of its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from koth.files.folders import FolderLimits
from koth.sandbox import copies


@dataclass(frozen=True, kw_only=True)
class AuthorCommand:
    """An author: the line of the shell that changes its bot, and what of the host this may use.

    An empty `command` is a person, who changes the bot by hand.
    """

    command: str
    variables: Sequence[str] = ()
    """Names of the host's environment variables that it gets."""
    reads: Sequence[Path | str] = ()
    """Files and folders of the host that it sees in isolation."""


@dataclass(frozen=True, kw_only=True)
class TurnLimits:
    """The limits of each turn, the same for all authors, and what follows when a turn reaches one."""

    timeout: float = 3600.0
    """Seconds of wall time."""
    cpu_seconds: float | None = None
    """Seconds of CPU time of all its processes (None: no limit)."""
    reported: Mapping[str, float] = field(default_factory=dict)
    """The most that it may report of each quantity, such as {"tokens": 200000, "cost": 2}."""
    retries: int = 0
    """How often a command that fails runs again, from the folder as it was before the turn."""
    retry_pause: float = 30.0
    """Seconds before the first repetition, doubled before each further one."""
    sends_unfinished: bool = False
    """Whether the bot is sent that lies there when time, CPU time or a reported quantity is used up."""
    folder_bytes: int = copies.BYTES
    """The most bytes of an author's folder."""
    folder_files: int = copies.FILES
    """The most files and folders of an author's folder."""
    log_bytes: int = 64 << 20
    """The most bytes that a command prints in a turn."""
    isolation: Literal["none", "namespaces"] = "none"
    """none: a command has all rights of koth's user; namespaces: it sees the system and its own folder alone."""
    network: bool = True
    """Whether it has the machine's network in isolation."""

    @property
    def folder(self) -> FolderLimits:
        """The limits of an author's folder."""
        return FolderLimits(self.folder_files, self.folder_bytes, copies.DEPTH)
