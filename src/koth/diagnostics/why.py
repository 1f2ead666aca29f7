"""Why a bot failed: the faults a run has on record, with the messages around them, in words."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.contest.store import Store
from koth.errors import KothError, visible
from koth.escaping import shell_word
from koth.game import FAULT_KINDS
from koth.sandbox.mounts import BOT, KOTH, PACKAGE

OF_A_UNIT = frozenset(kind for kind, about in FAULT_KINDS.items() if about.of == "unit")
"""Kinds that are one unit's, where a bot is asked for several."""

SHAPED = frozenset({"garbage", "missing", "illegal"})
"""Kinds where an answer without a fault shows what to do better."""


@dataclass(frozen=True)
class Finding:
    """The first fault of one kind that one bot had in one match, and how many there were.

    `replay` is relative to the folder of the run, and empty where there is none. `turn` counts from 1 (0: while
    starting). `asked` and `said` are the beginnings of the messages,
    `stderr` is the end of it by then, `wall` and `charged` are seconds.
    """

    run: Path
    match: int
    replay: str
    bot: str
    kind: str
    count: int
    turn: int
    text: str
    ended: str
    asked: bytes
    said: bytes
    stderr: bytes
    wall: float
    charged: float

    @property
    def when(self) -> str:
        """The time of the fault, in words."""
        return f"turn {self.turn}" if self.turn else "while starting"

    def command(self, program: str = "koth") -> str:
        """Return the command that plays this moment again; empty where there is no replay."""
        if not self.replay:
            return ""
        where = f"{shell_word(self.run / self.replay)} --bot {shell_word(self.bot)}"
        return f"{program} debug {where} --turn {max(self.turn, 1)}"

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON."""
        return {
            "bot": self.bot,
            "kind": self.kind,
            "meaning": FAULT_KINDS[self.kind].meaning if self.kind in FAULT_KINDS else "",
            "count": self.count,
            "match": self.match,
            "turn": self.turn,
            "text": self.text,
            "ended": self.ended,
            "received": readable(self.asked),
            "said": readable(self.said),
            "stderr": readable(self.stderr),
            "wall": self.wall,
            "charged": self.charged,
            "replay": str(self.run / self.replay) if self.replay else None,
            "debug": self.command() or None,
        }


def readable(data: bytes) -> str:
    """Bytes of a stranger's as text without control characters, lines kept."""
    return visible(data.decode("utf-8", "backslashreplace").expandtabs(4), keep="\n")


TRACE = "Traceback (most recent call last):\n"
KOTHS = re.compile(rf'\s*File "({re.escape(str(PACKAGE))}|{KOTH})/[^"]*", line \d+')
"""A frame of koth's, as Python prints its place."""

NODES = re.compile(r"\s+at .{0,200}\(?node:[\w/]+:\d+:\d+\)?$")
"""A frame of Node's own."""


def own_files(text: str, folder: Path) -> str:
    """Return a bot's output with its files named within its folder, and without stack frames of koth or Node.

    The same stack trace stands there once, however often it came.
    """
    lines = text.splitlines(keepends=True)
    text = "".join(line for line in lines if not KOTHS.match(line) and not NODES.match(line))
    first, *traces = text.replace(f"{folder}/", "").replace(f"{BOT}/", "").split(TRACE)
    return "".join([first, *(TRACE + trace for trace in dict.fromkeys(traces))])


def findings(folder: Path, bot: str | None = None, match: int | None = None) -> list[Finding]:
    """Return the faults that a run has on record, by match, bot and turn; of one bot or match if given.

    Raises KothError.
    """
    if not os.path.lexists(folder / "results.sqlite"):
        raise KothError(f"{folder} is not the folder of a run (it has no results.sqlite)")
    with closing(Store(folder, read_only=True)) as store:
        played = store.indexes()
        if match is not None and match not in played:
            raise KothError(f"{folder}: match {match} was not played{_played(played)}")
        return [Finding(folder, *row) for row in store.findings(bot, match)]


def _played(indexes: Sequence[int]) -> str:
    if len(indexes) > 1:
        return f" (there are {len(indexes)}, from {min(indexes)} to {max(indexes)})"
    return f" (there is only match {indexes[0]})" if indexes else " (none was)"


@dataclass(frozen=True)
class Kind:
    """All faults of one kind that one bot had in a run; `first` is the first of them."""

    bot: str
    kind: str
    count: int
    matches: int
    first: Finding


def kinds(found: list[Finding]) -> list[Kind]:
    """Return a line per bot and kind of fault: by bot, those that end a bot first, then the most frequent."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in found:
        groups.setdefault((finding.bot, finding.kind), []).append(finding)
    lines = [
        Kind(bot, kind, sum(f.count for f in group), len(group), group[0]) for (bot, kind), group in groups.items()
    ]
    return sorted(lines, key=lambda line: (line.bot, not _ends(line.kind), -line.count, line.kind))


def _ends(kind: str) -> bool:
    """Return whether a bot with a fault of this kind is out of the match."""
    return kind in FAULT_KINDS and FAULT_KINDS[kind].of == "match"
