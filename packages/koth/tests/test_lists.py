"""Answers that are lists, in the same small game as arrays and as a plain object."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import jsonschema
import numpy as np
import orjson
import pytest

import koth
from koth.adapter import bot_adapter
from koth.diagnostics.by_field import answer_lines
from koth.diagnostics.habits import Watch
from koth.diagnostics.rerun import RecordedBot
from koth.encoding import Encoding
from koth.engine.batch import Batch
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.game import FAULTS, Array, Buffers, Constants, Field, Observations, Question, Turn, no_answers, zero_state
from koth.games.defaults import Defaults
from koth.kernel import kernel
from koth.plain import Match, PlainGame
from koth.protocol.bot_protocol import Answer
from koth.protocol.by_name import open_protocol
from koth.protocol.declared import Declared
from koth.protocol.frames import HEADER
from koth.protocol.schema import game_schema, rows_of
from koth.replay.reader import Replay
from koth.replay.verify import verify
from koth.replay.writer import Recording
from koth.testing import LAWS, Case, playthrough
from koth.viewer.person import Person

WAYS, DX, DY = "NESW", np.array([0, 1, 0, -1]), np.array([-1, 0, 1, 0])
MOST = 40


@dataclass(frozen=True)
class Settings(Constants):
    """A square board that wraps."""

    side: int = 4
    turns: int = 6


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """Return the question: a bot paints the square beside each of its places, the next bot paints over it."""
    answer = {
        "colour": Field("u1", high=7),
        "count": Field("<u2", high=MOST),
        "place": Field("u1", (MOST, 2), ragged="count", high=settings.side - 1, doc="x and y"),
        "way": Field("u1", (MOST,), ragged="count", names=WAYS),
    }
    return {"paint": Question("paint", {"turn": Field("<i4", low=0)}, answer, max_rows=seats)}


class State(NamedTuple):
    """M matches of K bots."""

    turn: Annotated[Array, "int32[M]"]
    over: Annotated[Array, "bool[M]"]
    score: Annotated[Array, "int32[M, K]"]
    alive: Annotated[Array, "bool[M, K]"]
    board: Annotated[Array, "uint8[M, side, side]"]


@kernel
def paint(s: State, match: Array, seat: Array, count: Array, place: Array, way: Array) -> None:
    side = s.board.shape[1]
    for row in range(match.size):
        for i in range(count[row]):
            to = min(way[row, i], 3)
            x, y = (place[row, i, 0] + DX[to]) % side, (place[row, i, 1] + DY[to]) % side
            s.board[match[row], y, x] = seat[row] + 1
            s.score[match[row], seat[row]] += 1


class ArrayGame(Defaults):
    name = title = "painters"
    seats = range(2, 5)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    default_entrants = ()
    dice = False
    questions = staticmethod(questions)

    def initial_state(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        state = zero_state(State, M=len(seeds), K=seats, side=settings.side)
        state.alive[:] = True
        return state

    def turn(self, settings: Settings, state: State, buffers: Buffers) -> Turn:
        index, seen = buffers.arrays("paint")
        rows = [(m, seat) for m in np.flatnonzero(~state.over) for seat in range(state.score.shape[1])]
        for row, (m, seat) in enumerate(rows):
            index.match[row], index.seat[row], seen.turn[row] = m, seat, state.turn[m]
        observations = buffers.observations("paint", len(rows))
        answers = yield observations
        paint(state, observations.match, observations.seat, *(answers[name] for name in ("count", "place", "way")))
        state.turn[~state.over] += 1
        state.over[:] = state.turn >= settings.turns


class Painters(Match[Settings]):
    score: list[int]
    canvas: list[int]
    said: list[list[list[int]]]

    def reset(self) -> None:
        self.score, self.canvas = [0] * self.seats, [0] * self.settings.side**2
        self.said = []

    def observe(self, seat: int) -> dict[str, Any]:
        return {"turn": self.turn}

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        side, self.said = self.settings.side, []
        for seat, action in actions.items():
            assert len(action["place"]) == len(action["way"]) == action["count"]
            self.said.append(action["place"])
            for (x, y), letter in zip(action["place"], action["way"], strict=True):
                to = WAYS.index(letter)
                x, y = (x + int(DX[to])) % side, (y + int(DY[to])) % side
                self.canvas[y * side + x] = seat + 1
                self.score[seat] += 1

    def is_over(self) -> bool:
        return self.turn >= self.settings.turns


class ObjectGame(PlainGame):
    name = title = "painters"
    seats = range(2, 5)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    default_entrants = ()
    dice = False
    match = Painters
    questions = staticmethod(questions)


GAMES: list[Any] = [ArrayGame(), ObjectGame()]
QUESTION = questions(Settings(), 2)["paint"]
RIGHT = {"colour": 3, "place": [[1, 1], [3, 0], [2, 3]], "way": "NEW"}
both = pytest.mark.parametrize("game", GAMES, ids=["arrays", "plain"])


@both
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_laws_hold_with_answers_that_are_lists(game: Any, law: Any) -> None:
    law(Case(game, Settings(), 3))


def decoded(game: Any, name: str, observations: Observations, message: bytes) -> Answer:
    """Return what koth reads of the first bot's message in a protocol."""
    protocol = open_protocol(game, name, Settings(), 2, {})
    protocol.hello({})
    protocol.ask(observations.rows(0, 1))
    answer = protocol.decode(message)
    assert isinstance(answer, Answer)
    return answer


