"""JSON as a question's declaration has it: both ways, in words, and as a schema."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, cast

import jsonschema
import numpy as np
import pytest

from koth.diagnostics.by_field import flat_fields, observation_text
from koth.engine.batch import Batch
from koth.game import FAULTS, Constants, Field, Game, Observations, Question, TimeControl, no_answers
from koth.games import GAMES, load
from koth.games.defaults import Defaults
from koth.protocol.bot_protocol import Answer, JsonProtocol
from koth.protocol.declared import Declared
from koth.protocol.encoded_rows import EncodedRows
from koth.protocol.schema import game_schema, match_info_rows, rows_of
from koth.protocol.shapes import describe_values, field_schema
from koth.session.seats import Seating

MOVES = ("up", "down", "left", "right")
ONE = Question(
    "go",
    observation={
        "window": Field("u1", (2, 3), names=".#oA"),
        "health": Field("<i2", low=0, high=100, doc="what is left"),
        "count": Field("<i4"),
        "path": Field("u1", ragged="count", names=MOVES),
        "fog": Field("?"),
    },
    answer={
        "move": Field("u1", default=2, names=MOVES),
        "weights": Field("<f4", (2,), low=0, high=1),
        "loud": Field("?"),
        "steps": Field("i1", default=1, low=1, high=5),
    },
    max_rows=2,
)
SEVERAL = replace(ONE, units="health")


def asked(question: Question, rows: int) -> Observations:
    observation = {
        "window": np.array([[[0, 1, 2], [3, 0, 0]], [[1, 1, 1], [0, 0, 3]]], np.uint8)[:rows],
        "health": np.array([90, 7], np.int16)[:rows],
        "count": np.array([2, 1], np.int32)[:rows],
        "path": np.array([0, 3, 1], np.uint8)[: 3 if rows == 2 else 2],
        "fog": np.array([True, False])[:rows],
    }
    zeros = np.zeros(rows, np.int32)
    return Observations(question, zeros, zeros, np.arange(rows, dtype=np.int32), observation)


def heard(question: Question, rows: int, **message: Any) -> Answer:
    return Declared().decode({}, asked(question, rows), message)


def row(answer: Answer, number: int) -> list[Any]:
    return [answer.fields[name][number].tolist() for name in ONE.answer]


RIGHT = {"move": "up", "weights": [0, 0.5], "loud": True, "steps": 5}
SILENT = [2, [0, 0], False, 1]


def test_one_unit_has_a_key_for_each_field() -> None:
    assert Declared().ask({}, asked(ONE, 1)) == {
        "window": [".#o", "A.."],
        "health": 90,
        "count": 2,
        "path": ["up", "right"],
        "fog": True,
    }


def test_json_of_a_board_is_made_for_all_bots_as_for_each() -> None:
    board = np.arange(400, dtype=np.uint8).reshape(20, 20) % 4
    question = Question("go", {"board": Field("u1", (20, 20), names=".#oA")}, {"move": Field("u1")}, max_rows=3)
    rows = np.arange(3, dtype=np.int32)
    boards = np.stack([board, board, 3 - board])
    encoded = EncodedRows(Observations(question, 0 * rows, rows, 0 * rows, {"board": boards}))
    bots = [Declared().ask({}, encoded.rows(seat, seat + 1))["board"] for seat in range(3)]
    assert bots == [Declared().ask({}, one)["board"] for _, one in encoded.observations.of_match(0)]
    assert (bots[0], bots[2][0]) == (bots[1], "Ao#." * 5)


def test_several_units_are_listed_by_number() -> None:
    told = Declared().ask({}, asked(SEVERAL, 2))["bodies"]
    assert [unit["body"] for unit in told] == [90, 7]
    assert [unit["window"] for unit in told] == [[".#o", "A.."], ["###", "..A"]]
    assert [unit["path"] for unit in told] == [["up", "right"], ["down"]]


def test_an_answer_is_read_by_its_names() -> None:
    answer = heard(ONE, 1, **RIGHT)
    assert (row(answer, 0), answer.errors) == ([0, [0, 0.5], True, 5], [])
    assert row(heard(ONE, 1, **{**RIGHT, "move": " UP "}), 0)[0] == 0, "the case of letters does not matter"


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"move": "north"}, "illegal", "'north' is not a move; use one of up, down, left, right"),
        ({"move": 0}, "illegal", "0 is not a move; use one of up, down, left, right"),
        ({"weights": [0]}, "illegal", "weights must be a list of 2, each a number in 0..1, not [0]"),
        ({"weights": [0, 2]}, "illegal", "weights must be a list of 2, each a number in 0..1, not 2"),
        ({"loud": 1}, "illegal", "loud must be true or false, not 1"),
        ({"steps": 6}, "illegal", "steps must be a whole number in 1..5, not 6"),
        ({"steps": 1.5}, "illegal", "steps must be a whole number in 1..5, not 1.5"),
        ({"steps": True}, "illegal", "steps must be a whole number in 1..5, not True"),
    ],
)
def test_what_is_wrong_is_said_in_words_and_nothing_of_it_counts(change: Any, kind: str, words: str) -> None:
    answer = heard(ONE, 1, **{**RIGHT, **change})
    assert [FAULTS[code] for code in answer.fault.tolist()] == [kind]
    assert answer.errors == [(0, words)]
    assert row(answer, 0) == SILENT


def test_a_missing_field_is_missing_and_no_field_at_all_is_garbage() -> None:
    answer = heard(ONE, 1, move="up")
    assert [FAULTS[code] for code in answer.fault.tolist()] == ["missing"]
    assert answer.errors == [(0, "there is no weights and no loud and no steps")]
    both = heard(ONE, 1, move="nowhere", weights=[0, 1], loud=True)
    assert [kind for kind, _ in both.row_faults()] == ["illegal", "missing"], "each text has its own kind"
    assert row(answer, 0) == SILENT
    with pytest.raises(ValueError, match='an answer must have a "move" or a "weights"'):
        heard(ONE, 1, mvoe="up")


@pytest.mark.parametrize("board", [" # ", [" ", "#", " "]])
def test_a_letter_may_be_a_space(board: Any) -> None:
    question = replace(ONE, answer={"board": Field("u1", (3,), names=" #"), "move": Field("u1", names=MOVES)})
    answer = heard(question, 1, board=board, move=" UP ")
    assert (answer.fields["board"].tolist(), answer.errors) == ([[0, 1, 0]], [])


def test_several_bodies_answer_by_number() -> None:
    message = {name: {"90": value, "7": value} for name, value in RIGHT.items()}
    message["move"] = {"90": "down", "8": "up"}
    message["loud"] = {"90": True, "7": False, "8": True}
    answer = heard(SEVERAL, 2, **message)
    assert [FAULTS[code] for code in answer.fault.tolist()] == ["none", "missing"]
    assert (row(answer, 0)[0], row(answer, 1)) == (1, SILENT)
    assert answer.errors == [(1, "no move for body 7"), (-1, "there was no question about body 8")]
    with pytest.raises(ValueError, match='"move" must be an object'):
        heard(SEVERAL, 2, move="up")


@pytest.mark.parametrize(("question", "rows"), [(ONE, 1), (SEVERAL, 2)])
def test_the_example_is_right_and_the_schema_agrees(question: Question, rows: int) -> None:
    codec, observations = Declared(), asked(question, rows)
    example = codec.example({}, observations)
    answer = codec.decode({}, observations, example)
    assert answer.errors == []
    assert row(answer, 0) == SILENT
    shown, said = codec.schema(question)
    for properties, message in ((shown, codec.ask({}, observations)), (said, example)):
        jsonschema.validate(message, {"properties": properties, "required": list(properties)})
    for wrong in ({"move": "north"}, {"steps": 6}, {"weights": [1]}, {"loud": 0}):
        if question is ONE:
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(wrong, {"properties": said})


@dataclass(frozen=True)
class Numbers(Constants):
    """Settings of a game."""

    side: int = 11
    """Squares on each side
    of the board."""
    turns: int = 500

    def __post_init__(self) -> None:
        self.within(side=(7, 25), turns=(1, 1_000_000))


def test_settings_have_ranges_and_meanings_in_the_schema() -> None:
    game = load("pacman")
    schema = game_schema(game, game.rulesets["published"], 2)
    told = {key: (values, doc) for key, values, doc in match_info_rows(schema)}
    assert told["turns"] == ("a whole number in 1..1000000", "Turns after which a match ends")
    assert told["side"][0] == "a whole number", "the match info's own, which is not a setting"
    assert Numbers().ranges == {"side": (7, 25), "turns": (1, 1_000_000)}
    assert Numbers.meanings() == {"side": "Squares on each side\nof the board"}


def test_people_read_it_field_by_field() -> None:
    assert observation_text(asked(SEVERAL, 2), 1) == [
        "unit 7", "window:", "  # # #", "  . . A", "health: 7", "count: 1", "path: down", "fog: False",
    ]  # fmt: skip
    told = {name: describe_values(field_schema(spec)) for name, spec in {**ONE.answer, **ONE.observation}.items()}
    assert told["move"] == "one of up, down, left, right"
    assert told["window"] == "a list of 2, each a text of 3 of the letters .#oA"
    assert told["health"] == "a whole number in 0..100"
    assert describe_values(field_schema(Field("f4", high=2.5))) == "a number up to 2.5"


def test_people_read_which_moves_are_legal_by_their_names() -> None:
    game = load("pacman")
    observations = Batch(game, game.rulesets["published"], seats=2, seeds=[1]).observations
    legal = [name for name, is_legal in zip("NESWX", observations.fields["free"][0], strict=True) if is_legal]
    assert flat_fields(observations, 0) == f"free {' '.join(legal)}"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"dtype": "f4", "names": "ab"}, "names are for integer fields"),
        ({"dtype": "u1", "names": "ab", "high": 1}, "names are for integer fields"),
        ({"dtype": "u1", "names": "aa"}, "names must differ"),
        ({"dtype": "u1", "low": 0, "high": 256}, "can't hold 0 to 256"),
    ],
)
def test_a_declaration_that_can_not_be_is_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Field(**arguments)
    with pytest.raises(ValueError, match="the default of steps must be in 1 to 5"):
        replace(ONE, answer={"steps": Field("u1", low=1, high=5)})


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_message_of_a_game_matches_its_schema(name: str) -> None:
    game = load(name)
    settings = next(iter(game.rulesets.values()))
    seats = game.contest_defaults.seats or max(2, game.seats.start)
    schema = json.loads(json.dumps(game_schema(game, settings, seats)))
    jsonschema.Draft202012Validator.check_schema(schema)
    message = {part: {**schema, "anyOf": [{"$ref": f"#/$defs/{part}"}]} for part in ("to-bot", "from-bot")}
    batch = Batch(game, settings, seats, [5])
    match_info = Seating(batch, [f"bot {k}" for k in range(seats)], TimeControl()).match_info(0, 5)
    protocol = game.protocols["json"](settings, seats)
    assert isinstance(protocol, JsonProtocol)
    jsonschema.validate(json.loads(protocol.hello(match_info)), message["to-bot"])
    seen = set()
    while batch.observations is not None and batch.turn < 6:
        for seat, observations in batch.observations.of_match(0):
            if seat == 0:
                told = json.loads(protocol.ask(observations))
                jsonschema.validate(told, message["to-bot"])
                right = json.loads(protocol.example(told["ask"], observations))
                jsonschema.validate(right, {**schema, "anyOf": [{"$ref": f"#/$defs/{told['question']}.answer"}]})
                seen.add(told["question"])
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    assert seen == set(game.questions(settings, seats))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"ask": 1, "question": next(iter(seen))}, message["to-bot"])
    jsonschema.validate(json.loads(protocol.bye([])), message["to-bot"])


def test_a_schema_of_a_number_has_the_bounds_of_its_dtype() -> None:
    assert field_schema(Field("u1")) == {"type": "integer", "minimum": 0, "maximum": 255}
    assert field_schema(Field("<f4", low=0)) == {"type": "number", "minimum": 0}


def test_a_schema_for_every_number_of_bots_is_true_for_each() -> None:
    class Auction(Defaults):
        seats = range(1, 4)
        name = title = "auction"

        def initial_state(self, settings: Any, seats: int, seeds: Any) -> Any:
            return None

        def match_info(self, settings: Any, state: Any, match: int, seat: int) -> dict[str, Any]:
            return {}

        def questions(self, settings: Any, seats: int) -> Any:
            observation = {
                "bidder": Field("i1", low=-1, high=seats - 1),
                "bids": Field("<i4", (seats,), low=10 - seats),
                "shown": Field("u1", (2, seats), names=".#"),
            }
            answer = {"to": Field("u1", names=("a", "b", "c", "d")[: seats + 1]), "bid": Field("u1", high=9)}
            return {"bid": Question("bid", observation, answer, max_rows=seats)}

    game, settings = cast(Game, Auction()), None
    schema = game_schema(game, settings, None)
    assert [(key, values) for _, key, values, _ in rows_of(schema, "bid")] == [
        ("bidder", "a whole number in -1..2"),
        ("bids", "a list of 1 to 3, each a whole number from 7 on"),
        ("shown", "a list of 2, each a text of 1 to 3 of the letters .#"),
        ("to", "one of a, b, c, d"),
        ("bid", "a whole number in 0..9"),
    ]
    jsonschema.Draft202012Validator.check_schema(schema)
    for seats in game.seats:
        row = {"bidder": seats - 1, "bids": [10 - seats] * seats, "shown": ["#" * seats] * 2}
        told = {"ask": 1, "question": "bid", **row}
        jsonschema.validate(told, schema)
        jsonschema.validate(told, game_schema(game, settings, seats))


def test_a_schema_in_words() -> None:
    """The tables of the pages and of `koth docs GAME/messages` are made from these texts."""
    game = load("zombies")
    schema = game_schema(game, next(iter(game.rulesets.values())), 2)
    rows = list(rows_of(schema, "act"))
    assert ("shown", "players[].number", "a whole number from 0 on", "its own number") in rows
    (answer,) = [row for row in rows if row[0] == "answer"]
    assert answer[1:3] == (
        "moves",
        "an object, by number: one of NORTHWEST, NORTH, NORTHEAST, EAST, STAY, WEST, SOUTHEAST, SOUTH, SOUTHWEST, "
        "or an object with shoot",
    )
    assert not {"ask", "question", "left"} & {key for _, key, _, _ in rows}
    schema["$defs"]["act.answer"]["properties"]["left"] = {"type": "boolean"}
    assert [key for part, key, _, _ in rows_of(schema, "act") if part == "answer"] == ["moves", "left"]
    texts = {"type": "array", "items": field_schema(Field("u1", (3,), names=".#")), "minItems": 2}
    assert describe_values(texts) == "a list of 2, each a text of 3 of the letters .#"
    assert describe_values({"type": "number", "minimum": 0, "maximum": 1}) == "a number in 0..1"
