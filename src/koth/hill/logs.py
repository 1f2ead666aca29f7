"""Logs of a bot in a match of a hill, or in a trial, for its author: its conversation, stderr, notes."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.contest.job import replay_file
from koth.contest.private import log_of
from koth.contest.reading import BotLog
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.diagnostics.transcript import MARKS, transcript
from koth.errors import KothError
from koth.game import Game
from koth.games import load
from koth.hill.connection import Hill
from koth.hill.models import Draft, Seat, Version
from koth.replay.names import REPLAYS
from koth.replay.reader import Replay

LARGEST = 4 << 20
"""Characters of a transcript; it ends there."""


@dataclass(frozen=True)
class Log:
    """The log of a bot in a match: its folder, the match's number, the bot's name there, its version or draft."""

    folder: Path
    index: int
    bot: str
    version: Version | Draft
    what: str
    """The match in words."""

    def left(self) -> BotLog:
        """Return its stderr and notes. Raises KothError."""
        return log_of(self.folder, self.index, self.bot)

    def transcript(self, game: Game) -> str:
        """Return all that it received and answered, from the match asked again. Raises KothError."""
        replay = replay_file(self.folder / REPLAYS, self.index)
        try:
            changed = replay.stat().st_mtime_ns
        except OSError:
            raise KothError(f"{self.what}: its replay is not kept") from None
        return _transcript(self, game.name, replay, changed, tuple(self.left().stderr))


@functools.lru_cache(8)
def _transcript(log: Log, game: str, replay: Path, changed: int, stderr: tuple[tuple[int | None, bytes], ...]) -> str:
    """Return a transcript; `changed` is the time of the replay's last change. Raises KothError."""
    return "".join(_cut(_lines(log, load(game), replay, stderr)))


def _lines(log: Log, game: Game, replay: Path, stderr: Sequence[tuple[int | None, bytes]]) -> Iterator[str]:
    record = Replay(replay, top=log.folder)
    if record.key is None:
        raise KothError(f"{log.what}: it can be asked again once the match is over")
    yield f"# {log.bot} in {log.what} of {game.name}\n"
    yield f"{MARKS}\n"
    how = RecordedBot(log.version.protocol, log.version.options)
    for line in transcript(Rerun(game, record, log.bot), how, stderr):
        yield f"{line}\n"


def _cut(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines until they are too many."""
    size = 0
    for line in lines:
        size += len(line)
        if size > LARGEST:
            yield f"# the rest is left out: there is more than {LARGEST >> 20} MB\n"
            return
        yield line


def log_at(hill: Hill, seat: Seat) -> Log:
    """Return the log of a bot in a match."""
    what = f"trial {seat.match_id}" if seat.match.season_id is None else f"match {seat.match_id}"
    return Log(hill.folder, seat.match_id, seat.name, seat.version, what)
