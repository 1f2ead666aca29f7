"""Transcripts of bots in matches of a hill, for their authors: everything that a bot received and answered."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from koth.contest.private import read_stderr
from koth.contest.results import replay_place
from koth.diagnostics.endings import find_losses, teams_of
from koth.diagnostics.explain import MARKS, transcript_lines
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.errors import KothError
from koth.events import in_words
from koth.games import load
from koth.replay.reader import Replay
from koth_hill.connection import Hill
from koth_hill.models import Match, Seat

LONGEST_TRANSCRIPT = 4 << 20
"""The number of characters at which a transcript ends."""
MOST_LOSSES = 20
"""The most losses of a bot in a match that are listed, first losses first."""


def match_title(match: Match) -> str:
    """Return a description of a match."""
    return f"match {match.pk}"


@dataclass(frozen=True)
class PlayedBot:
    """A bot in a match with a replay in a hill's folder: number and description of the match, name of the bot."""

    number: int
    what: str
    name: str
    how: RecordedBot = field(compare=False)

    @classmethod
    def at(cls, seat: Seat) -> PlayedBot:
        """Return the bot at a seat."""
        how = RecordedBot(seat.version.protocol, seat.version.options)
        return cls(seat.match_id, match_title(seat.match), seat.name, how)


def transcript_of(hill: Hill, bot: PlayedBot) -> str:
    """Return everything that a bot received and answered in a match, from its replay. Raises KothError."""
    try:
        changed = (hill.folder / replay_place(bot.number)).stat().st_mtime_ns
    except OSError:
        raise KothError(f"{bot.what}: the replay is not kept") from None
    return _transcript(hill, bot, changed, tuple(read_stderr(hill.folder, bot.number, bot.name)))


def losses_of(hill: Hill, bot: PlayedBot) -> tuple[tuple[int, str], ...]:
    """Return the first events in which a bot lost units in a match, with their turns; none without a replay."""
    try:
        changed = (hill.folder / replay_place(bot.number)).stat().st_mtime_ns
        return _losses(hill, bot, changed)
    except (OSError, KothError):
        return ()


@functools.lru_cache(64)
def _losses(hill: Hill, bot: PlayedBot, changed: int) -> tuple[tuple[int, str], ...]:
    """Return the losses of a bot; `changed` is the time of the replay's last change. Raises ReplayError."""
    replay = Replay(hill.folder / replay_place(bot.number), top=hill.folder)
    teams = teams_of(replay)
    return tuple((turn, in_words(event, teams)) for turn, event in find_losses(replay, bot.name)[:MOST_LOSSES])


@functools.lru_cache(8)
def _transcript(hill: Hill, bot: PlayedBot, changed: int, stderr: tuple[tuple[int | None, bytes], ...]) -> str:
    """Return a transcript; `changed` is the time of the replay's last change. Raises KothError."""
    return "".join(_cut(_lines(hill, bot, stderr)))


def _lines(hill: Hill, bot: PlayedBot, stderr: Sequence[tuple[int | None, bytes]]) -> Iterator[str]:
    record = Replay(hill.folder / replay_place(bot.number), top=hill.folder)
    if record.key is None:
        raise KothError(f"{bot.what}: the transcript is available after the match")
    yield f"# {bot.name} in {bot.what} of {hill.game}\n"
    yield f"{MARKS}\n"
    for line in transcript_lines(Rerun(load(hill.game), record, bot.name), bot.how, stderr):
        yield f"{line}\n"


def _cut(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines up to the limit of a transcript."""
    size = 0
    for line in lines:
        size += len(line)
        if size > LONGEST_TRANSCRIPT:
            yield f"# the rest is left out: the transcript has more than {LONGEST_TRANSCRIPT >> 20} MB\n"
            return
        yield line
