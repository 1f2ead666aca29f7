"""Why a bot failed: the faults a run has on record, with the messages around them, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.contest.reading import RecordedFault
from koth.errors import visible
from koth.escaping import shell_word
from koth.game import FAULT_KINDS
from koth.sandbox.mounts import BOT, KOTH, PACKAGE

UNIT_FAULTS = frozenset(kind for kind, about in FAULT_KINDS.items() if about.of == "unit")
"""Kinds that are one unit's, where a bot is asked for several."""

ANSWER_FAULTS = frozenset({"garbage", "missing", "illegal"})
"""Kinds where an answer without a fault shows what to do better."""


def time_text(fault: RecordedFault) -> str:
    """Return the time of a fault, in words."""
    return f"turn {fault.turn}" if fault.turn else "while starting"


def debug_command(fault: RecordedFault, program: str = "koth") -> str:
    """Return the command that plays the moment of a fault again; empty without a replay."""
    if not fault.replay:
        return ""
    where = f"{shell_word(fault.replay)} --bot {shell_word(fault.bot)}"
    return f"{program} debug {where} --turn {max(fault.turn, 1)}"


def fault_json(fault: RecordedFault) -> dict[str, Any]:
    """Return everything of a fault, as JSON."""
    return {
        "bot": fault.bot,
        "kind": fault.kind,
        "meaning": FAULT_KINDS[fault.kind].meaning if fault.kind in FAULT_KINDS else "",
        "count": fault.count,
        "match": fault.match,
        "turn": fault.turn,
        "text": fault.text,
        "ended": fault.ended,
        "received": readable_text(fault.asked),
        "said": readable_text(fault.said),
        "stderr": readable_text(fault.stderr),
        "wall": fault.wall,
        "charged": fault.charged,
        "replay": fault.replay or None,
        "debug": debug_command(fault) or None,
    }


def readable_text(data: bytes) -> str:
    """Return a stranger's bytes as text without control characters, lines kept."""
    return visible(data.decode("utf-8", "backslashreplace").expandtabs(4), keep="\n")


BLOCK_LINES, BLOCK_WIDTH = 12, 400


def text_block(title: str, text: str, *, whole: bool = False) -> list[str]:
    """Return lines of text under a title: the last ones if there are many, none without text."""
    lines = [
        line if len(line) <= BLOCK_WIDTH else f"{line[:BLOCK_WIDTH]} ... ({len(line)} characters)"
        for line in text.splitlines()
    ]
    if not lines:
        return []
    most = len(lines) if whole else BLOCK_LINES
    left_out = [f"      ... ({len(lines) - most} lines)"] if len(lines) > most else []
    return [f"  {title}:", *left_out, *(f"      {line}" for line in lines[-most:])]


TRACEBACK = "Traceback (most recent call last):\n"
KOTH_FRAME = re.compile(rf'\s*File "({re.escape(str(PACKAGE))}|{KOTH})/[^"]*", line \d+')
"""A frame of koth's, as Python prints its place."""

NODE_FRAME = re.compile(r"\s+at .{0,200}\(?node:[\w/]+:\d+:\d+\)?$")
"""A frame of Node's own."""


def shorten_paths(text: str, folder: Path) -> str:
    """Return a bot's output with its files named within its folder, and without stack frames of koth or Node.

    The same stack trace stands there once, however often it came.
    """
    lines = text.splitlines(keepends=True)
    text = "".join(line for line in lines if not KOTH_FRAME.match(line) and not NODE_FRAME.match(line))
    first, *traces = text.replace(f"{folder}/", "").replace(f"{BOT}/", "").split(TRACEBACK)
    return "".join([first, *(TRACEBACK + trace for trace in dict.fromkeys(traces))])


@dataclass(frozen=True)
class FaultGroup:
    """All faults of one kind that one bot had in a run; `first` is the first of them."""

    bot: str
    kind: str
    count: int
    matches: int
    first: RecordedFault


def group_by_kind(found: list[RecordedFault]) -> list[FaultGroup]:
    """Return a line per bot and kind of fault: by bot, those that end a bot first, then the most frequent."""
    groups: dict[tuple[str, str], list[RecordedFault]] = {}
    for finding in found:
        groups.setdefault((finding.bot, finding.kind), []).append(finding)
    lines = [
        FaultGroup(bot, kind, sum(f.count for f in group), len(group), group[0])
        for (bot, kind), group in groups.items()
    ]
    return sorted(lines, key=lambda line: (line.bot, not _ends(line.kind), -line.count, line.kind))


def _ends(kind: str) -> bool:
    """Return whether a bot with a fault of this kind is out of the match."""
    return kind in FAULT_KINDS and FAULT_KINDS[kind].of == "match"
