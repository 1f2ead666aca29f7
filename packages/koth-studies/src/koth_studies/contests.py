"""A study's contests: the rounds, and measurements of a bot among the yardsticks, on the same boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from koth.contest.run_reader import RunReader
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.replay.names import RUN_FILE
from koth.services import contests
from koth.services.entrants import NamedEntries
from koth.services.observer import Observer
from koth.services.options import PlayingOptions, RunOptions
from koth_studies.plan import MEASURED, PlannedGame
from koth_studies.record import MEASURES


def play_contest(
    planned: PlannedGame,
    host: Mapping[str, Any],
    folder: Path,
    bots: Mapping[str, str],
    secret: Secret,
    observer: Observer,
) -> None:
    """Play the missing matches of a contest in a folder; `bots` are words by name, `host` options by name.

    Raises KothError, also if matches could not be played, ClusterLost and KeyboardInterrupt; a later call continues.
    """
    if is_over(folder):
        return
    if (folder / RUN_FILE).exists():
        played = contests.resume_contest(folder, NamedEntries([]), PlayingOptions(**host, skip_broken=True), observer)
    else:
        options = RunOptions(**host, **planned.contest, seed=str(secret), out=folder, skip_broken=True)
        played = contests.run_contest(planned.game.name, NamedEntries.of(bots), options, observer)
    if played.stopped is not None:
        raise played.stopped
    if unplayed := played.outcome.unplayed:
        raise KothError(f"{folder}: match {unplayed[0].match} could not be played: {unplayed[0].reason}")


def is_over(folder: Path) -> bool:
    """Return whether all matches of the contest in `folder` were played. Raises KothError."""
    if not (folder / RUN_FILE).exists():
        return False
    counts = RunReader(folder).counts()
    return counts.planned is not None and counts.done >= counts.planned > 0


def play_measurement(
    planned: PlannedGame,
    host: Mapping[str, Any],
    series: Path,
    bot: str,
    digest: str,
    secret: Secret,
    observer: Observer,
) -> None:
    """Play a bot with this digest among the yardsticks of a series, unless an equal bot has played.

    Raises the errors of `play_contest`.
    """
    bots = {MEASURED: bot, **planned.yardsticks}
    without_replays = replace(planned, contest={**planned.contest, "replays": "none"})
    play_contest(without_replays, host, measurement_folder(series, digest), bots, secret, observer)


def measurement_folder(series: Path, digest: str) -> Path:
    """Return the folder of the contest that measures bots with this digest."""
    return series / MEASURES / digest[:16]


def read_scores(folder: Path, bots: Sequence[str]) -> dict[int, tuple[int, tuple[float, ...]]]:
    """Return the block and the bots' scores of each match in which all `bots` played, by number.

    Raises KothError.
    """
    rows = RunReader(folder).matches()
    return {
        row.number: (row.block, tuple(row.scores[bot] for bot in bots))
        for row in rows
        if all(bot in row.scores for bot in bots)
    }
