"""Games of packages with every method checked: each mistake becomes one line that names file and method.

Packages may bring any object, whose return values go to kernels, replays and bots, where a wrong value would look
like an error of koth. So every method of `koth.game.Game` is called through a `_Guard`.
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
from koth.engine.contract import METHODS, find_frame_problem
from koth.engine.plain_data import shorten
from koth.engine.plain_returns import SCORE_WORDS, is_score
from koth.errors import GameError, KothError, SettingsError
from koth.game import LARGEST_SCORE, Agents, Answers, Game, Observations, Question

KOTH = Path(__file__).resolve().parents[1]
PASSED_ON = (GameError, SettingsError, KeyboardInterrupt)
"""Errors that are passed on unchanged when a game's code raises them."""


def guard(game: Game) -> Game:
    """Return the game with a guard around every method of `koth.game.Game`."""
    found: Any = copy.copy(game)
    for name in METHODS:
        setattr(found, name, _Guard(game.name, name, getattr(found, name)))
    made: Game = found
    return made


class _Guard:
    """One method of a game. Raises GameError for the method's exceptions and for invalid return values."""

    def __init__(self, game: str, name: str, method: Callable[..., Any]) -> None:
        self.game, self.name, self.method = game, name, method
        self.folder = folder_of(type(method.__self__) if hasattr(method, "__self__") else method)
        self.known: Observations | None = None
        """The last question that was checked: a batch reuses the object, and its arrays, for small questions."""

    def __reduce__(self) -> tuple[type[_Guard], tuple[Any, ...]]:
        """Pickle the guard without its last question, which belongs to a batch."""
        return _Guard, (self.game, self.name, self.method)

    def __call__(self, *arguments: Any) -> Any:
        try:
            value = self.method(*arguments)
        except PASSED_ON:
            raise
        except BaseException as error:
            raise self._make_error(error) from error
        if type(value) is CoroutineType:
            self._check(plain_returns.refuse_coroutine, value)
        if self.name in ("turn", "opening"):
            return self._check_turn(value, arguments[-1].questions)
        return self._check(CHECKS[self.name], value, *arguments)

    def _make_error(self, error: BaseException) -> GameError:
        words = str(error) if isinstance(error, KothError) else describe_error(error)
        return GameError(f"the game {self.game}: {words}{line_of(error, self.folder) or place_of(self.method)}")

    def _check(self, check: Callable[..., Any], value: Any, *arguments: Any) -> Any:
        try:
            return check(value, *arguments)
        except Exception as error:
            words = str(error) if type(error) is ValueError else f"returned {shorten(value)}: {describe_error(error)}"
            raise GameError(
                f"the game {self.game}: {format_sentence(self.name, words)}{place_of(self.method)}"
            ) from error

    def _check_turn(self, turn: Any, questions: Mapping[str, Question]) -> Generator[Observations, Answers, None]:
        self._check(_check_generator, turn)
        answers = None
        while True:
            try:
                value = next(turn) if answers is None else turn.send(answers)
            except StopIteration:
                return
            except PASSED_ON:
                raise
            except BaseException as error:
                raise self._make_error(error) from error
            if value is None or value is not self.known:
                self.known = self._check(_check_observations, value, questions)
            answers = yield value


# --- what a mistake is called


def format_sentence(method: str, words: str) -> str:
    """Return a sentence in one line that tells what is wrong with a method's return value."""
    return " ".join(f"{method}{'' if words.startswith(':') else ' '}{words}".split())


def describe_error(error: BaseException) -> str:
    """Return an exception in one line."""
    try:
        text = " ".join(str(error).split())[:300]
    except Exception:  # an author's own exception may have no text
        text = ""
    return f"{type(error).__name__}{': ' if text else ''}{text}"


def folder_of(code: Any) -> Path | None:
    """Return the folder of the module that defines a class or a function; None if the module has no file."""
    file = getattr(sys.modules.get(getattr(code, "__module__", "")), "__file__", None)
    return None if file is None else Path(file).resolve().parent


def line_of(error: BaseException, folder: Path | None) -> str:
    """Return the innermost line of an exception's stack in this folder, in parentheses; empty if there is none."""
    stack = traceback.extract_tb(error.__traceback__)
    own = [at for at in stack if folder in Path(at.filename).resolve().parents]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


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


# --- what methods must return


def _is_array(value: Any, dtype: Any, shape: tuple[int | None, ...]) -> bool:
    """Return whether a value is an array of this dtype and shape (None: an axis of any length)."""
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != len(shape):
        return False
    return all(wanted in (None, size) for wanted, size in zip(shape, value.shape, strict=True))


def _describe(value: Any) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else shorten(value)


