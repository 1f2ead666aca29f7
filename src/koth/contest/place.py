"""Where a match is played: what a machine makes of a job."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from koth import __version__
from koth.contest.bundle import Bundle
from koth.contest.job import Failure, Job, Lacking, News, Report, Tell, Terms, Ticket, replay_file
from koth.contest.speed import machine
from koth.contest.timing import Cost
from koth.engine.settings import from_header
from koth.errors import KothError
from koth.game import Game
from koth.games import load, package_of
from koth.match import Entrant, Result, play
from koth.sandbox.command import Overloaded
from koth.sandbox.host_process import freeze_loaded
from koth.sandbox.isolation import Isolation
from koth.session.cpu_time import CostLog

PACE = 0.1
"""Seconds between two turns that are told to whoever watches."""


class Place(Protocol):
    """What plays jobs in one process."""

    @property
    def isolation(self) -> Isolation:
        """How bots are kept apart here."""

    def replay(self, job: Job) -> Path:
        """Where a match is recorded while it is played."""

    def entrants(self, game: Game, seats: Sequence[Ticket], bundles: Sequence[Bundle]) -> list[Entrant] | Lacking:
        """The bots of a match, built and sealed. Raises KothError."""


@dataclass(frozen=True)
class Home:
    """The machine that the contest is run on: bots and replays lie in the run's own folder."""

    isolation: Isolation
    replays: Path
    bots: Mapping[str, Entrant]
    """By name."""

    def replay(self, job: Job) -> Path:
        return replay_file(self.replays, job.match)

    def entrants(self, game: Game, seats: Sequence[Ticket], bundles: Sequence[Bundle]) -> list[Entrant] | Lacking:
        return [self.bots[ticket.name] for ticket in seats]


def play_job(place: Place, tell: Tell, job: Job, bundles: Sequence[Bundle] = ()) -> Report | Failure | Lacking:
    """Play it, once."""
    try:
        if problem := refusal(place.isolation, job.terms):
            return Failure(problem)
        game = load(job.terms.game)
        freeze_loaded()
        entrants = place.entrants(game, job.seats, bundles)
        return entrants if isinstance(entrants, Lacking) else _played(place, tell, job, game, entrants)
    except Overloaded as error:
        return Failure(str(error), error.name)
    except KothError as error:
        return Failure(str(error))
    except Exception as error:  # a mistake in the rules or in koth must not cost the other matches
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Failure(f"{type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno})")


def refusal(isolation: Isolation, terms: Terms) -> str:
    """Why matches can't be played here on these terms, in words; empty if they can. Raises GameError."""
    if terms.koth != __version__:
        return f"koth {__version__} plays there, the contest is koth {terms.koth}'s"
    game = load(terms.game)
    package = package_of(game)
    if (game.version, package) != (terms.version, dict(terms.package)):
        theirs = f"version {terms.version} ({_named(terms.package)})"
        return f"{game.name} is version {game.version} ({_named(package)}) there, the contest's is {theirs}"
    if not isolation.is_at_least(terms.level):
        return f"isolation {isolation.level} is all there is there, the contest asks for {terms.level}"
    return ""


def _named(package: Mapping[str, str]) -> str:
    return f"{package['name']} {package['version']}"


def _played(place: Place, tell: Tell, job: Job, game: Game, entrants: Sequence[Entrant]) -> Report:
    replay = None if job.replays == "none" else place.replay(job)
    result = play(
        game,
        from_header(game, {"ruleset": job.ruleset, "settings": job.settings}),
        entrants,
        job.key,
        match=job.match,
        ruleset=job.ruleset,
        replay=replay,
        frames=job.replays == "all",
        tell_key=False,
        budgets=job.budgets,
        isolation=place.isolation,
        turns=job.turns,
        **_told(job.match, tell),
    )
    data = b"" if replay is None else replay.read_bytes()
    return Report(job.id, job.match, result, _costs(result, job.singly), data, machine())


def _costs(result: Result, singly: bool) -> dict[str, Cost]:
    """What everybody took; the records lose their single times."""
    costs = {}
    for name, record in result.records.items():
        if len(record.times) or record.start_seconds:
            costs[name] = Cost.of(record, singly)
        record.times = CostLog()
    return costs


def _told(match: int, tell: Tell) -> dict[str, Any]:
    """What a match is to call, so that at most some ten news a second are passed on."""
    last = 0.0

    def pass_on(news: News) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > PACE:
            last = now
            tell(news)

    return {
        "on_turn": lambda turn: pass_on(News(match, turn)),
        "on_wait": lambda bot, seconds: pass_on(News(match, waits=bot, seconds=seconds)),
    }
