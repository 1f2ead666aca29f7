"""The reasons why bots failed in a contest's matches, for their authors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from koth.contest.preflight import COPIES
from koth.contest.reading import MatchReader, RecordedFault, find_match
from koth.contest.record import RunRecord, SkippedBot
from koth.diagnostics.endings import Ending, ending_lines, find_endings
from koth.diagnostics.explain import fault_texts, find_exchange
from koth.diagnostics.habits import find_remarks
from koth.diagnostics.hints import drop_consequences, find_hint
from koth.diagnostics.rerun import RecordedBot, Rerun, find_recorded_bot
from koth.diagnostics.why import (
    Cause,
    debug_command,
    group_by_kind,
    readable_text,
    shorten_paths,
    text_block,
    time_text,
)
from koth.engine.settings import read_settings
from koth.errors import KothError, choices, visible
from koth.games import load
from koth.protocol.by_name import FRAMES
from koth.replay.reader import Replay
from koth.session.faults import add_ending, ending
from koth.standings.text import counted
from koth.viewer.contest import meaning_of
from koth.viewer.frame_cache import restore_frames


@dataclass(frozen=True, repr=False)
class WhyReport:
    """The faults of a contest's bots, remarks on bots, and the ends of one bot's matches."""

    where: str
    bot: str | None
    match: int | None
    is_entrant: bool
    """False if the bot was left out and has no matches."""
    left_out: Sequence[SkippedBot]
    faults: Sequence[RecordedFault] = ()
    causes: Sequence[Cause] = ()
    remarks: Mapping[str, Sequence[str]] | None = None
    endings: Sequence[Ending] = ()
    played: int = 0
    """The bot's number of matches; `endings` covers the first of these."""

    def lines(self, details: MatchReader | None = None, program: str = "koth") -> Iterator[str]:
        """Yield lines that explain why bots failed: bots left out, faults, remarks, ends of matches.

        With `details`, the reader of the matches, yield the messages around each first fault instead of the ends of
        matches. `program` is the beginning of commands. Raises KothError.
        """
        for item in self.left_out:
            first, *rest = visible(item["reason"], keep="\n").splitlines() or [""]
            yield f"{visible(item['bot'])}: " * bool(item["bot"]) + f"left out, and played no match: {first}"
            yield from (f"    {line}" for line in rest)
        if not self.is_entrant:
            return
        yield from self._fault_lines(details, program)
        faulty = {fault.bot for fault in self.faults}
        for name, texts in (self.remarks or {}).items():
            for text in texts:
                yield f"{visible(name)}: {'noticed, too' if name in faulty else 'no fault, but'}: {visible(text)}"
        if details is None and (found := list(ending_lines(self.endings, program))):
            seen, played = len(self.endings), self.played
            of = f"{seen} of its {played} matches" if seen < played else counted(played, "match", "matches")
            yield f"\nhow {visible(self.bot or '')} ended, in {of}:"
            yield from (f"  {line}" for line in found)

    def _fault_lines(self, details: MatchReader | None, program: str) -> Iterator[str]:
        if not self.faults:
            subject = f"{self.bot} had no fault" if self.bot else "no bot had a fault"
            yield subject if self.match is None else f"{subject} in match {self.match}"
        said: set[tuple[str, str]] = set()
        for number, cause in enumerate(self.causes):
            if details is not None:
                yield from [*([""] if number else []), _cause_line(cause), *_detail_lines(details, cause, program)]
                continue
            yield _cause_line(cause)
            if cause.hint and (cause.bot, cause.hint) not in said:
                yield f"    {visible(cause.hint)}"
            said.add((cause.bot, cause.hint))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__


def explain_faults(reader: MatchReader, bot: str | None = None, match: int | None = None) -> WhyReport:
    """Return why bots failed; optionally only one bot, or only in one match. Raises KothError."""
    record = reader.plan()
    names = [entry["name"] for entry in record["bots"]]
    left_out = [item for item in record["skipped"] if bot in (None, item["bot"])]
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
        [replace(cause, hint=_find_hint(record, cause.first)) for cause in _find_causes(found)],
        find_remarks(reader, bot, match),
        ended,
        played,
    )