def frame(observations: Observations, **fields: Any) -> bytes:
    """Return the frame of a bot that leaves garbage behind its lists."""
    protocol = open_protocol(GAMES[0], "frames", Settings(), 2, {})
    (spec,) = json.loads(protocol.hello({})[HEADER.size :])["questions"]
    assert [field[4:] for field in spec["answer"]] == [[], [], ["count"], ["count"]]
    out = bot_adapter.make_answer_buffers(spec, 1)
    for name, buffer in out.items():
        spec_of = QUESTION.answer[name]
        array = np.frombuffer(buffer, spec_of.dtype).reshape(spec_of.shape)
        if spec_of.ragged:
            array[...] = 255
            array[: len(fields[name])] = fields[name]
        else:
            array[...] = fields[name]
    data = b"".join([*out.values(), b"\0"])
    return HEADER.pack(len(data), 1, 1, 0, 1) + data


def answers_of(game: Any, batch: Batch) -> dict[str, Answer]:
    """Return the same answer as it comes over each protocol."""
    observations, codes = batch.observations, [WAYS.index(letter) for letter in "NEW"]
    said = json.dumps(RIGHT)
    return {
        "json": decoded(game, "json", observations, f'{{"ask": 1, {said[1:]}'.encode()),
        "python": decoded(game, "python", observations, f'{{"ask": 1, "returned": {said}}}'.encode()),
        "frames": decoded(game, "frames", observations, frame(observations, **{**RIGHT, "count": 3, "way": codes})),
    }


def played(game: Any, path: Path, answer: Answer) -> Batch:
    """Record a match in which the first bot always gives this answer, the other none."""
    batch = Batch(game, Settings(), 2, [Secret(bytes(32)).key(1).dice])
    header = {"game": "painters", "version": game.version, "ruleset": "standard", "settings": {}, "match": 1}
    recording = Recording(path, {**header, "bots": [{"name": "one"}, {"name": "two"}]}, batch)
    batch.on_turn = recording.record_turn
    while batch.observations is not None:
        answers = no_answers(batch.observations, batch.nobody_gone())
        answer.write(answers, 0, (0, 1))
        recording.record_question(batch.observations, answers)
        batch.answer(answers)
    recording.finish(Secret(bytes(32)).key(1))
    return batch


@both
def test_a_list_is_the_same_over_every_protocol_and_in_both_forms(game: Any, tmp_path: Path) -> None:
    for name, answer in answers_of(game, Batch(game, Settings(), 2, [1])).items():
        assert not answer.has_faults, (name, answer.errors)
        assert answer.fields["place"][0, :4].tolist() == [*RIGHT["place"], [0, 0]], name
        path = tmp_path / f"{name}.jsonl.gz"
        batch = played(game, path, answer)
        frame = game.frame(Settings(), batch.state, 0)
        squares = frame["canvas"] if "canvas" in frame else batch.state.board[0].ravel().tolist()
        assert [int(square) for square in squares] == [1, 1, *[0] * 11, 1, 0, 0][:16], name
        assert frame["score"] == [18, 0], name
        replay = Replay(path)
        (question,) = next(turn for turn in replay.turns() if turn.turn == 1).questions
        assert orjson.dumps(question["a"]).decode() == (
            '{"colour":[3,0],"count":[3,0],"place":[[[1,1],[3,0],[2,3]],[]],"way":[[0,1,3],[]]}'
        )
        assert verify(game, replay, Settings()) is None


