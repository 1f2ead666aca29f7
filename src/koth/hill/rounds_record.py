"""The record of rounds in the hill's folder: their plan, each round's results, the curves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any

import orjson

from koth.contest.record import mismatch
from koth.errors import KothError
from koth.files.beneath import read_beneath, written_beneath
from koth.game import Game
from koth.hill import fits
from koth.hill.connection import Hill
from koth.hill.models import Version
from koth.hill.registry import current_season
from koth.viewer.pages import whole_page

FOLDER, AUTHORS, ARENA, BOT = "rounds", "authors", "arena", "bot"
PLAN, BEGIN, ROUND, TURN, LOG, WHY, FILES = (
    "plan.json", "begin.json", "round.json", "turn.json", "log.txt", "why.txt", "files"
)  # fmt: skip
CURVES = "curves.html"
LARGEST = 1 << 26
"""Bytes of a file of JSON."""
PLAN_SHAPE: Mapping[str, Any] = {"authors": {str: str}, "matches": int, "timeout": (int, float)}
BEGIN_SHAPE: Mapping[str, Any] = {"runner": int, "version": int}
TURN_SHAPE: Mapping[str, Any] = {
    "seconds": (int, float),
    "problem": str,
    "is_sent": bool,
    "cpu_seconds": (int, float),
    "usage": {str: (int, float)},
    "attempts": int,
}
ROUND_SHAPE: Mapping[str, Any] = {
    "round": int,
    "authors": {str: {**TURN_SHAPE, "version": (int, NoneType)}},
    "matches": int,
    "standings": {},
}
"""Shapes of the files."""


@dataclass(frozen=True)
class Plan:
    """The constants of all rounds: commands by author, matches of a round, seconds of a command."""

    authors: Mapping[str, str]
    matches: int
    timeout: float


def read_plan(hill: Hill) -> Plan | None:
    """Return the plan of a hill's rounds; None where none has begun. Raises KothError."""
    if not (hill.folder / FOLDER / PLAN).exists():
        return None
    found = read(hill.folder / FOLDER, PLAN, PLAN_SHAPE)
    return Plan(**{key: found[key] for key in PLAN_SHAPE})


def rounds_of(hill: Hill) -> list[dict[str, Any]]:
    """Return what came of each round that is over; in round 0 plays what authors begin with. Raises KothError."""
    done: list[dict[str, Any]] = []
    while (hill.folder / FOLDER / str(len(done)) / ROUND).exists():
        done.append(read(hill.folder / FOLDER, f"{len(done)}/{ROUND}", ROUND_SHAPE))
    return done


def curves(hill: Hill) -> dict[str, list[dict[str, Any]]]:
    """Return, by author, the version of each round with its rating by all matches so far, or with its last score.

    One fit has all ratings, so that one of the first round can be compared with one of the last. Raises KothError.
    """
    season = current_season()
    rated = fits.latest(season)
    found: dict[str, list[dict[str, Any]]] = {}
    for played in rounds_of(hill):
        for author, its in played["authors"].items():
            version = Version.objects.filter(bot__name=author, number=its["version"]).values_list("pk", flat=True)
            rating = rated.get(version[0]) if version else None
            point = {key: getattr(rating, key, None) for key in (season.rank_by, "margin")}
            found.setdefault(author, []).append({"round": played["round"], "version": its["version"], **point})
    return found


def draw(hill: Hill, game: Game, number: int) -> None:
    """Draw the curves after round `number`."""
    by = current_season().rank_by
    found = [
        {"name": name, "points": [(at["round"], at[by], at["margin"]) for at in curve if at[by] is not None]}
        for name, curve in curves(hill).items()
    ]
    data = {
        "title": f"{game.title}: {by}s by all matches of {number} rounds",
        "by": by,
        "across": "round",
        "curves": found,
    }
    page = whole_page("ratings.html", "ratings.js", (), data)
    with written_beneath(hill.folder / FOLDER, CURVES) as file:
        file.write(page.encode())


def write(folder: Path, place: str, content: Mapping[str, Any]) -> None:
    with written_beneath(folder, place) as file:
        file.write(f"{json.dumps(content, indent=2)}\n".encode())


def read(folder: Path, place: str, shape: Mapping[str, Any]) -> Any:
    """Return an object of this shape that was written by this module. Raises KothError."""
    try:
        found = orjson.loads(read_beneath(folder, place, LARGEST))
    except OSError as error:
        raise KothError(f"{error.filename or folder / place}: {error.strerror}") from None
    except ValueError as error:
        raise KothError(f"{folder / place}: {error}") from None
    if wrong := mismatch(found, shape):
        raise KothError(f"{folder / place}: not what koth has written there: {wrong}")
    return found
