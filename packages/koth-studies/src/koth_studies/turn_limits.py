"""An author of a study, the limits of turns, and the author's folder."""

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
from koth_studies.usage_report import find_mistake

FOLDER_FILES = 20_000
"""The largest number of files and folders in an author's folder."""
LOG_MB = 64
"""The most megabytes that a command may print in a turn."""


@dataclass(frozen=True, kw_only=True)
class AuthorCommand(Options):
    """An author: the shell command that changes a bot, and the parts of the host that the command may use."""

    command: str
    variables: Sequence[str] = ()
    """Names of the host's environment variables that the command gets."""
    reads: Sequence[str] = ()
    """Files and folders of the host that are visible in isolation."""


@dataclass(frozen=True, kw_only=True)
class TurnLimits(Options):
    """The limits of each turn, the same for all authors, and the consequences of reaching a limit."""

    timeout: float = 3600.0
    """Seconds of wall time."""
    cpu_time: float | None = None
    """Seconds of CPU time of all the command's processes (default: no limit)."""
    reported: Mapping[str, float] = field(default_factory=dict)
    """The most that a command may report of each quantity, such as { tokens = 200_000, cost = 2 }."""
    retries: Annotated[int, Bounds(0, 1000)] = 0
    """The number of further attempts of a command that fails, each from the same folder with the same limits."""
    retry_pause: float = 30.0
    """Seconds before the second attempt, doubled before each further attempt."""
    sends_unfinished: bool = False
    """True if an unfinished bot is still sent when time, CPU time or a reported quantity is used up."""
    folder_size: Annotated[int, Bounds(1, 100_000, "MB")] = 1024
    """The largest size of an author's folder in megabytes."""
    author_isolation: Literal["none", "namespaces"] = "none"
    """none: commands have all rights of koth's user; namespaces: commands see only the system and their folder."""
    network: bool = True
    """True if isolated commands can use the machine's network."""

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
        return FolderLimits(FOLDER_FILES, self.folder_size << 20, DEPTH)


@dataclass(frozen=True)
class TurnPlace:
    """An author's folder, the log of the author's command, and the command's environment `variables`.

    An isolated command sees nothing of `hidden` except the author's folder.
    """

    folder: Path
    log: Path
    hidden: Path
    variables: Mapping[str, str] = field(default_factory=dict)
