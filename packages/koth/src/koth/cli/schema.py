"""`koth schema`: the messages between the arena and a bot of a game, as tables or as a JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from koth.cli.screen import make_table, print_table
from koth.engine.settings import choose
from koth.errors import KothError
from koth.game import Question
from koth.games import load
from koth.protocol.schema import game_schema, rows_of
from koth.services.options import RulesOptions


def schema(game: str, options: RulesOptions, seats: int | None, as_json: bool) -> None:
    """Print the fields of a game's questions in tables, or the JSON Schema of its messages."""
    loaded = load(game)
    _, settings = choose(loaded, options.ruleset, options.settings)
    if seats is not None and seats not in loaded.seats:
        raise KothError(f"{game} seats {loaded.seats.start} to {loaded.seats.stop - 1} bots, not {seats}")
    made = game_schema(loaded, settings, seats)
    if as_json:
        click.echo(json.dumps(made, indent=2))
    else:
        _print_tables(made, loaded.questions(settings, loaded.seats.start if seats is None else seats))


def _print_tables(schema: Mapping[str, Any], questions: Mapping[str, Question]) -> None:
    for name, question in questions.items():
        print_table(
            make_table(("", "key", "values", "meaning"), rows_of(schema, name), title=f"{name}: {question.doc}")
        )
