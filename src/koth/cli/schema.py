"""`koth schema`: what passes between the arena and a bot of a game, as a JSON Schema or as tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import click
from rich.table import Table

from koth.bots.declared import table
from koth.bots.schema import game_schema
from koth.cli.said import overrides
from koth.cli.screen import show
from koth.errors import KothError
from koth.game import Question
from koth.games import load
from koth.settings import choose


def schema(game: str, ruleset: str | None, sets: Sequence[str], seats: int | None, as_table: bool) -> None:
    """The schema of a game's JSON, or the fields of its questions in tables."""
    loaded = load(game)
    _, settings = choose(loaded, ruleset, overrides(sets))
    number = loaded.seats.start if seats is None else seats
    if number not in loaded.seats:
        raise KothError(f"{game} seats {loaded.seats.start} to {loaded.seats.stop - 1} bots, not {number}")
    if as_table:
        _tables(loaded.questions(settings, number))
    else:
        click.echo(json.dumps(game_schema(loaded, settings, number), indent=2))


def _tables(questions: Mapping[str, Question]) -> None:
    """Each question's fields and those of its answer."""
    for name, question in questions.items():
        shown = Table(title=f"{name}: {question.doc}", title_justify="left", header_style="bold")
        for column in ("", "field", "values", "meaning"):
            shown.add_column(column)
        for part, fields in (("shown", question.view), ("answer", question.answer)):
            for row in table(fields):
                shown.add_row(part, *row)
        show(shown)
