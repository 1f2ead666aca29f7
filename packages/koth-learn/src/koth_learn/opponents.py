"""Seats of an environment that bots play: processes, started for each match and asked as in contests."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from koth.contest.preflight import build
from koth.discovery.entrants import find_only
from koth.discovery.interpreters import Interpreters
from koth.engine.batch import Batch
from koth.engine.secret import key_of
from koth.errors import KothError
from koth.game import Answers, Array, Game, Observations, TimeControl
from koth.sandbox.isolation import PLAIN
from koth.session.bot import Bot
from koth.session.referee import Referee
from koth.session.seats import Seating

PATIENT = TimeControl(start=600, question=600, lateness=1e9)
"""Time limits that nobody exceeds: results must not depend on the speed of the machine."""

THREADS = 32
"""The number of matches whose bots are asked at the same time, on all cores; a slow bot delays no other match."""


def built_bot(game: Game, word: str, folder: Path) -> Bot:
    """Return the bot of this name or path, built in `folder`. Raises KothError for no bot, and for a failed build."""
    bot, problem = build(find_only(game, word, Interpreters()), folder, PLAIN)
    if problem:
        raise KothError(f"{word}: {problem}")
    return bot


class BotOpponents:
    """The bots of some seats, in every match of a batch; `seats` (bool[seats]) are the bots' seats.

    Bots are named as on a command line: `@greedy`, or a path. They run as processes of this user, without a sandbox.
    Raises KothError for a word that names no bot, and for a bot that can't be built.
    """

    def __init__(self, game: Game, settings: Any, ruleset: str, seats: int, words: Mapping[int, str]) -> None:
        self._folder = Path(mkdtemp(prefix="koth-learn-"))
        self._referees: dict[int, Referee] = {}
        self.close = weakref.finalize(self, _close, self._referees, self._folder)
        """The finalizer that ends every process, at the latest with this object."""
        self._made_of = game, settings, ruleset, seats, words
        self._game, self._ruleset = game, ruleset
        self._bots = {seat: built_bot(game, word, self._folder) for seat, word in words.items()}
        played = {seat: bot.name for seat, bot in self._bots.items()}
        self._names = [f"{played.get(seat, 'learner')}-{seat}" for seat in range(seats)]
        self.seats = np.array([seat in words for seat in range(seats)])
        self._threads = ThreadPoolExecutor(THREADS, "opponents")

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy or pickle only the names: a copy builds the same bots, and starts processes of its own."""
        return BotOpponents, self._made_of

    def with_settings(self, settings: Any) -> BotOpponents:
        """Return these opponents for matches with other settings."""
        game, _, ruleset, seats, words = self._made_of
        return BotOpponents(game, settings, ruleset, seats, words)

    def begin(self, batch: Batch, seeds: Mapping[int, int]) -> None:
        """Start the bots of new matches, each match with a seed. Raises KothError if a bot fails."""
        for match, seed in seeds.items():
            self._start(batch, match, seed)

    def _start(self, batch: Batch, match: int, seed: int) -> None:
        if match in self._referees:
            self._referees.pop(match).__exit__()
        seating = Seating(batch, self._names, self._game.time_control, self._ruleset, match=match)
        key = key_of(seed)
        seeds = {seat: key.bot(1, seat) for seat in self._bots}
        seated = seating.seat(self._bots, seeds)
        referee = self._referees[match] = Referee(seated, PATIENT)
        referee.start({seat: seating.match_info(seat, own) for seat, own in seeds.items()})
        for bot in seated.values():
            if bot.conversation.gone:
                fault_report = next(iter(bot.conversation.fault_reports.values()))
                raise KothError(f"an opponent does not start: {fault_report.kind}: {fault_report.text}")

    def answer(self, observations: Observations, fields: Mapping[str, Array], fault: Array, gone: Array) -> None:
        """Write the bots' answers to their rows; rows of a bot with a fault hold the defaults."""
        edges = np.searchsorted(observations.match, np.arange(len(gone) + 1)).tolist()
        theirs = np.unique(observations.match[self.seats[observations.seat]]).tolist()

        def ask(match: int) -> None:
            start, stop = edges[match], edges[match + 1]
            part = observations.rows(start, stop)
            own_fields = {name: array[start:stop].copy() for name, array in fields.items()}
            said = Answers(own_fields, fault[start:stop].copy(), np.zeros((1, len(self.seats)), np.bool_))
            self._referees[match].ask(part, said, 0)
            rows = start + np.flatnonzero(self.seats[part.seat])
            for name, array in fields.items():
                array[rows] = said.fields[name][rows - start]
            fault[rows] = said.fault[rows - start]
            gone[match] |= said.gone[0]

        list(self._threads.map(ask, theirs))


def _close(referees: dict[int, Referee], folder: Path) -> None:
    for referee in referees.values():
        referee.__exit__()
    referees.clear()
    shutil.rmtree(folder, ignore_errors=True)