PLACE = "a list of 2, each a whole number in 0..3"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"place": [[0, 0]] * 41}, "place has 41 items, at most 40 are allowed"),
        ({"place": [[0, 0], [4, 0], [0, 0]]}, f"place[1] must be {PLACE}, not 4"),
        ({"place": [[0, 0], [1], [0, 0]]}, f"place[1] must be {PLACE}, not [1]"),
        ({"place": [0, 0, 0]}, f"place[0] must be {PLACE}, not 0"),
        ({"place": {"0": [1, 1]}}, f"place must be a list of at most 40, each {PLACE}, not {{'0': [1, 1]}}"),
        ({"place": None}, f"place must be a list of at most 40, each {PLACE}, not None"),
        ({"way": "NEX"}, "'X' is not a way[2]; use one of N, E, S, W"),
        ({"way": ["N", "E", 0]}, "0 is not a way[2]; use one of N, E, S, W"),
        ({"way": 7}, "way must be a text of at most 40 of the letters NESW, not 7"),
        ({"way": "NE"}, "place has 3 items and way 2: they must be equally long"),
        ({"way": "", "place": []}, ""),
        ({"way": [], "place": [], "count": 9}, ""),
        ({"way": ["n", " E", "W"]}, ""),
    ],
)
def test_a_wrong_list_is_said_in_words_that_name_its_item(change: dict[str, Any], words: str) -> None:
    observations = Batch(GAMES[0], Settings(), 2, [1]).observations
    said = {**RIGHT, **change}
    answer = decoded(GAMES[0], "json", observations, json.dumps({"ask": 1, **said}).encode())
    assert answer.errors == ([(0, words)] if words else [])
    assert FAULTS[answer.fault[0]] == ("illegal" if words else "none")
    items = 0 if words else len(said["place"])
    assert (answer.fields["count"].tolist(), answer.fields["place"][0, items:].any()) == ([items], False)


def test_a_list_that_is_missing_and_lists_of_several_units() -> None:
    one = Batch(GAMES[0], Settings(), 2, [1]).observations
    answer = decoded(GAMES[0], "json", one, b'{"ask": 1, "colour": 1, "way": "N"}')
    assert (FAULTS[answer.fault[0]], answer.errors) == ("missing", [(0, "there is no place")])
    with pytest.raises(ValueError, match=r'^an answer must have a "colour" or a "place" or a "way"$'):
        Declared().decode({}, one, {"count": 2})
    two = Observations(replace(QUESTION, units="body"), one.match, one.match, np.array([0, 1], np.int32), one.fields)
    message = {name: {"0": value, "1": value} for name, value in RIGHT.items()}
    message["way"]["1"] = "N"
    answer = Declared().decode({}, two, message)
    assert answer.errors == [(1, "body 1: place has 3 items and way 1: they must be equally long")]
    assert answer.fields["count"].tolist() == [3, 0]
    fields = {name: values[[0, 0]] for name, values in answer.fields.items()}
    assert Declared().encode({}, two, fields) == {name: {"0": value, "1": value} for name, value in RIGHT.items()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": 41}, "count must be a whole number in 0..40, not 41"),
        ({"way": [0, 9]}, "way[1] must be one of N, E, S, W, not 9"),
        ({"place": [[0, 0], [0, 9]]}, f"place[1] must be {PLACE}, not [0, 9]"),
    ],
)
def test_a_wrong_list_in_a_frame(change: dict[str, Any], words: str) -> None:
    observations = Batch(GAMES[0], Settings(), 2, [1]).observations
    right = {"colour": 0, "count": 2, "place": [[1, 1], [3, 0]], "way": [0, 1]}
    answer = decoded(GAMES[0], "frames", observations, frame(observations, **{**right, **change}))
    assert answer.errors == [(0, words)]
    assert answer.fields["count"].tolist() == [0]


