"""The record of a run, `run.json`: contest and machine."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from koth import __version__
from koth.contest.contest import Contest
from koth.errors import KothError
from koth.files.beneath import read_beneath, write_beneath
from koth.files.shape import find_mismatch, read_json, shape_of
from koth.game import Game, TimeControl
from koth.games import GamePackage, load, package_of
from koth.replay.names import RUN_FILE
from koth.session.bot import Bot
from koth.session.cpu_clock import has_cpu_clocks


class RecordedEntrant(TypedDict):
    """A bot of a contest; `path` is None for a function, and outside the host's machine."""

    name: str
    path: str | None
    digest: str
    protocol: str
    options: Mapping[str, Any]
    language: str


class SkippedBot(TypedDict):
    """A bot that was left out; `bot` is empty for a path without a bot."""

    bot: str
    reason: str


class Extension(TypedDict):
    """An extension of a contest; `matches` is the number of matches of each bot over all stages so far."""

    matches: int
    commitment: str
    secret: str | None
    started: str


class RecordedIsolation(TypedDict):
    """The isolation of the bots, with the versions of the programs that give it."""

    level: str
    missing: Sequence[str]
    versions: Mapping[str, Any]


class RunRecord(TypedDict):
    """The content of `run.json`, and the record of a hill's season: the contest, then the machine.

    Results never depend on the machine. The fields without an explanation are those of `Contest`.
    """

    game: str
    package: GamePackage
    version: int
    ruleset: str
    settings: Mapping[str, Any]
    seed: int | None
    revealed: bool
    commitment: str
    secret: str | None
    """The secret of the first stage; None until the contest is over."""
    matches: int
    seats: int | None
    max_turns: int | None
    seeds: str
    until: str | None
    knockout: int | None
    replays: str
    keep_days: NotRequired[int | None]
    """The number of days for which a hill keeps replays; None without a limit."""
    extensions: Sequence[Extension]
    time_control: Mapping[str, Any]
    bots: Sequence[RecordedEntrant]
    skipped: Sequence[SkippedBot]
    unrepeatable: Sequence[str]
    """The names of bots whose answers differed in preflight."""
    koth: str
    interpreters: Mapping[str, Any]
    isolation: RecordedIsolation
    clock: str
    machine: Mapping[str, Any]
    started: str


SHAPE: Mapping[str, Any] = {**shape_of(RunRecord), "time_control": shape_of(TimeControl)}
"""The shape of a record (see `koth.files.shape`)."""
LARGEST_RECORD = 1 << 26
"""The largest size of a record in bytes; a record has some hundred bytes per bot."""


def _record_entrants(contest: Contest) -> list[RecordedEntrant]:
    return [
        RecordedEntrant(
            name=bot.name,
            path=bot.where if isinstance(bot, Bot) else None,
            digest=bot.digest,
            protocol=bot.protocol if isinstance(bot, Bot) else "inline",
            options=dict(bot.options) if isinstance(bot, Bot) else {},
            language=bot.language if isinstance(bot, Bot) else "",
        )
        for bot in contest.bots
    ]


def new_record(
    contest: Contest, skipped: Sequence[SkippedBot], unrepeatable: Sequence[str], interpreters: Mapping[str, Any]
) -> RunRecord:
    """Return the record of a new run on this machine."""
    game, isolation = load(contest.game), contest.isolation
    return RunRecord(
        game=contest.game,
        package=package_of(game),
        version=game.version,
        ruleset=contest.ruleset,
        settings=contest.overrides,
        seed=contest.seed,
        revealed=contest.revealed,
        commitment=contest.commitment,
        secret=None,
        matches=contest.matches,
        seats=contest.seats,
        max_turns=contest.max_turns,
        seeds=contest.seeds,
        until=None if contest.until is None else str(contest.until),
        knockout=contest.knockout,
        replays=contest.replays,
        extensions=[],
        time_control=asdict(contest.time_control),
        bots=_record_entrants(contest),
        skipped=skipped,
        unrepeatable=unrepeatable,
        koth=__version__,
        interpreters=interpreters,
        isolation=RecordedIsolation(
            level=isolation.level, missing=isolation.missing, versions=dict(isolation.versions)
        ),
        clock="cpu" if has_cpu_clocks() else "wall",
        machine={"system": platform.platform(), "python": platform.python_version(), "cores": os.cpu_count()},
        started=now(),
    )


def read_record(folder: Path) -> RunRecord:
    """Return the `run.json` of a run's folder, checked against `SHAPE`. Raises KothError."""
    file = folder / RUN_FILE
    try:
        run: RunRecord = read_json(read_beneath(folder, RUN_FILE, LARGEST_RECORD))
    except OSError as error:
        raise KothError(f"{file}: {error.strerror}; {folder} is not the folder of a run") from None
    except ValueError as error:
        raise KothError(f"{file}: {error}") from None
    if wrong := find_mismatch(run, SHAPE):
        raise KothError(f"{file}: this koth can't read it as the record of a run: {wrong}")
    return run


def other_version_text(game: Game, version: int, package: GamePackage) -> str:
    """Return how this game differs from the `version` and `package` of a contest; "" if it is the same."""
    own = package_of(game)
    if (version, package["name"]) == (game.version, own["name"]):
        return ""
    then = f"with version {version} of {game.name} ({package['name']} {package['version']})"
    return f"{then}, this koth has version {game.version} ({own['name']} {own['version']})"


def check_version(record: RunRecord, game: Game, where: Path | str) -> None:
    """Raise KothError if a run was started with another version of the game."""
    if differs := other_version_text(game, record["version"], record["package"]):
        raise KothError(f"{where}: started {differs}: continue with that one, or start a new run")


def stages_of(record: RunRecord) -> list[RunRecord | Extension]:
    """Return the entries with the commitments and secrets of all stages: the record itself, then its extensions."""
    return [record, *record["extensions"]]


def extend_record(
    record: RunRecord, contest: Contest, skipped: Sequence[SkippedBot], unrepeatable: Sequence[str]
) -> RunRecord:
    """Return the record of a run after an extension with more matches or other entrants."""
    began = Extension(matches=contest.matches, commitment=contest.commitment, secret=None, started=now())
    return {
        **record,
        "matches": contest.matches,
        "knockout": contest.knockout,
        "bots": _record_entrants(contest),
        "skipped": skipped,
        "unrepeatable": unrepeatable,
        "extensions": [*record["extensions"], began],
    }


def now() -> str:
    """Return the current time in the format of records."""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def write_record(folder: Path, record: Mapping[str, object], name: str = RUN_FILE) -> None:
    """Write a record to a file of the folder. Raises KothError."""
    text = f"{json.dumps(record, indent=2)}\n".encode()
    if len(text) > LARGEST_RECORD:
        raise KothError(f"{folder / name}: {len(text):,} bytes, and at most {LARGEST_RECORD:,} can be read again")
    try:
        with write_beneath(folder, name) as file:
            file.write(text)
    except OSError as error:
        raise KothError(f"{folder / name}: {error.strerror}") from None
