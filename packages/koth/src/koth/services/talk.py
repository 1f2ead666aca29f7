"""The whole talk between koth and a bot of a game, as an example: hello, each question and an answer, bye."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from koth.engine.batch import Batch
from koth.game import Game, no_answers
from koth.protocol.by_name import open_protocol
from koth.session.seats import Seating

MOST_TURNS = 200
"""The number of turns in which `talk_of` looks for questions of every kind."""


class Spoken(NamedTuple):
    """One message of a talk, sent `by_bot` or to it; `what` is hello, ready, bye or a question's name."""

    by_bot: bool
    what: str
    text: str


def talk_of(game: Game, ruleset: str, settings: Any, seats: int, protocol: str) -> Iterator[Spoken]:
    """Yield the messages of a match with the bot in seat 0: the first question of each kind, a right answer, the end.

    All bots answer with the defaults. A text may have several lines; protocols that people don't write have none.
    """
    batch = Batch(game, settings, seats, [1])
    speaker = open_protocol(game, protocol, settings, seats, {})
    names = [f"bot{seat + 1}" for seat in range(seats)]
    info = Seating(batch, names, game.time_control, ruleset).match_info(0, 1)
    yield from _spoken(False, "hello", speaker.hello(info).decode())
    yield from _spoken(True, "ready", speaker.ready)
    left = set(game.questions(settings, seats))
    number = 0
    while (observations := batch.observations) is not None and left and batch.turn < MOST_TURNS:
        own = observations.row_ranges(0).get(0)
        if own is not None:
            number += 1
            rows, name = observations.rows(*own), observations.question.name
            question = speaker.ask(rows)
            if name in left:
                left.remove(name)
                yield from _spoken(False, name, question.decode())
                yield from _spoken(True, name, speaker.example(number, rows))
        batch.answer(no_answers(observations, batch.nobody_gone()))
    yield from _spoken(False, "bye", speaker.bye(batch.scores()).decode())


def _spoken(by_bot: bool, what: str, text: str) -> Iterator[Spoken]:
    if text:
        yield Spoken(by_bot, what, text.rstrip("\n"))
