"""Checks that games fit `koth.game.Game` and that replays can store frames; each check returns a problem as text."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from koth.engine.plain_data import shorten
from koth.engine.plain_returns import is_json
from koth.game import AGGREGATES, RANK_BY, Constants, ContestDefaults, Game

ATTRIBUTES = [name for name in Game.__annotations__ if not name.startswith("_")]
METHODS = {name: member for name, member in vars(Game).items() if name[0] != "_" and inspect.isfunction(member)}


def find_game_problem(game: Any) -> str | None:
    """Return the first deviation of a game from `koth.game.Game`, as text; None if there is none."""
    for name in ATTRIBUTES:
        if not hasattr(game, name):
            return f"has no {name} ({Game.__annotations__[name]})"
    seats = game.seats
    if not isinstance(seats, range) or not seats or seats.start < 1 or seats.step != 1:
        return f"has seats = {shorten(seats)}: a range of numbers of bots is needed, such as range(2, 9)"
    defaults = game.contest_defaults
    if (
        not isinstance(defaults, ContestDefaults)
        or defaults.aggregate not in AGGREGATES
        or defaults.rank_by not in RANK_BY
    ):
        words = f"ContestDefaults(matches, aggregate) with an aggregate of {', '.join(AGGREGATES)}"
        return f"has contest_defaults = {shorten(defaults)}: {words}, and rank_by {' or '.join(RANK_BY)} is needed"
    table = defaults.seats
    if table is not None and table not in seats:
        words = f"a number in its seats is needed, {seats[0]} to {seats[-1]}"
        return f"has contest_defaults.seats = {shorten(table)}: {words}"
    rulesets = game.rulesets
    if not isinstance(rulesets, Mapping) or not rulesets or not all(map(_is_settings, rulesets.values())):
        return "lacks rulesets: a dict of settings (a frozen dataclass on Constants) by name"
    return next((trouble for name in METHODS if (trouble := _find_method_problem(game, name))), None)


def _is_settings(settings: Any) -> bool:
    return isinstance(settings, Constants) and is_dataclass(settings) and type(settings).__hash__ is not None


def _find_method_problem(game: Any, name: str) -> str | None:
    wanted = inspect.signature(METHODS[name])
    takes = f"({', '.join(list(wanted.parameters)[1:])})"
    if not hasattr(game, name):
        return f"has no {name}{takes}: {(METHODS[name].__doc__ or '').partition('.')[0].removeprefix('Return ')}"
    if not callable(getattr(game, name)):
        return f"has a {name} that is not a function {takes}"
    with suppress(TypeError, ValueError):
        inspect.signature(getattr(game, name)).bind(*range(len(wanted.parameters) - 1))
        return None
    parameters = inspect.signature(getattr(type(game), name, getattr(game, name))).parameters
    hint = ": a function of a module stands in the class as staticmethod(...)" if "self" not in parameters else ""
    return f"has {name}({', '.join(parameters)}), which must take {takes}{hint}"


def find_frame_problem(frame: Mapping[str, Any]) -> str | None:
    """Return the error about a frame's first value that a replay can't store; None if a replay can store all."""
    rest = {name: value for name, value in frame.items() if not isinstance(value, np.ndarray)}
    has_json = is_json(rest)
    for name, value in frame.items():
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "iu":
                return f"frame[{name!r}] is an array of {value.dtype}, not of integers"
            if value.dtype == np.uint64 and value.size and value.max() > np.iinfo(np.int64).max:
                return f"frame[{name!r}] has {value.max()}, a replay's integers end at 2**63 - 1"
            if value.ndim != 1:
                return f"frame[{name!r}] has {value.ndim} dimensions, a replay's arrays have one"
        if name not in rest or has_json:
            continue
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            is_numpy = any(kind in str(error) for kind in ("int", "float", "bool", "ndarray"))
            hint = "; convert it with int(...), float(...) or .tolist()" if is_numpy else ""
            return f"frame[{name!r}] is not JSON: {error}{hint}"
    return None
