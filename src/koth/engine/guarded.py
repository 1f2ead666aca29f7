"""Games of packages behind one door: each answer is checked, each mistake is one line that names file and method.

Packages may bring any object, and its answers go to kernels, replays and bots, where a wrong one would be an error of
koth's. So every method of the contract is called by way of a `_Guard`.
"""

from __future__ import annotations

import copy
import inspect
import sys
import traceback
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from types import CoroutineType
from typing import Any

import numpy as np

from koth.engine import plain_returns
from koth.engine.contract import METHODS, frame_trouble
from koth.engine.plain_data import is_finite, short
from koth.errors import GameError, KothError, SettingsError
from koth.game import Agents, Answers, Game, Observations, Question

KOTH = Path(__file__).resolve().parents[1]
PASSED = (GameError, SettingsError, KeyboardInterrupt)
"""Errors that leave a game's code as they are."""


def guarded(game: Game) -> Game:
    """Return the game with every method of the contract behind a guard."""
    found: Any = copy.copy(game)
    for name in METHODS:
        setattr(found, name, _Guard(game.name, name, getattr(found, name)))
    made: Game = found
    return made


class _Guard:
    """One method of a game. Raises GameError for what it raises and for what it may not return."""

    def __init__(self, game: str, name: str, method: Callable[..., Any]) -> None:
        self.game, self.name, self.method = game, name, method
        self.folder = folder_of(type(method.__self__) if hasattr(method, "__self__") else method)
        self.known: Observations | None = None
        """The last question, which is checked: a batch asks small ones by the same object, in the same arrays."""

    def __call__(self, *arguments: Any) -> Any:
        try:
            value = self.method(*arguments)
        except PASSED:
            raise
        except BaseException as error:
            raise self._error(error) from error
        if type(value) is CoroutineType:
            self._checked(plain_returns.awaited, value)
        if self.name in ("turn", "opening"):
            return self._turn(value, arguments[-1].questions)
        return self._checked(CHECKS[self.name], value, *arguments)

    def _error(self, error: BaseException) -> GameError:
        """Return what the author's code has raised as one line."""
        words = str(error) if isinstance(error, KothError) else described(error)
        return GameError(f"the game {self.game}: {words}{self._place(error)}")

    def _place(self, error: BaseException) -> str:
        return line_of(error, self.folder) or place_of(self.method)

    def _checked(self, check: Callable[..., Any], value: Any, *arguments: Any) -> Any:
        try:
            return check(value, *arguments)
        except Exception as error:
            words = str(error) if type(error) is ValueError else f"returned {short(value)}: {described(error)}"
            raise GameError(f"the game {self.game}: {sentence(self.name, words)}{place_of(self.method)}") from error

    def _turn(self, turn: Any, questions: Mapping[str, Question]) -> Generator[Observations, Answers, None]:
        """Play a turn, and check each question."""
        self._checked(_generator, turn)
        answers = None
        while True:
            try:
                value = next(turn) if answers is None else turn.send(answers)
            except StopIteration:
                return
            except PASSED:
                raise
            except BaseException as error:
                raise self._error(error) from error
            if value is None or value is not self.known:
                self.known = self._checked(_observations, value, questions)
            answers = yield value


# --- what a mistake is called


def sentence(method: str, words: str) -> str:
    """Return what is wrong with a method's answer as a sentence in one line."""
    return " ".join(f"{method}{'' if words.startswith(':') else ' '}{words}".split())


def described(error: BaseException) -> str:
    """Return an exception in one line."""
    try:
        text = " ".join(str(error).split())[:300]
    except Exception:  # an author's own exception may have no text
        text = ""
    return f"{type(error).__name__}{': ' if text else ''}{text}"


def folder_of(code: Any) -> Path | None:
    """Return the folder of the module that defines a class or a function; None if it has no file."""
    file = getattr(sys.modules.get(getattr(code, "__module__", "")), "__file__", None)
    return None if file is None else Path(file).resolve().parent


def line_of(error: BaseException, folder: Path | None) -> str:
    """Return the last line in this folder on the way to an exception, in parentheses; empty if there is none."""
    stack = traceback.extract_tb(error.__traceback__)
    own = [at for at in stack if folder in Path(at.filename).resolve().parents]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


def place_of(method: Any, owner: type | None = None) -> str:
    """Return file and line of a method, in parentheses; of its owner's class where koth itself defines the method."""
    code = getattr(inspect.unwrap(getattr(method, "__func__", method)), "__code__", None)
    if code is not None and KOTH not in Path(code.co_filename).resolve().parents:
        return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})"
    owner = owner or type(getattr(method, "__self__", None))
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    return (
        f" ({Path(file).name}, class {owner.__name__})" if file and KOTH not in Path(file).resolve().parents else ""
    )


# --- what methods must return