def is_class(reader: MatchReader, bot: str) -> bool:
    """Return whether a bot is a class, which handles no messages."""
    return find_recorded_bot(reader.plan(), bot).protocol == FRAMES


def _cause_line(cause: Cause) -> str:
    """Return the number of faults, the place of the first fault, and the first line of its text."""
    first = cause.first
    times = "once" if cause.count == 1 else f"{cause.count:,} times in {counted(cause.matches, 'match', 'matches')}"
    where = f"match {first.match}, {time_text(first)}"
    text = add_ending(first.kind, first.text.partition("\n")[0], first.ended) or meaning_of(first.kind)
    return f"{visible(cause.bot)}: {cause.kind} {times}, first in {where}: {visible(text)}"


def _detail_lines(reader: MatchReader, cause: Cause, program: str) -> Iterator[str]:
    """Yield lines on the first fault of a kind: the messages around the fault, and the command to play it again."""
    fault, record = cause.first, reader.plan()
    recorded = find_recorded_bot(record, fault.bot)
    digests = {entry["name"]: entry["digest"] for entry in record["bots"]}
    copy = Path(reader.where).absolute() / COPIES / digests.get(fault.bot, "")
    if fault.kind != "crash":
        yield f"  it means: {meaning_of(fault.kind)}"
    yield from (f"      {visible(text)}" for text in fault.text.splitlines()[1:])
    if recorded.protocol != FRAMES:
        yield from text_block("it received", readable_text(fault.asked))
        yield from text_block("it said", readable_text(fault.said))
    saw, steps = "", 1
    try:
        saw, example, steps = _replay_exchange(reader, fault, recorded)
        yield from text_block("an answer without a fault", example)
    except KothError as error:
        yield from text_block("it can't be played again", str(error))
    yield from text_block("what it saw", saw, whole=True)
    yield from [f"  {visible(cause.hint)}"] if cause.hint else []
    yield from text_block("the end of its stderr", shorten_paths(readable_text(fault.stderr), copy))
    if end := ending(fault.kind, fault.text, fault.ended):
        yield f"  its process: {end}"
    if fault.turn:
        yield f"  the question took: {fault.charged:.3f} s charged, {fault.wall:.3f} s by the clock"
    if again := debug_command(fault, program):
        yield f"  play it again: {again}{f' --steps {steps}' if steps > 1 else ''}"


def _replay_exchange(reader: MatchReader, fault: RecordedFault, recorded: RecordedBot) -> tuple[str, str, int]:
    """Return a class's observation, a better answer, and the question's number within the turn, from 1."""
    if (path := reader.replay(fault.match)) is not None:
        replay = Replay(path)
        rerun = Rerun(load(replay.header["game"]), replay, fault.bot)
        if (exchange := find_exchange(rerun, fault.turn, fault.kind)) is not None:
            first = next(other.number for other in rerun.exchanges() if other.turn == exchange.turn)
            number = exchange.number - first + 1
            return *fault_texts(rerun, recorded, exchange, fault.kind), number
    return "", "", 1


def _find_causes(found: list[RecordedFault]) -> list[Cause]:
    """Return the kinds of faults, except consequences of other faults."""
    lines = group_by_kind(found)
    firsts: dict[str, dict[str, int]] = {}
    for line in lines:
        firsts.setdefault(line.bot, {})[line.kind] = (line.first.match << 32) + line.first.turn
    return [line for line in lines if line.kind in drop_consequences(firsts[line.bot])]


def _find_hint(record: RunRecord, first: RecordedFault) -> str:
    """Return a hint at the mistake in a faulty message."""
    game = load(record["game"])
    how = find_recorded_bot(record, first.bot)
    return find_hint(game, read_settings(game, record), how.protocol, first.kind, first.said, how.language)
