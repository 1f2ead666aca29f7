"""The encoding of a game's matches, chosen by the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.encoding import Encoding
from koth.game import Game
from koth.games import find_module


def encoding_of(game: Game) -> type[Encoding]:
    """Return the class that encodes a game: its own, or the default for its declaration."""
    own = find_module(game, "learn")
    kind: type[Encoding] = Encoding if own is None else own.Encoding
    return kind


def encode(game: Game, settings: Any, seats: int, matches: int, options: Mapping[str, Any]) -> Encoding:
    """Return the encoding for this number of matches and seats. Raises KothError if there is none."""
    match_info = game.match_info(settings, game.initial_state(settings, seats, [0]), 0, 0)
    return encoding_of(game)(match_info, game.questions(settings, seats), matches, **options)


def space_shapes(encoding: Encoding) -> tuple[Any, ...]:
    """Return dtype, shape and bounds of each observation, and all choices, for Gymnasium's spaces."""
    fields = encoding.observations.items()
    return [(name, field.dtype, field.shape, field.bounds) for name, field in fields], encoding.choices
