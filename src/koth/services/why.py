"""The reasons why bots failed in a contest's matches, for their authors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.contest.preflight import COPIES
from koth.contest.reading import MatchReader, RecordedFault, find_match
from koth.diagnostics.endings import Ending, ending_lines, find_endings
from koth.diagnostics.explain import example_answer, fault_observation, find_moment
from koth.diagnostics.habits import find_remarks
from koth.diagnostics.hints import drop_consequences, find_hint
from koth.diagnostics.rerun import RecordedBot, Rerun, find_recorded_bot
from koth.diagnostics.why import (
    ANSWER_FAULTS,
    UNIT_FAULTS,
    FaultGroup,
    group_by_kind,
    readable_text,
    shorten_paths,
    time_text,
)
from koth.engine.settings import read_settings
from koth.errors import KothError, choices, visible
from koth.games import load
from koth.replay.reader import Replay
from koth.session.faults import add_ending
from koth.standings.text import counted
from koth.viewer.contest import meaning_of
from koth.viewer.frame_cache import restore_frames


@dataclass(frozen=True)
class LeftOut:
    """A bot (empty: none has this name) that was left out of the contest, and the reason."""

    bot: str
    reason: str

    def lines(self) -> Iterator[str]:
        """Yield the reason in lines."""
        first, *rest = visible(self.reason, keep="\n").splitlines() or [""]
        yield f"{visible(self.bot)}: " * bool(self.bot) + f"left out, and played no match: {first}"
        yield from (f"    {line}" for line in rest)


@dataclass(frozen=True)
class Cause:
    """All faults of one kind of one bot, which follow from no others, and what may be wrong, if that is known."""

    kind: FaultGroup
    hint: str

    def line(self) -> str:
        """Return how often it happened, where first, and the first line of what was said there."""
        kind, first = self.kind, self.kind.first
        times = "once" if kind.count == 1 else f"{kind.count} times in {counted(kind.matches, 'match', 'matches')}"
        where = f"match {first.match}, {time_text(first)}"
        text = add_ending(first.kind, first.text.partition("\n")[0], first.ended) or meaning_of(first.kind)
        return f"{visible(kind.bot)}: {kind.kind} {times}, first in {where}: {visible(text)}"


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

    def lines(self, in_full: Callable[[Cause], Iterable[str]] | None = None, program: str = "koth") -> Iterator[str]:
        """Yield the lines that say why bots failed: left out, faults, what was noticed, how matches ended.

        `in_full` returns more lines for a cause; endings are left out then. `program` is how commands begin.
        """
        for item in self.left_out:
            yield from item.lines()
        if not self.is_entrant:
            return
        yield from self._faults(in_full)
        faulty = {fault.bot for fault in self.faults}
        for name, texts in (self.remarks or {}).items():
            for text in texts:
                yield f"{visible(name)}: {'noticed, too' if name in faulty else 'no fault, but'}: {visible(text)}"
        if in_full is None and (found := list(ending_lines(self.endings, program))):
            seen, played = len(self.endings), self.played
            of = f"{seen} of its {played} matches" if seen < played else counted(played, "match", "matches")
            yield f"\nhow {visible(self.bot or '')} ended, in {of}:"
            yield from (f"  {line}" for line in found)

    def _faults(self, in_full: Callable[[Cause], Iterable[str]] | None) -> Iterator[str]:
        if not self.faults:
            subject = f"{self.bot} had no fault" if self.bot else "no bot had a fault"
            yield subject if self.match is None else f"{subject} in match {self.match}"
        said: set[tuple[str, str]] = set()
        for number, cause in enumerate(self.causes):
            if in_full is not None:
                yield from [*([""] if number else []), cause.line(), *in_full(cause)]
                continue
            yield cause.line()
            if cause.hint and (cause.kind.bot, cause.hint) not in said:
                yield f"    {visible(cause.hint)}"
            said.add((cause.kind.bot, cause.hint))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__


@dataclass(frozen=True)
class FaultDetails:
    """The moment of a fault: the texts around it by title, the end of stderr, and the command that plays it again.

    `steps` is the number of its question within the turn, from 1.
    """

    around: Mapping[str, str]
    sight: str
    """The observation of a class's unit, in place of a message."""
    stderr: str
    steps: int


