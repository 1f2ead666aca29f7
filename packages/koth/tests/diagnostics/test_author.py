"""Views for authors: every game's eyes, and examples of answers that really are without a fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from koth.diagnostics import by_field
from koth.engine.batch import Batch
from koth.game import Array, Observations, TimeControl, no_answers
from koth.games import GAMES, find_module, load
from koth.games.board_text import board_text
from koth.protocol.bot_protocol import Answer
from koth.protocol.frames import FramesProtocol
from koth.question import default_answers
from koth.session.seats import Seating


def drawn(observations: Observations, random: np.random.Generator) -> dict[str, Array]:
    """Return answers whose whole numbers are drawn from their bounds; from 0 to 11 where none are declared."""
    fields = default_answers(observations.question, len(observations))
    for name, spec in observations.question.answer.items():
        low, high = spec.bounds if spec.bounded else (max(0, spec.bounds[0]), 11)
        fields[name][...] = random.integers(int(low), int(high), fields[name].shape, endpoint=True)
    return fields


def questions(name: str, turns: int = 12) -> Any:
    """The first questions of a match: the game, its settings, facts of seat 0, what it is asked, and the state."""
    game = load(name)
    settings = next(iter(game.rulesets.values()))
    seats = game.contest_defaults.seats or max(2, game.seats.start)
    batch = Batch(game, settings, seats, [5])
    names = [f"bot {seat}" for seat in range(seats)]
    match_info = Seating(batch, names, TimeControl()).match_info(0, 7)
    while batch.observations is not None and batch.turn < turns:
        for seat, observations in batch.observations.of_match(0):
            if seat == 0:
                yield game, settings, seats, match_info, observations, batch.state
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))


@pytest.mark.parametrize("name", GAMES)
def test_examples_and_what_is_shown_of_answers_are_read_as_answers_in_every_protocol(name: str) -> None:
    seen: set[str] = set()
    random = np.random.default_rng(1)
    for game, settings, seats, match_info, observations, _ in questions(name):
        for protocol, factory in game.protocols.items():
            protocol = factory(settings, seats)
            protocol.hello(match_info)
            protocol.ask(observations)
            line = protocol.example(1, observations)
            heard = protocol.decode(line.encode())
            assert isinstance(heard, Answer), (protocol, heard)
            assert not heard.fault.any(), heard.errors
            assert heard.errors == []
            fields = drawn(observations, random) if observations.question.name != "points" else heard.fields
            line = protocol.encode_answer(1, observations, fields)
            again = factory(settings, seats)
            again.hello(match_info)
            again.ask(observations)
            heard = again.decode(line.encode())
            assert isinstance(heard, Answer), (protocol, line)
            assert heard.errors == [], line
            assert (
                protocol.encode_answer(1, observations, heard.fields) == line
            )  # what is shown of an answer is read as that answer
        seen.add(observations.question.name)
    assert "frames" not in load(name).protocols
    assert FramesProtocol(load(name).questions(settings, seats)).example(1, observations) == ""
    assert seen


@pytest.mark.parametrize("name", GAMES)
def test_what_classes_see_and_return_is_told_in_a_line_for_each_body(name: str) -> None:
    """In words of their own, that change with what there was: never the JSON of the protocol."""
    seen: set[str] = set()
    returned: set[str] = set()
    random = np.random.default_rng(1)
    for game, _, _, match_info, observations, _ in questions(name, turns=3):
        author = find_module(game, "author")
        whose, saw, said = (
            getattr(author, word, getattr(by_field, word))
            for word in ("unit_names", "observation_lines", "answer_lines")
        )
        names, lines = (
            whose(observations),
            [*saw(observations, match_info), *said(observations, drawn(observations, random), match_info)],
        )
        assert (len(names), len(lines)) == (len(observations), 2 * len(observations))
        assert len(set(names)) == len(observations), "two bodies of one name"
        assert all(line.isprintable() and '"' not in line for line in lines), lines
        seen |= {*lines[: len(observations)]}
        returned |= {*lines[len(observations) :]}
    assert len(seen) > 1
    assert len(returned) > 1


@pytest.mark.parametrize("name", GAMES)
def test_a_board_through_the_eyes_of_a_bot_is_the_part_that_it_sees(name: str) -> None:
    asked = questions(name, turns=3)
    next(asked)
    game, settings, _, match_info, observations, state = next(asked)
    frame = game.frame(settings, state, 0)
    whole = board_text(game, frame, match_info)
    eyes = [board_text(game, frame, match_info, seat) for seat in (0, 1)]
    assert observations.question.units or eyes[0] != eyes[1], "two bots that are one unit each see the same"
    for lines in eyes:
        assert len(lines) == len(whole)
        pairs = [pair for a, b in zip(lines, whole, strict=True) for pair in zip(a, b, strict=False)]
        assert all(seen in (" ", letter) for seen, letter in pairs)
    if observations.question.units:
        unit = int(observations.unit[0])
        lines = board_text(game, frame, match_info, 0, unit)
        assert 1 < len(lines) <= len(whole)
        assert lines[len(lines) // 2][2 * (len(lines) // 2)] == "A", "it is not in the middle"
