"""Logs of a bot in a match of a hill, or in a trial, for its author: its conversation, stderr, notes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.contest.job import replay_file
from koth.contest.private import noted, written
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.diagnostics.transcript import MARKS, transcript
from koth.diagnostics.why import readable
from koth.errors import KothError
from koth.game import Game
from koth.hill.connection import Hill
from koth.hill.models import Match, Seat, Trial, TrialSeat, Version
from koth.replay.names import REPLAYS
from koth.replay.reader import Replay

LARGEST = 4 << 20
"""Characters of a transcript; it ends there."""
_one_at_a_time = threading.Lock()
"""A lock around asking a match again, which takes seconds in some games: nobody waits for it in a thread."""


@dataclass(frozen=True)
class Log:
    """The log of a bot in a match: its folder, the match's number and the bot's name there, the bot's version."""

    folder: Path
    index: int
    bot: str
    version: Version
    what: str
    """The match in words."""

    def stderr(self) -> list[tuple[int | None, str]]:
        """Return what it wrote to stderr, by turn. Raises KothError."""
        return [(turn, readable(text)) for turn, text in written(self.folder, self.index, self.bot)]

    def notes(self) -> list[dict[str, Any]]:
        """Return its notes and drawings, by turn. Raises KothError."""
        return noted(self.folder, self.index, self.bot)

    def transcript(self, game: Game) -> str:
        """Return all that it received and answered, from the match asked again. Raises KothError."""
        if not _one_at_a_time.acquire(blocking=False):
            raise KothError(f"{self.what}: another log is being made; try again in some seconds")
        try:
            return "".join(_cut(self._lines(game)))
        finally:
            _one_at_a_time.release()

    def _lines(self, game: Game) -> Iterator[str]:
        replay = replay_file(self.folder / REPLAYS, self.index)
        if not replay.is_file():
            raise KothError(f"{self.what}: its replay is not kept")
        record = Replay(replay, top=self.folder)
        if record.key is None:
            raise KothError(f"{self.what}: it can be asked again once the match is over")
        yield f"# {self.bot} in {self.what} of {game.name}\n"
        yield f"{MARKS}\n"
        how = RecordedBot(self.version.protocol, self.version.options)
        stderr = written(self.folder, self.index, self.bot)
        for line in transcript(Rerun(game, record, self.bot), how, stderr):
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


def of_match(hill: Hill, match: Match, seat: Seat) -> Log:
    """Return the log of a bot in a match of the hill."""
    return Log(hill.folder, match.pk, seat.version.bot.name, seat.version, f"match {match.pk}")


def of_trial(hill: Hill, trial: Trial, seat: TrialSeat) -> Log:
    """Return the log of a bot in a trial."""
    return Log(hill.trials, trial.pk, seat.name, seat.version, f"trial {trial.pk}")
