"""The reasons why bots failed in a contest's matches, for their authors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.contest.preflight import COPIES
from koth.contest.reading import MatchReader, RecordedFault
from koth.contest.record import settings_of
from koth.diagnostics.endings import Ending, endings
from koth.diagnostics.explain import example, moment_of, saw
from koth.diagnostics.habits import remarks_on
from koth.diagnostics.hints import hint_for, without_consequences
from koth.diagnostics.rerun import RecordedBot, Rerun, recorded_bot
from koth.diagnostics.why import OF_A_UNIT, SHAPED, Kind, findings, kinds, own_files, readable
from koth.errors import KothError, choices, visible
from koth.games import load
from koth.replay.reader import Replay
from koth.standings.text import counted
from koth.viewer.restored import with_frames


@dataclass(frozen=True)
class LeftOut:
    """A bot (empty: none has this name) that was left out of the contest, and the reason."""

    bot: str
    reason: str


@dataclass(frozen=True)
class Cause:
    """All faults of one kind of one bot, which follow from no others, and what may be wrong, if that is known."""

    kind: Kind
    hint: str


@dataclass(frozen=True, repr=False)
class WhyReport:
    """The faults of a contest's bots, what was noticed of them, and how matches of the one bot ended."""

    where: str
    bot: str | None
    match: int | None
    is_entrant: bool
    """False if the bot was left out, and played no match."""
    left_out: Sequence[LeftOut]
    faults: Sequence[RecordedFault] = ()
    causes: Sequence[Cause] = ()
    remarks: Mapping[str, Sequence[str]] | None = None
    endings: Sequence[Ending] = ()
    played: int = 0
    """Matches of the one bot, of which the `endings` are the first ones."""

    def __str__(self) -> str:
        lines = [f"{item.bot or 'a word'}: left out: {item.reason}" for item in self.left_out]
        for cause in self.causes:
            kind, first = cause.kind, cause.kind.first
            times = counted(kind.count, "time", "times")
            lines.append(f"{kind.bot}: {kind.kind}, {times}, first in turn {first.turn} of match {first.match}")
            lines += [f"    {text}" for text in (first.text, cause.hint) if text]
        lines += [f"{bot}: {text}" for bot, texts in (self.remarks or {}).items() for text in texts]
        return visible("\n".join(lines or ["no bot had a fault"]), keep="\n")

    __repr__ = __str__


@dataclass(frozen=True)
class FaultDetails:
    """The moment of a fault: the texts around it by title, the end of stderr, and the command that plays it again.

    `steps` is the number of its question within the turn, from 1.
    """

    around: Mapping[str, str]
    sight: str
    """What a unit of a class saw, which was sent no message."""
    stderr: str
    steps: int


def why(reader: MatchReader, bot: str | None = None, match: int | None = None) -> WhyReport:
    """Return why bots failed: all of them, or one, or in one match. Raises KothError."""
    record = reader.plan()
    names = [entry["name"] for entry in record["bots"]]
    left_out = [LeftOut(item["bot"], item["reason"]) for item in record["skipped"] if bot in (None, item["bot"])]
    if bot is not None and bot not in names:
        if not left_out:
            raise KothError(f"no bot {bot!r} played in {reader.where}{choices(bot, names)}")
        return WhyReport(reader.where, bot, match, False, left_out)
    found = findings(reader, bot, match)
    ended, played = endings(reader, bot, match, with_frames) if bot is not None else ([], 0)
    return WhyReport(
        reader.where,
        bot,
        match,
        True,
        left_out,
        found,
        [Cause(kind, _hint(record, kind.first)) for kind in _causes(found)],
        remarks_on(reader, bot, match),
        ended,
        played,
    )


def is_class(reader: MatchReader, bot: str) -> bool:
    """Return whether a bot is a class, which was sent no messages."""
    return recorded_bot(reader.plan(), bot).protocol == "frames"


def details(reader: MatchReader, cause: Cause) -> FaultDetails:
    """Return the texts around the first fault of a kind. Raises KothError."""
    fault, record = cause.kind.first, reader.plan()
    how = recorded_bot(record, fault.bot)
    digests: dict[str, str] = {entry["name"]: entry["hash"] for entry in record["bots"]}
    copy = Path(reader.where).absolute() / COPIES / digests.get(fault.bot, "")
    stderr = own_files(readable(fault.stderr), copy)
    sent = {} if how.protocol == "frames" else {"it received": readable(fault.asked), "it said": readable(fault.said)}
    try:
        more, sight, steps = _played_again(reader, fault, how)
    except KothError as error:
        more, sight, steps = {"it can't be played again": str(error)}, "", 1
    return FaultDetails({**sent, **more}, sight, stderr, steps)


def _causes(found: list[RecordedFault]) -> list[Kind]:
    """Return the kinds of faults, without those of a bot that only follow from others."""
    lines = kinds(found)
    firsts: dict[str, dict[str, int]] = {}
    for line in lines:
        firsts.setdefault(line.bot, {})[line.kind] = (line.first.match << 32) + line.first.turn
    return [line for line in lines if line.kind in without_consequences(firsts[line.bot])]


def _hint(record: Mapping[str, Any], first: RecordedFault) -> str:
    """Return what a faulty message reveals about its bot's mistake."""
    game = load(record["game"])
    how = recorded_bot(record, first.bot)
    return hint_for(game, settings_of(record, game), how.protocol, first.kind, first.said, how.language)


def _played_again(reader: MatchReader, fault: RecordedFault, how: RecordedBot) -> tuple[Mapping[str, str], str, int]:
    """Return an example of a better answer by title, what a class saw, and the question's number in the turn."""
    path = reader.replay(fault.match)
    if path is None:
        return {}, "", 1
    replay = Replay(path)
    again = Rerun(load(replay.header["game"]), replay, fault.bot)
    moment = moment_of(again, fault.turn, fault.kind)
    if moment is None:
        return {}, "", 1
    sight = saw(again, moment, fault.kind) if how.protocol == "frames" and fault.kind in OF_A_UNIT else ""
    better = {"an answer without a fault": example(again, how, moment)} if not sight and fault.kind in SHAPED else {}
    first = next(other.number for other in again.moments() if other.turn == moment.turn)
    return better, sight, moment.number - first + 1
