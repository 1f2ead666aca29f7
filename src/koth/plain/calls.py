"""Calls of the methods that the author of a plain game writes: limited in time, checked, each mistake in one line."""

from __future__ import annotations

from types import CoroutineType
from typing import Any, NoReturn

from koth.engine.guarded import describe_error, folder_of, format_sentence, line_of, place_of
from koth.engine.plain_data import shorten
from koth.engine.plain_returns import Check, refuse_coroutine
from koth.errors import GameError, KothError
from koth.plain.cpu_limit import CpuLimit, OverLimit
from koth.plain.match import Match

LIMIT = 60.0
"""Seconds of CPU time that one call of a game's method may take."""


class MatchCalls:
    """Calls of the methods of a match of class `kind`, in the game of this name.

    Every method raises GameError, one line that names the turn, the method, its file and line.
    """

    def __init__(self, game: str, kind: type[Match[Any]]) -> None:
        self.game, self.kind = game, kind

    def call(self, match: Match[Any], method: str, check: Check, *arguments: Any) -> Any:
        """Return what a method returns, converted by `check`.

        Raises GameError if the method fails or does not end, or if `check` refuses the value.
        """
        try:
            with CpuLimit(LIMIT):
                value = getattr(match, method)(*arguments)
        except (KothError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise GameError(
                f"{self._at(match)}{_describe_failure(method, error)}{self._find_place(match, method, error)}"
            ) from error
        try:
            return check(refuse_coroutine(value) if type(value) is CoroutineType else value)
        except ValueError as error:
            words = str(error)
            self.fail(match, method, words if words.startswith("question") else format_sentence(method, words))
        except Exception as error:  # such as a list that contains itself
            self.fail(match, method, f"{method} returned {shorten(value)}: {type(error).__name__}: {error}")

    def fail(self, match: Match[Any], method: str, words: str) -> NoReturn:
        """Raise GameError with this text about a method."""
        raise GameError(f"{self._at(match)}: {' '.join(words.split())}{self._find_place(match, method)}")

    def _find_place(self, match: Match[Any], method: str, error: BaseException | None = None) -> str:
        """Return file and line of a mistake: where the author's code raised an exception, or the method's."""
        raised = "" if error is None else line_of(error, folder_of(self.kind))
        return raised or place_of(getattr(match, method), self.kind)

    def _at(self, match: Match[Any]) -> str:
        return f"the game {self.game}, turn {match.turn}"


def _describe_failure(method: str, error: BaseException) -> str:
    if isinstance(error, OverLimit):
        return f": {method} took more than {LIMIT:g} s of CPU time: look for an endless loop"
    if isinstance(error, NotImplementedError):
        return f": {method} must be written"
    return f", {method}: {describe_error(error)}"