def explain_faults(reader: MatchReader, bot: str | None = None, match: int | None = None) -> WhyReport:
    """Return why bots failed: all of them, or one, or in one match. Raises KothError."""
    record = reader.plan()
    names = [entry["name"] for entry in record["bots"]]
    left_out = [LeftOut(item["bot"], item["reason"]) for item in record["skipped"] if bot in (None, item["bot"])]
    if bot is not None and bot not in names:
        if not left_out:
            raise KothError(f"no bot {bot!r} played in {reader.where}{choices(bot, names)}")
        return WhyReport(reader.where, bot, match, False, left_out)
    if match is not None:
        find_match(reader, match)
    found = reader.faults(bot, match)
    ended, played = find_endings(reader, bot, match, restore_frames) if bot is not None else ([], 0)
    return WhyReport(
        reader.where,
        bot,
        match,
        True,
        left_out,
        found,
        [Cause(kind, _find_hint(record, kind.first)) for kind in _find_causes(found)],
        find_remarks(reader, bot, match),
        ended,
        played,
    )


def is_class(reader: MatchReader, bot: str) -> bool:
    """Return whether a bot is a class, which was sent no messages."""
    return find_recorded_bot(reader.plan(), bot).protocol == "frames"


def find_details(reader: MatchReader, cause: Cause) -> FaultDetails:
    """Return the texts around the first fault of a kind. Raises KothError."""
    fault, record = cause.kind.first, reader.plan()
    how = find_recorded_bot(record, fault.bot)
    digests: dict[str, str] = {entry["name"]: entry["digest"] for entry in record["bots"]}
    copy = Path(reader.where).absolute() / COPIES / digests.get(fault.bot, "")
    stderr = shorten_paths(readable_text(fault.stderr), copy)
    sent = (
        {}
        if how.protocol == "frames"
        else {"it received": readable_text(fault.asked), "it said": readable_text(fault.said)}
    )
    try:
        more, sight, steps = _replay_moment(reader, fault, how)
    except KothError as error:
        more, sight, steps = {"it can't be played again": str(error)}, "", 1
    return FaultDetails({**sent, **more}, sight, stderr, steps)


def _find_causes(found: list[RecordedFault]) -> list[FaultGroup]:
    """Return the kinds of faults, without those of a bot that only follow from others."""
    lines = group_by_kind(found)
    firsts: dict[str, dict[str, int]] = {}
    for line in lines:
        firsts.setdefault(line.bot, {})[line.kind] = (line.first.match << 32) + line.first.turn
    return [line for line in lines if line.kind in drop_consequences(firsts[line.bot])]


def _find_hint(record: Mapping[str, Any], first: RecordedFault) -> str:
    """Return what a faulty message reveals about its bot's mistake."""
    game = load(record["game"])
    how = find_recorded_bot(record, first.bot)
    return find_hint(game, read_settings(game, record), how.protocol, first.kind, first.said, how.language)


def _replay_moment(reader: MatchReader, fault: RecordedFault, how: RecordedBot) -> tuple[Mapping[str, str], str, int]:
    """Return an example of a better answer by title, what a class saw, and the question's number in the turn."""
    path = reader.replay(fault.match)
    if path is None:
        return {}, "", 1
    replay = Replay(path)
    again = Rerun(load(replay.header["game"]), replay, fault.bot)
    moment = find_moment(again, fault.turn, fault.kind)
    if moment is None:
        return {}, "", 1
    sight = (
        fault_observation(again, moment, fault.kind) if how.protocol == "frames" and fault.kind in UNIT_FAULTS else ""
    )
    better = (
        {"an answer without a fault": example_answer(again, how, moment)}
        if not sight and fault.kind in ANSWER_FAULTS
        else {}
    )
    first = next(other.number for other in again.moments() if other.turn == moment.turn)
    return better, sight, moment.number - first + 1
