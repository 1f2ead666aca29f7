"""Facts about each game for the tests of all games: found in the game, its goldens, and its folder of tests.

A game's tests may hold a `trial.py` with `TRIAL`, where what follows by default is not what is wanted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from koth.contest.preflight import build
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample
from koth.game import TimeControl
from koth.games import GAMES, home, load
from koth.match import Hosting, Result, play
from koth.sandbox.levels import choose_level
from tests.golden import paths, read_case


@dataclass(frozen=True)
class Trial:
    """A small match of one game."""

    settings: Any = None
    """With which bots are tried (default: those of the first golden of the first ruleset)."""
    rival: str = ""
    """A sample that plays it well (default: the last of the field that is a Python file)."""
    short: Any = None
    """Settings with which a match is over soon (default: the same)."""
    bad_class: str = ""
    """A Python class bot that does nothing, calls `step()`, and has places (MADE, TURN) for what it does wrong."""


@cache
def trial(name: str) -> Trial:
    """What this game is tried with."""
    module = f"tests.games.{name}.trial"
    given: Trial = import_module(module).TRIAL if find_spec(module) else Trial()
    settings = golden(name) if given.settings is None else given.settings
    game = load(name)
    samples = [each for each in game.default_entrants if find_sample(name, each).suffix == ".py"]
    short = settings if given.short is None else given.short
    return replace(given, settings=settings, rival=given.rival or samples[-1], short=short)


def play_beside_rival(name: str, path: Path, folder: Path, time_control: TimeControl) -> Result:
    """A match of the bot at this path, which is called `broken`, beside the game's rival."""
    game, field, isolation = load(name), trial(name), choose_level()
    rival = load_bot(game, find_sample(name, field.rival), Interpreters(), "rival")
    bots = [build(bot, folder, isolation)[0] for bot in (load_bot(game, path, Interpreters()), rival)]
    result = play(game, field.settings, bots, 5, Hosting(time_control=time_control, isolation=isolation))
    assert set(result.scores) >= {"broken", "rival"}
    return result


def golden(name: str) -> Any:
    """The settings of the first golden that plays the game's first ruleset."""
    first = next(iter(load(name).rulesets))
    path = next(path for path in paths(name) if f"\nruleset {first}\n" in path.read_text(encoding="utf-8"))
    return read_case(path).settings


def quick(name: str) -> list[str]:
    """Words of a command line with which a match is over soon."""
    usual, short = load(name).rulesets, trial(name).short
    first = next(iter(usual.values()))
    known = {knob.name: getattr(short, knob.name) for knob in fields(short)}
    changed = {key: value for key, value in known.items() if getattr(first, key) != value}
    pairs = (f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in changed.items())
    return [word for pair in pairs for word in ("--set", pair)]


PLAYABLE = [name for name in GAMES if (home(name).folder / "play.js").is_file()]
"""Games that people can play."""