def _check_array(value: Any, dtype: type, shape: tuple[int | None, ...], words: str) -> Any:
    if not _is_array(value, dtype, shape):
        raise ValueError(f"must return {words}, not {_describe(value)}")
    return value


def _check_questions(value: Any, settings: Any, seats: int) -> Any:
    if not isinstance(value, Mapping) or not all(isinstance(one, Question) for one in value.values()):
        raise ValueError(f"must return a dict of koth.game.Question by their names, not {shorten(value)}")
    for name, question in value.items():
        if name != question.name:
            raise ValueError(f"has the question {question.name} under another name, {name!r:.60}")
    return value


def _check_state(value: Any, settings: Any, seats: int, seeds: Any) -> Any:
    if not isinstance(value, tuple) or not hasattr(value, "_fields"):
        raise ValueError(f"must return a NamedTuple of arrays, not {shorten(value)}")
    for name, array in zip(value._fields, value, strict=True):
        if not isinstance(array, np.ndarray) or array.shape[:1] != (len(seeds),):
            words = f"must return arrays with the match as first axis ({len(seeds)})"
            raise ValueError(f"{words}; {name} is {_describe(array)}")
    return value


def _check_over(value: Any, state: Any) -> Any:
    return _check_array(value, np.bool_, (len(state[0]),), "bool[matches]")


def _check_alive(value: Any, settings: Any, state: Any) -> Any:
    return _check_array(value, np.bool_, (len(state[0]), None), "bool[matches, agents]")


def _check_scores(value: Any, settings: Any, state: Any) -> Any:
    array = _check_array(value, np.float64, (len(state[0]), None), "float64[matches, seats]")
    wrong = array[~(np.abs(array) <= LARGEST_SCORE)]
    if wrong.size:
        raise ValueError(f"must return {SCORE_WORDS}, not {wrong[0]:g}")
    return array


def _check_agents(value: Any, settings: Any, seats: int) -> Any:
    if not isinstance(value, Agents):
        raise ValueError(f"must return koth.game.Agents, not {shorten(value)}")
    return value


def _check_extra_scores(value: Any, settings: Any, state: Any, match: int) -> dict[str, float]:
    found = plain_returns.check_json_object(value)
    for name, score in found.items():
        if not is_score(score):
            raise ValueError(f"must return {SCORE_WORDS} by name; {name} is {shorten(score)}")
    return found


def _check_frame(value: Any, *_: Any) -> Any:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"must return a dict with texts as keys, not {shorten(value)}")
    if trouble := find_frame_problem(value):
        raise ValueError(f"returned values that a replay can't hold: {trouble}")
    return value


def _check_names(value: Any) -> Any:
    if not isinstance(value, frozenset | set) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"must return a frozenset of names of the state's fields, not {shorten(value)}")
    return frozenset(value)


def _check_generator(value: Any) -> Any:
    if not isinstance(value, Generator):
        raise ValueError(f"must be a generator (it has a `yield` for each question), not return {shorten(value)}")
    return value


def _check_observations(value: Any, questions: Mapping[str, Question]) -> Observations:
    """Return the observations that a turn yields, if the arrays fit the question's declaration."""
    if not isinstance(value, Observations):
        raise ValueError(f"must yield Observations (buffers.observations makes them), not {shorten(value)}")
    if questions.get(value.question.name) is not value.question and value.question not in questions.values():
        raise ValueError(f"yields the question {value.question.name!r:.60}, which `questions` does not declare")
    rows = len(value)
    for name in ("match", "seat", "unit"):
        _check_row_array(name, getattr(value, name), np.dtype(np.int32), (rows,))
    for name, field in value.question.observation.items():
        if name not in value.boards:
            shape = (None,) if field.ragged else (rows, *field.shape)
            _check_row_array(name, value.fields.get(name), np.dtype(field.dtype), shape)
    return value


def _check_row_array(name: str, array: Any, dtype: np.dtype[Any], shape: tuple[int | None, ...]) -> None:
    if not _is_array(array, dtype, shape):
        raise ValueError(f"yields {name} as {_describe(array)}, but it is declared as {dtype}{[*shape]}")


CHECKS: Mapping[str, Callable[..., Any]] = {
    "questions": _check_questions,
    "initial_state": _check_state,
    "match_info": lambda value, *_: plain_returns.check_json_object(value),
    "over": _check_over,
    "agents": _check_agents,
    "alive": _check_alive,
    "scores": _check_scores,
    "extra_scores": _check_extra_scores,
    "frame": _check_frame,
    "events": lambda value, *_: plain_returns.check_events(value),
    "scratch": _check_names,
    "carried": _check_names,
}
"""The check of each method's return value; a check also gets the method's arguments."""
