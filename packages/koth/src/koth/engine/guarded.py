"""Errors in the code of a game's package: each becomes one line that names game, turn, method, file and line."""

from __future__ import annotations

import copy
import inspect
import sys
import traceback
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

from koth.engine.contract import METHODS
from koth.errors import GameError, KothError, SettingsError
from koth.game import Answers, Game, Observations

KOTH = Path(__file__).resolve().parents[1]
PASSED_ON = (GameError, SettingsError, KeyboardInterrupt, GeneratorExit)
"""Errors that are passed on unchanged when a game's code raises them."""


def guard(game: Game) -> Game:
    """Return the game with every method of `koth.game.Game` raising GameError; `koth.testing.check` checks values."""
    found: Any = copy.copy(game)
    for name in METHODS:
        setattr(found, name, partial(_call, game.name, name, getattr(found, name)))
    made: Game = found
    return made


def _call(game: str, name: str, method: Callable[..., Any], *arguments: Any) -> Any:
    try:
        value = method(*arguments)
    except PASSED_ON:
        raise
    except BaseException as error:
        raise game_error(game, name, error, method) from error
    return _play(game, name, method, value, arguments[-1].turn) if isinstance(value, Generator) else value


def _play(
    game: str, name: str, method: Callable[..., Any], turn: Generator[Observations, Answers, None], number: int
) -> Generator[Observations, Answers, None]:
    try:
        yield from turn
    except PASSED_ON:
        raise
    except BaseException as error:
        raise game_error(game, name, error, method, number) from error


def game_error(
    game: str, name: str, error: BaseException, method: Any, turn: int | None = None, owner: type | None = None
) -> GameError:
    """Return an exception of a game's method as one line; `owner` is the class whose object runs the method."""
    place = line_of(error, folder_of(owner or getattr(method, "__self__", method))) or place_of(method, owner)
    at = "" if turn is None else f", turn {turn}"
    words = str(error) if isinstance(error, KothError) else describe_error(error)
    return GameError(f"the game {game}{at}, {name}: {words}{place}")


def describe_error(error: BaseException) -> str:
    """Return an exception in one line."""
    try:
        text = " ".join(str(error).split())[:300]
    except Exception:  # an author's own exception may have no text
        text = ""
    return f"{type(error).__name__}{': ' if text else ''}{text}"


def folder_of(code: Any) -> Path | None:
    """Return the folder of the module that defines code or an object's class; None if the module has no file."""
    file = getattr(sys.modules.get(getattr(code, "__module__", "")), "__file__", None)
    return None if file is None else Path(file).resolve().parent


def line_of(error: BaseException, folder: Path | None) -> str:
    """Return the innermost line of an exception's stack in this folder, in parentheses; empty if there is none."""
    stack = traceback.extract_tb(error.__traceback__)
    frames = [at for at in stack if folder in Path(at.filename).resolve().parents]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""


def place_of(method: Any, owner: type | None = None) -> str:
    """Return file and line of a method in parentheses; the file of the owner's class if koth defines the method."""
    code = getattr(inspect.unwrap(getattr(method, "__func__", method)), "__code__", None)
    if code is not None and KOTH not in Path(code.co_filename).resolve().parents:
        return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})"
    owner = owner or type(getattr(method, "__self__", None))
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    return (
        f" ({Path(file).name}, class {owner.__name__})" if file and KOTH not in Path(file).resolve().parents else ""
    )
