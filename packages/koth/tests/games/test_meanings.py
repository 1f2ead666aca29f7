"""Meanings of each value in a game's messages, for authors."""

from __future__ import annotations

import pytest

from koth.games import GAMES, load
from koth.protocol.schema import game_schema, match_info_rows, rows_of


@pytest.mark.parametrize("name", GAMES)
def test_every_value_has_a_meaning(name: str) -> None:
    """In `koth docs GAME/messages`, documents and starts; objects are explained by their keys."""
    game = load(name)
    settings, seats = next(iter(game.rulesets.values())), game.seats[0]
    schema = game_schema(game, settings, seats)
    rows = list(match_info_rows(schema))
    for question in game.questions(settings, seats):
        rows += [row[1:] for row in rows_of(schema, question)]
    assert [key for key, values, meaning in rows if not meaning and not values.endswith("an object")] == []
