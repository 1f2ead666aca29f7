"""Why a bot failed: the faults a run has on record, with the messages around them, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from koth.answers.again import Again, Moment, Told
from koth.bots.declared import in_fields
from koth.bots.sandbox.places import BOT, KOTH, PACKAGE
from koth.bots.wires import JsonWire
from koth.contest.store import Store
from koth.errors import KothError, visible
from koth.game import FAULTS
from koth.games import part

MEANINGS: Mapping[str, str] = {
    "late": "it did not answer in time",
    "crash": "its process ended",
    "closed": "it closed its output and lived on",
    "garbage": "it wrote what can't be read as a message",
    "flood": "it wrote more than anybody may",
    "error": "its code raised an exception",
    "missing": "its message came, but not all that was asked for was in it",
    "illegal": "it answered what is no action of the game",
    "unasked": "it answered what nobody asked: dropped",
    "memory": "it wanted more memory than it may have",
}
"""What each kind of fault means, in plain words."""

ENDS = frozenset({"crash", "closed", "flood", "memory"})
"""Kinds after which a bot is dead for the match."""

OF_A_BODY = frozenset({"error", "missing", "illegal"})
"""Kinds that are one body's, where a bot is asked for several."""

SHAPED = frozenset({"garbage", "missing", "illegal"})
"""Kinds where an answer without a fault shows what to do better."""


@dataclass(frozen=True)
class Finding:
    """The first fault of one kind that one bot had in one match, and how many there were.

    `turn` counts finished turns (-1: while starting). `asked` and `said` are the beginnings of the messages,
    `stderr` is the end of it by then, `wall` and `charged` are seconds.
    """

    match: int
    replay: Path
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
        """When it happened, in words."""
        return "while starting" if self.turn < 0 else f"turn {self.turn}"

    def command(self, program: str = "koth") -> str:
        """The command that plays this moment again."""
        return f"{program} debug {_word(str(self.replay))} --bot {_word(self.bot)} --turn {max(self.turn, 0)}"

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON."""
        return {
            "bot": self.bot,
            "kind": self.kind,
            "meaning": MEANINGS.get(self.kind, ""),
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
            "replay": str(self.replay),
            "debug": self.command(),
        }


def _word(text: str) -> str:
    import shlex

    return shlex.quote(text)


def readable(data: bytes) -> str:
    """Bytes of a stranger's as text without control characters, lines kept."""
    return visible(data.decode("utf-8", "backslashreplace").expandtabs(4), keep="\n")


TRACE = "Traceback (most recent call last):\n"
KOTHS = re.compile(rf'\s*File "({re.escape(str(PACKAGE))}|{KOTH})/[^"]*", line \d+')
"""A frame of koth's, as Python tells where it is."""


def own_files(text: str, folder: Path) -> str:
    """What a bot printed that was played from this folder: its files by their names within it, no frames of koth's.

    The same stack trace stands there once, however often it came.
    """
    text = "".join(line for line in text.splitlines(keepends=True) if not KOTHS.match(line))
    first, *traces = text.replace(f"{folder}/", "").replace(f"{BOT}/", "").split(TRACE)
    return "".join([first, *(TRACE + trace for trace in dict.fromkeys(traces))])


def findings(folder: Path, bot: str | None = None, match: int | None = None) -> list[Finding]:
    """What a run has on record, by match, bot and turn; of one bot, of one match. Raises KothError."""
    if not (folder / "results.sqlite").is_file():
        raise KothError(f"{folder} is not the folder of a run (it has no results.sqlite)")
    with closing(Store(folder, read_only=True)) as store:
        return [Finding(index, folder / replay, *rest) for index, replay, *rest in store.findings(bot, match)]


@dataclass(frozen=True)
class Kind:
    """All faults of one kind that one bot had in a run; `first` is the first of them."""

    bot: str
    kind: str
    count: int
    matches: int
    first: Finding