def _array(value: Any, dtype: type, shape: tuple[int | None, ...], words: str) -> Any:
    """Return an array of this dtype and shape (None: of any length)."""
    found = getattr(value, "shape", ())
    fits = isinstance(value, np.ndarray) and value.dtype == dtype and len(found) == len(shape)
    if not fits or any(wanted not in (None, size) for wanted, size in zip(shape, found, strict=True)):
        kind = f"{value.dtype}{list(found)}" if isinstance(value, np.ndarray) else short(value)
        raise ValueError(f"must return {words}, not {kind}")
    return value


def _questions(value: Any, settings: Any, seats: int) -> Any:
    if not isinstance(value, Mapping) or not all(isinstance(one, Question) for one in value.values()):
        raise ValueError(f"must return a dict of koth.game.Question by their names, not {short(value)}")
    for name, question in value.items():
        if name != question.name:
            raise ValueError(f"has the question {question.name} under another name, {name!r:.60}")
    return value


def _state(value: Any, settings: Any, seats: int, seeds: Any) -> Any:
    if not isinstance(value, tuple) or not hasattr(value, "_fields"):
        raise ValueError(f"must return a NamedTuple of arrays, not {short(value)}")
    for name, array in zip(value._fields, value, strict=True):
        if not isinstance(array, np.ndarray) or array.shape[:1] != (len(seeds),):
            kind = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else short(array)
            raise ValueError(f"must return arrays with the match as first axis ({len(seeds)}); {name} is {kind}")
    return value


def _over(value: Any, state: Any) -> Any:
    return _array(value, np.bool_, (len(state[0]),), "bool[matches]")


def _alive(value: Any, settings: Any, state: Any) -> Any:
    return _array(value, np.bool_, (len(state[0]), None), "bool[matches, agents]")


def _scores(value: Any, settings: Any, state: Any) -> Any:
    array = _array(value, np.float64, (len(state[0]), None), "float64[matches, seats]")
    if not np.isfinite(array).all():
        raise ValueError("must return finite numbers, not NaN or infinity")
    return array


def _agents(value: Any, settings: Any, seats: int) -> Any:
    if not isinstance(value, Agents):
        raise ValueError(f"must return koth.game.Agents, not {short(value)}")
    return value


def _extra_scores(value: Any, settings: Any, state: Any, match: int) -> dict[str, float]:
    found = plain_returns.json_object(value)
    for name, score in found.items():
        if not is_finite(score):
            raise ValueError(f"must return finite numbers by name; {name} is {short(score)}")
    return found


def _frame(value: Any, *_: Any) -> Any:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"must return a dict with texts as keys, not {short(value)}")
    if trouble := frame_trouble(value):
        raise ValueError(f"returned what a replay can't hold: {trouble}")
    return value


def _names(value: Any) -> Any:
    if not isinstance(value, frozenset | set) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"must return a frozenset of names of the state's fields, not {short(value)}")
    return frozenset(value)


def _generator(value: Any) -> Any:
    if not isinstance(value, Generator):
        raise ValueError(f"must be a generator (it has a `yield` for each question), not return {short(value)}")
    return value


def _observations(value: Any, questions: Mapping[str, Question]) -> Observations:
    """Return what a turn yields, if it is as its question declares."""
    if not isinstance(value, Observations):
        raise ValueError(f"must yield Observations (buffers.observations makes them), not {short(value)}")
    if questions.get(value.question.name) is not value.question and value.question not in questions.values():
        raise ValueError(f"yields the question {value.question.name!r:.60}, which `questions` does not declare")
    rows = len(value)
    for name in ("match", "seat", "unit"):
        _row_array(name, getattr(value, name), np.dtype(np.int32), (rows,))
    for name, field in value.question.observation.items():
        if name not in value.boards:
            shape = (None,) if field.ragged else (rows, *field.shape)
            _row_array(name, value.fields.get(name), np.dtype(field.dtype), shape)
    return value


def _row_array(name: str, array: Any, dtype: np.dtype[Any], shape: tuple[int | None, ...]) -> None:
    found = getattr(array, "shape", ())
    fits = isinstance(array, np.ndarray) and array.dtype == dtype and len(found) == len(shape)
    if not fits or any(wanted not in (None, size) for wanted, size in zip(shape, found, strict=True)):
        kind = f"{array.dtype}{list(found)}" if isinstance(array, np.ndarray) else short(array)
        raise ValueError(f"yields {name} as {kind}, declared is {dtype}{[*shape]}")


CHECKS: Mapping[str, Callable[..., Any]] = {
    "questions": _questions,
    "initial_state": _state,
    "match_info": lambda value, *_: plain_returns.json_object(value),
    "over": _over,
    "agents": _agents,
    "alive": _alive,
    "scores": _scores,
    "extra_scores": _extra_scores,
    "frame": _frame,
    "events": lambda value, *_: plain_returns.events(value),
    "scratch": _names,
    "carried": _names,
}
"""The check of what each method returns, given its arguments, too."""