def test_rules_get_a_count_within_its_bounds_and_the_default_beyond_it() -> None:
    """Whoever answers for a bot: a kernel would read what an earlier answer has left."""
    batches = [Batch(GAMES[0], Settings(), 2, [1]) for _ in range(2)]
    for batch, count in zip(batches, (MOST, 60_000), strict=True):
        answers = no_answers(batch.observations, batch.nobody_gone())
        answers.fields["count"][0] = count
        batch.answer(answers)
    assert batches[0].state.score.tolist() == batches[1].state.score.tolist() == [[MOST, 0]]
    fields = QUESTION.cut_lists({**answers.fields, "count": np.array([2, 0], np.uint16), "way": answers["way"] + 3})
    assert fields["way"][:, :4].tolist() == [[3, 3, 0, 0], [0, 0, 0, 0]]


def test_lists_in_words_and_in_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES[0]
    schema = game_schema(game, Settings(), 2)
    assert [row[1:] for row in rows_of(schema, "paint") if row[0] == "answer"] == [
        ("colour", "a whole number in 0..7", ""),
        ("place", "a list of at most 40, each a list of 2, each a whole number in 0..3", "x and y"),
        ("way", "a text of at most 40 of the letters NESW", "as long as place"),
    ]
    answer = {"ask": 1, **RIGHT}
    jsonschema.validate(answer, schema)
    for wrong in ({"place": [[0, 0]] * 41}, {"way": "N" * 41}, {"place": [[0, 4]]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**answer, **wrong}, {**schema, "anyOf": [{"$ref": "#/$defs/paint.answer"}]})
    batch = Batch(game, Settings(), 2, [1])
    said = answers_of(game, batch)["json"].fields
    one = batch.observations.rows(0, 1)
    assert answer_lines(one, said, {}) == ["colour 3, place [[1, 1], [3, 0], [2, 3]], way NEW"]
    monkeypatch.setattr("koth.diagnostics.habits.find_module", lambda game, name: None)
    watch, full = Watch(game, Settings(), RecordedBot()), {**said, "count": np.array([MOST], np.uint16)}
    one.question = replace(QUESTION, answer={key: QUESTION.answer[key] for key in ("count", "place", "way")})
    for _ in range(20):
        watch.take(one, full, np.zeros(1, np.uint8), {})
    places = f"[[1, 1], [3, 0], [2, 3]{', [0, 0]' * MOST}"
    assert watch.remarks()[0].startswith(f"all its 20 answers were the same (place: {places[:100]}), whatever")
    assert " count=2 place=4,1,10,2 way=" in playthrough(Case(game, Settings(), 2))


def test_a_person_answers_with_lists() -> None:
    game, batch = GAMES[1], Batch(GAMES[1], Settings(), 2, [1])
    person = Person("you", open_protocol(game, "json", Settings(), 2, {}), game.frame_spec)
    person.receive(b'{"ready": true}')
    person.seat(game, Settings(), 2, {"seat": 0})
    one = batch.observations.rows(0, 1)
    person.put(one, batch)
    person.receive(json.dumps({"ask": 1, **RIGHT}).encode())
    answer = person.answer(one, 1)
    assert (answer.errors, answer.fields["count"].tolist(), answer.fields["way"][0, :3].tolist()) == (
        [],
        [3],
        [0, 1, 3],
    )


def test_learning_refuses_a_list() -> None:
    with pytest.raises(
        KothError, match=r"^paint\.place is a list, and an agent has a fixed number of actions: write "
    ):
        Encoding({}, {"paint": QUESTION}, 1)


REWRITE = """
import {{answersOf}} from "{answers}";
const match = {{answers: {header}}};
const asked = [{{question: "paint", rows: [[0, 0], [1, 0]], answers: {said}}}];
console.log(JSON.stringify(answersOf(asked, {{}}, match)));
"""


@pytest.mark.needs("node")
def test_pages_show_lists_in_words(tmp_path: Path) -> None:
    game = GAMES[0]
    played(game, path := tmp_path / "match.jsonl.gz", answers_of(game, Batch(game, Settings(), 2, [1]))["json"])
    replay = Replay(path)
    said = next(turn for turn in replay.turns() if turn.turn == 1).questions[0]["a"]
    static = Path(koth.__file__).parent / "viewer" / "static" / "answers.js"
    header = {name: json.dumps(value) for name, value in {"header": replay.header["answers"], "said": said}.items()}
    (tmp_path / "page.mjs").write_text(REWRITE.format(answers=static, **header))
    done = subprocess.run(["node", "page.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        {"seat": 0, "words": [["colour 3, place [[1, 1], [3, 0], [2, 3]], way [N, E, W]", 1]]},
        {"seat": 1, "words": [["colour 0, place [], way []", 1]]},
    ]