def kinds(found: list[Finding]) -> list[Kind]:
    """One line per bot and kind of fault, by bot, those that end a bot first, then the most frequent."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in found:
        groups.setdefault((finding.bot, finding.kind), []).append(finding)
    lines = [
        Kind(bot, kind, sum(f.count for f in group), len(group), group[0]) for (bot, kind), group in groups.items()
    ]
    return sorted(lines, key=lambda line: (line.bot, line.kind not in ENDS, -line.count, line.kind))


# --- the messages around a moment


def eyes(again: Again, moment: Moment, row: int) -> list[str]:
    """What the body of this row is shown, as text: in the game's own picture of it, or field by field."""
    author = part(again.game, "author")
    if author is None:
        return in_fields(moment.asks, row)
    lines: list[str] = author.eyes(moment.asks, row, again.facts)
    return lines


def saw(again: Again, moment: Moment, kind: str) -> str:
    """What the first body was shown that had a fault of this kind."""
    code = FAULTS.index(kind) if kind in FAULTS else 0
    return "\n".join(eyes(again, moment, int((moment.fault == code).argmax())))


def example(again: Again, wire: str, moment: Moment) -> str:
    """A message that answers without a fault; empty on wires that people don't write."""
    if wire not in again.game.wires:
        return ""
    speaker = again.game.wires[wire](again.settings, len(again.names))
    speaker.hello(again.facts)
    line: str = speaker.example(moment.number, moment.asks)
    return line


def in_words(again: Again, moment: Moment) -> dict[str, Any]:
    """What a question tells, as JSON: for bots whose own messages nobody can read."""
    wire: JsonWire = again.game.wires["json"](again.settings, len(again.names))
    wire.hello(again.facts)
    message: dict[str, Any] = orjson.loads(wire.ask(moment.asks))
    message["ask"] = moment.number
    return message


def answered(again: Again, wire: str, moment: Moment) -> str:
    """The recorded answer in the bot's words; in JSON for bots whose own messages nobody can read."""
    speaker = again.game.wires[wire if wire in again.game.wires else "json"](again.settings, len(again.names))
    speaker.hello(again.facts)
    line: str = speaker.answered(moment.number, moment.asks, moment.fields)
    return line


def moment_of(again: Again, turn: int, kind: str = "") -> Moment | None:
    """The question of this turn (the one with this fault, if there is one); None if there is none.

    Its arrays hold until the next moment is asked for.
    """
    code = FAULTS.index(kind) if kind in FAULTS else 0
    blamed = number = 0
    for moment in again.moments():
        if moment.turn > turn:
            break
        if moment.turn == turn:
            number = moment.number
            if not blamed and code and (moment.fault == code).any():
                blamed = moment.number
    wanted = blamed or number
    return next((m for m in again.moments() if m.number == wanted), None) if wanted else None


def conversation(again: Again, told: Told) -> Iterator[tuple[int, str, str]]:
    """All that the bot received and answered, as (turn, mark, text): `<` received, `>` answered, `!` a fault.

    A turn is how many were finished by then (-1: while starting); `#` says so before each question.
    Bots that speak in lines received these very lines. What the others received and answered stands there in JSON. Of
    every answer there is what the game read of it, in the words of the bot's wire.
    """
    wire = again.open_wire(told)
    hello = wire.hello(again.facts)
    as_lines = wire.framing == "lines"
    yield -1, "<", (readable(hello).rstrip("\n") if as_lines else orjson.dumps({"hello": again.facts}).decode())
    turn, gone = -1, False
    for moment in again.moments():
        turn = moment.turn
        yield turn, "#", f"turn {turn}"
        received = wire.ask(moment.asks)
        if as_lines:
            yield turn, "<", readable(received).rstrip("\n")
        else:
            yield turn, "<", orjson.dumps(in_words(again, moment)).decode()
        if not (moment.fault.all() and moment.faults):
            yield turn, ">", answered(again, told.wire, moment)
        for kind, count in moment.faults.items():
            many = f" ({count} of {len(moment.asks)} bodies)" if count > 1 else ""
            yield turn, "!", f"{kind}: {MEANINGS[kind]}{many}"
        gone = moment.gone
    if gone:
        yield turn, "!", "it was dead from here on"
    elif as_lines:
        yield turn, "<", readable(wire.bye()).rstrip("\n")
    else:
        yield turn, "<", '{"bye":true}'
