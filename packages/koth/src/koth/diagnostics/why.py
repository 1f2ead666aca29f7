"""Reasons why a bot failed: the faults on record and the surrounding messages, in words."""

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
"""Kinds of faults that concern one unit if a question asks several."""

ANSWER_FAULTS = frozenset({"garbage", "missing", "illegal"})
"""Kinds of faults for which koth shows an answer without a fault."""


def time_text(fault: RecordedFault) -> str:
    """Return the time of a fault, in words."""
    return f"turn {fault.turn}" if fault.turn else "while starting"


def debug_command(fault: RecordedFault, program: str = "koth") -> str:
    """Return the command that repeats the question with a fault; "" without a replay."""
    if not fault.replay:
        return ""
    where = f"{shell_word(fault.replay)} --bot {shell_word(fault.bot)}"
    return f"{program} debug {where} --turn {max(fault.turn, 1)}"


def fault_json(fault: RecordedFault) -> dict[str, Any]:
    """Return a fault as JSON."""
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
    """Return a stranger's bytes as text without control characters; line breaks stay."""
    return visible(data.decode("utf-8", "backslashreplace").expandtabs(4), keep="\n")


BLOCK_LINES, BLOCK_WIDTH = 12, 400


def text_block(title: str, text: str, *, whole: bool = False) -> list[str]:
    """Return lines of text under a title: only the last lines if there are many, none without text."""
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
"""A stack frame of koth's code in Python's output."""

NODE_FRAME = re.compile(r"\s+at .{0,200}\(?node:[\w/]+:\d+:\d+\)?$")
"""A stack frame of Node's own code."""


def shorten_paths(text: str, folder: Path) -> str:
    """Return a bot's output with file names relative to the bot's folder, and without stack frames of koth or Node.

    Equal stack traces are shown once.
    """
    lines = text.splitlines(keepends=True)
    text = "".join(line for line in lines if not KOTH_FRAME.match(line) and not NODE_FRAME.match(line))
    first, *traces = text.replace(f"{folder}/", "").replace(f"{BOT}/", "").split(TRACEBACK)
    return "".join([first, *(TRACEBACK + trace for trace in dict.fromkeys(traces))])


@dataclass(frozen=True)
class Cause:
    """One bot's faults of one kind in a run: numbers of faults and matches, the first fault, a hint."""

    bot: str
    kind: str
    count: int
    matches: int
    first: RecordedFault
    hint: str = ""


def group_by_kind(found: list[RecordedFault]) -> list[Cause]:
    """Return an entry for each bot and kind of fault: by bot, first kinds that end a bot, then the most frequent."""
    groups: dict[tuple[str, str], list[RecordedFault]] = {}
    for finding in found:
        groups.setdefault((finding.bot, finding.kind), []).append(finding)
    lines = [
        Cause(bot, kind, sum(f.count for f in group), len(group), group[0]) for (bot, kind), group in groups.items()
    ]
    return sorted(lines, key=lambda line: (line.bot, not _ends(line.kind), -line.count, line.kind))


def _ends(kind: str) -> bool:
    """Return whether a fault of this kind puts a bot out of the match."""
    return kind in FAULT_KINDS and FAULT_KINDS[kind].of == "match"
