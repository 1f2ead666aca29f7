"""Calls of the methods that the author of a plain game writes: checked, each mistake in one line."""

from __future__ import annotations

from typing import Any, NoReturn

from koth.engine.guarded import PASSED_ON, game_error, place_of
from koth.engine.plain_data import shorten
from koth.engine.plain_returns import Check
from koth.errors import GameError
from koth.plain.match import Match


class MatchCalls:
    """Calls of the methods of a match of class `kind`, in the game of this name."""

    def __init__(self, game: str, kind: type[Match[Any]]) -> None:
        self.game, self.kind = game, kind

    def call(self, match: Match[Any], method: str, check: Check, *arguments: Any) -> Any:
        """Return what a method returns, converted by `check`.

        Raises GameError, one line that names the turn, the method, its file and line, if the method fails or `check`
        refuses the value.
        """
        try:
            value = getattr(match, method)(*arguments)
        except PASSED_ON:
            raise
        except BaseException as error:
            raise game_error(self.game, method, error, getattr(match, method), match.turn, self.kind) from error
        try:
            return check(value)
        except ValueError as error:
            words = str(error)
            prefix = "" if words.startswith("question") else f"{method}{'' if words.startswith(':') else ' '}"
            self.fail(match, method, prefix + words)
        except Exception as error:  # such as a list that contains itself
            self.fail(match, method, f"{method} returned {shorten(value)}: {type(error).__name__}: {error}")

    def fail(self, match: Match[Any], method: str, words: str) -> NoReturn:
        """Raise GameError with this text about a method."""
        place = place_of(getattr(match, method), self.kind)
        raise GameError(f"the game {self.game}, turn {match.turn}: {' '.join(words.split())}{place}")
