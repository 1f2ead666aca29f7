"""Match runners: play a job in this process and return the report."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from koth import __version__
from koth.contest.bundle import Bundle
from koth.contest.job import (
    BotRef,
    Failure,
    Job,
    MissingBots,
    OnProgress,
    ProgressEvent,
    Report,
    Requirements,
)
from koth.contest.timing import MatchCost
from koth.engine.settings import choose
from koth.errors import KothError
from koth.files.cache import cache_folder
from koth.game import Game
from koth.games import GamePackage, load, package_of
from koth.match import Entrant, Hosting, Result, Watching, play
from koth.replay.names import replay_name
from koth.sandbox.cached_folders import mark_used
from koth.sandbox.command import Overloaded
from koth.sandbox.failures import record_bug
from koth.sandbox.host_process import freeze_loaded
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot
from koth.session.cost import CostLog

PROGRESS_INTERVAL = 0.1
"""The least number of seconds between two progress events."""


class MatchRunner(Protocol):
    """A player of jobs in one process, with bots, folders and isolation."""

    @property
    def isolation(self) -> Isolation:
        """The isolation of the runner's bots."""

    def replay(self, job: Job) -> Path:
        """Return the replay file that is written during a match."""

    def entrants(self, game: Game, seats: Sequence[BotRef], bundles: Sequence[Bundle]) -> list[Entrant] | MissingBots:
        """Return the bots of a match, built and sealed. Raises KothError."""


@dataclass(frozen=True)
class LocalRunner:
    """The runner on the contest's own machine: bots and replays are in the run's folder."""

    isolation: Isolation
    replays: Path
    bots: Mapping[str, Entrant]
    """Bots by name."""

    def replay(self, job: Job) -> Path:
        return self.replays / replay_name(job.match)

    def entrants(self, game: Game, seats: Sequence[BotRef], bundles: Sequence[Bundle]) -> list[Entrant] | MissingBots:
        return [self.bots[bot_ref.name] for bot_ref in seats]


def play_job(
    runner: MatchRunner, on_progress: OnProgress, job: Job, bundles: Sequence[Bundle] = ()
) -> Report | Failure | MissingBots:
    """Play a job once and return the report or the failure."""
    try:
        if problem := refusal(runner.isolation, job.requirements):
            return Failure(problem)
        game = load(job.requirements.game)
        freeze_loaded()
        entrants = runner.entrants(game, job.seats, bundles)
        return entrants if isinstance(entrants, MissingBots) else _play(runner, on_progress, job, game, entrants)
    except Overloaded as error:
        return Failure(str(error), error.name)
    except KothError as error:
        return Failure(str(error))
    except Exception as error:  # a bug in the rules or in koth must not end the other matches
        text = f"{type(error).__name__}: {error} ({record_bug(error)})"
        return Failure(text, is_bug=not isinstance(error, OSError | MemoryError))


def refusal(isolation: Isolation, requirements: Requirements) -> str:
    """Return why this process can't play matches with these requirements, or "". Raises GameError."""
    if requirements.koth != __version__:
        return f"koth is {__version__} there, the contest's is {requirements.koth}"
    game = load(requirements.game)
    package = package_of(game)
    if (game.version, package) != (requirements.version, requirements.package):
        theirs = f"version {requirements.version} ({_package_text(requirements.package)})"
        return f"{game.name} is version {game.version} ({_package_text(package)}) there, the contest's is {theirs}"
    if not isolation.is_at_least(requirements.level):
        return f"isolation is {isolation.level} there, the contest requires {requirements.level}"
    return ""


def _package_text(package: GamePackage) -> str:
    return f"{package['name']} {package['version']}"


def _play(runner: MatchRunner, on_progress: OnProgress, job: Job, game: Game, entrants: Sequence[Entrant]) -> Report:
    replay = None if job.replays == "none" else runner.replay(job)
    for bot in entrants:
        if isinstance(bot, Bot) and bot.made:
            mark_used(cache_folder("jvm"), (*bot.made, *bot.reads))
    result = play(
        game,
        choose(game, job.ruleset, job.settings, files=False)[1],
        entrants,
        job.key,
        Hosting(
            match=job.match,
            ruleset=job.ruleset,
            time_control=job.time_control,
            isolation=runner.isolation,
            replay=replay,
            frames=job.replays == "all",
            reveal_key=False,
        ),
        _report_progress(job, on_progress),
    )
    data = b"" if replay is None else replay.read_bytes()
    return Report(job.id, job.match, result, _costs(result), data, socket.gethostname())


def _costs(result: Result) -> dict[str, MatchCost]:
    """Return each bot's cost, by name; remove the times of single questions from the records."""
    costs = {}
    for name, record in result.records.items():
        if len(record.times) or record.start_seconds:
            costs[name] = MatchCost.of(record)
        record.times = CostLog()
    return costs


def _report_progress(job: Job, on_progress: OnProgress) -> Watching:
    """Return callbacks that report the progress of a match, at most about ten times a second."""
    last = 0.0

    def pass_on(event: ProgressEvent) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > PROGRESS_INTERVAL:
            last = now
            on_progress(event)

    return Watching(
        on_turn=lambda turn: pass_on(ProgressEvent(job.match, turn)),
        on_wait=lambda bot, seconds: pass_on(ProgressEvent(job.match, waits=bot, seconds=seconds)),
        max_turns=job.max_turns,
    )
