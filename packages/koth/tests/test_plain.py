"""The plain form of a game: what it plays, what a test of it needs, and a line for each mistake."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.engine.plain_data import plain_type, types_of
from koth.engine.plain_returns import SCORE_WORDS
from koth.game import Answers, Constants, Field, Question, no_answers
from koth.games import GameError, default_glyphs
from koth.plain import Dice, Match, PlainGame
from koth.plain.questions import ObservationReader, actions_of
from koth.replay.reader import Replay
from koth.testing import LAWS, Case, RandomAnswers, Silence
from koth.testing.cases import begin, play, policy_of
from koth.testing.hash_seeds import hash_seeds_do_not_matter
from koth.testing.laws import copies_go_on_alike, other_seeds_other_matches
from koth.testing.pictures import pictures_are_drawn
from koth.testing.replays import record, replays_show_the_match

NAMES = ("ash", "birch", "cedar", "fir", "maple", "oak", "pine", "willow")


@dataclass(frozen=True)
class Settings(Constants):
    turns: int = 8


@dataclass
class Bid:
    seat: int
    amount: int


class Auction(Match[Settings]):
    """Bots bid for a tree; the highest bidder alone is asked for its name, in a turn of its own."""

    score: list[int]
    trees: list[str]
    bids: list[Bid]
    owners: dict[int, str]
    last: tuple[int, str] | None

    def reset(self) -> None:
        self.score = [0] * self.seats
        self.trees = self.dice.shuffled(0, NAMES)
        self.bids, self.owners, self.last = [], {}, None

    def question(self) -> str:
        return "name" if self.bids else "bid"

    def asked(self) -> Collection[int]:
        return [self.bids[0].seat] if self.bids else range(self.seats)

    def observe(self, seat: int) -> dict[str, Any]:
        if self.bids:
            return {"tree": self.trees[0]}
        return {"score": self.score, "bid_seat": [bid.seat for bid in self.bids], "tree": self.trees}

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        if self.bids:
            winner = self.bids.pop(0).seat
            self.owners[winner] = actions[winner]["call"]
            self.last = (winner, self.trees[0])
            self.score[winner] += 1
        else:
            self.trees = self.trees[1:] + self.trees[:1]
            best = max(actions, key=lambda seat: (actions[seat]["amount"], self.dice.integer(1, seat, 100)))
            self.bids = [Bid(best, actions[best]["amount"])]

    def is_over(self) -> bool:
        return self.turn >= self.settings.turns

    def frame(self) -> dict[str, Any]:
        return {"board": [tree.ljust(6, ".") for tree in self.trees]}


class AuctionGame(PlainGame):
    name = "auction"
    title = "Auction"
    seats = range(2, 5)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    default_entrants = ()
    match = Auction

    def questions(self, settings: Settings, seats: int) -> dict[str, Question]:
        seen = {
            "score": Field("<i4", (seats,), low=0, high=settings.turns),
            "bids": Field("u1", low=0, high=1),
            "bid_seat": Field("u1", ragged="bids", low=0, high=seats - 1),
            "tree": Field("u1", (len(NAMES),), names=NAMES),
        }
        bid = Question("bid", seen, {"amount": Field("<i4", low=0, high=9)}, max_rows=seats)
        called = {"call": Field("u1", names=NAMES, default=1)}
        return {"bid": bid, "name": Question("name", {"tree": Field("u1", names=NAMES)}, called, max_rows=1)}


GAME = AuctionGame()
CASE = Case(GAME, Settings(), 3, turns=8)
LAWS_HERE = [law for law in LAWS if law is not hash_seeds_do_not_matter]
"""The law left out takes seconds; a mutant of this game, below, and the examples have it."""


def changed(**methods: Any) -> PlainGame:
    """The game with these methods of its match in place of its own."""
    return type("Changed", (AuctionGame,), {"match": type("Auction", (Auction,), methods)})()


@pytest.mark.parametrize("law", LAWS_HERE, ids=lambda law: law.__name__)
def test_laws_hold_where_questions_have_several_names(law: Any) -> None:
    law(CASE)


def test_matches_of_a_batch_may_be_at_different_questions() -> None:
    """In the order in which questions are declared, rows sorted by match and seat."""
    batch = begin(CASE, [1, 2])
    fresh = GAME.initial_state(Settings(), 3, [5])
    batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    batch.state.data[1], batch.state.turn[1] = fresh.data[0], 0
    batch = Batch.from_state(GAME, Settings(), 3, batch.state)
    asked = []
    for _ in range(2):
        observations = batch.observations
        asked.append((observations.question.name, observations.match.tolist(), len(observations)))
        batch.answer(no_answers(observations, batch.nobody_gone()))
    assert asked == [("bid", [1, 1, 1], 3), ("name", [0], 1)]
    assert batch.state.turn.tolist() == [2, 1]


def test_actions_are_as_declared_whatever_a_bot_says() -> None:
    said: list[Any] = []

    def step(self: Auction, actions: Mapping[int, Mapping[str, Any]]) -> None:
        said.extend((action.get("amount"), action.get("call")) for action in actions.values())
        Auction.step(self, actions)

    case = replace(CASE, game=changed(step=step))
    play(begin(case, [1]), RandomAnswers([1], 3, wild=True), 8, lambda _: None)
    assert {amount for amount, _ in said} <= {None, *range(10)}
    assert {call for _, call in said} <= {None, *NAMES}


def test_a_dead_bot_stays_dead_where_nobody_is_asked() -> None:
    told: list[list[int]] = []
    game = changed(
        question=lambda self: "bid",
        asked=lambda self: [] if self.turn % 2 else [0, 1],
        step=lambda self, actions: told.append(list(self.gone)),
    )
    batch = Batch(game, Settings(), 2, [1])
    batch.max_turns = 4
    gone = np.array([[False, True]])
    while batch.observations is not None:
        batch.answer(no_answers(batch.observations, gone))
        gone = batch.nobody_gone()  # the rules are told once
    assert told == [[1]] * 4


def test_a_rule_can_be_tested_with_a_match_in_the_hand() -> None:
    match = GAME.new_match(Settings(), seats=2, seed=4)
    GAME.play(match, {0: {"amount": 3}, 1: {"amount": 5}})
    assert (match.turn, match.bids) == (1, [Bid(1, 5)])
    GAME.play(match, {1: {"call": "oak"}})
    assert (match.score, match.owners) == ([0, 1], {1: "oak"})


@dataclass
class Courier:
    x: int
    y: int
    seat: int
    load: int


@dataclass
class Parcel:
    x: int
    y: int
    value: int


def test_a_frame_has_lists_of_what_lies_and_moves_on_the_board() -> None:
    class Couriers(Match[Settings]):
        score: list[int]
        parcels: list[Parcel]
        pieces: list[Courier]
        homes: list[Courier]

        def reset(self) -> None:
            self.score, self.parcels = [0], [Parcel(1, 2, 9), Parcel(3, 4, 5)]
            self.pieces, self.homes = [Courier(0, 1, 0, 7)], [Courier(2, 2, 0, 0)]

    made = type("Game", (AuctionGame,), {"match": Couriers})().new_match(Settings(), 1)
    parcels = {"parcels_x": [1, 3], "parcels_y": [2, 4], "parcels_value": [9, 5]}
    pieces = {"x": [0], "y": [1], "seat": [0], "load": [7]}
    homes = {"homes_x": [2], "homes_y": [2], "homes_seat": [0], "homes_load": [0]}
    assert made.frame() == {"score": [0]} | parcels | pieces | homes


def test_the_largest_number_that_is_declared_may_be_answered() -> None:
    """Its nearest float32 is a little larger."""
    question = Question("rate", {}, {"rate": Field("<f4", low=0, high=0.1)}, max_rows=1)
    answers = Answers({"rate": np.array([0.1], np.float32)}, np.zeros(1, np.uint8), np.zeros((1, 1), np.bool_))
    assert actions_of(question, answers) == [{"rate": pytest.approx(0.1)}]


def test_a_replay_has_no_match_info_of_one_bot(tmp_path: Path) -> None:
    game = changed(match_info=lambda match, seat: {"turns": match.settings.turns, "card": seat})
    record(Case(game, Settings(), 3, turns=2), tmp_path / "match.koth.gz", Silence(3))
    assert Replay(tmp_path / "match.koth.gz").header["facts"] == {"turns": Settings().turns}


def test_dice_have_addresses() -> None:
    assert [Dice(7, 1).integer(0, k, 1000) for k in range(3)] == [Dice(7, 1).integer(0, k, 1000) for k in range(3)]
    assert len({Dice(seed, turn).integer(0, 0, 1 << 31) for seed in range(3) for turn in range(3)}) == 9
    assert sorted(Dice(7, 1).shuffled(2, "abcdef")) == list("abcdef")
    assert len({"".join(Dice(seed, 0).shuffled(0, "abc")) for seed in range(99)}) == 6


def test_generators_are_made_anew_and_the_same_on_every_python() -> None:
    """The numbers are as on Python 3.11 to 3.14, whose `random` promises only those of `random()`."""
    made, items = Dice(7, 3).random(2), list(range(10))
    assert [made.random() for _ in range(2)] == [0.01691182054006346, 0.8656062247042152]
    assert [made.randrange(1000) for _ in range(5)] == [141, 973, 636, 841, 481]
    assert (made.randint(1, 6), made.choice("abcdef"), made.sample(range(100), 3)) == (2, "e", [64, 55, 77])
    made.shuffle(items)
    assert items == [1, 7, 5, 4, 8, 9, 0, 2, 3, 6]
    others = [Dice(7, 3).random(3), Dice(7, 4).random(2), Dice(8, 3).random(2)]
    assert [other.getrandbits(64) for other in others] == [
        9021071481789155530,
        15001562346934937019,
        15362359660423327076,
    ]
    dice = Dice(7, 3)
    dice.random(2)
    with pytest.raises(ValueError, match="made twice in a turn"):
        dice.random(2)


class Wheel:
    """An old engine: not plain data, with a set and dice of its own."""

    def __init__(self, dice: Random) -> None:
        self.dice, self.spun = dice, {0}

    def spin(self) -> int:
        self.spun.add(self.dice.randrange(9))
        return len(self.spun)


class Engined(Auction):
    """The auction with an engine, which decides the first seat's score."""

    kept = ("wheel",)
    wheel: Wheel

    def reset(self) -> None:
        super().reset()
        self.wheel = Wheel(self.dice.random(7))

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        super().step(actions)
        self.score[0] = self.wheel.spin() % 8


class EnginedGame(AuctionGame):
    match = Engined


@pytest.mark.parametrize("law", LAWS_HERE, ids=lambda law: law.__name__)
def test_laws_hold_with_an_engine_that_stays(law: Any) -> None:
    law(replace(CASE, game=EnginedGame()))


def test_an_engine_stays_in_memory_and_a_copy_has_its_own() -> None:
    batch = Batch(EnginedGame(), Settings(), 2, [1, 2], copies=True)
    wheels = [kept["wheel"] for kept in batch.state.kept]
    other = batch.copy()
    while batch.observations is not None:
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    assert [kept["wheel"] for kept in batch.state.kept] == wheels
    assert [len(kept["wheel"].spun) for kept in other.state.kept] == [1, 1]
    assert "wheel" not in batch.state.data[0]
    in_hand = EnginedGame().new_match(Settings(), 2)
    EnginedGame().play(in_hand, {0: {"amount": 3}, 1: {"amount": 5}})
    assert (in_hand.score[0], len(in_hand.wheel.spun)) == (2, 2)


def test_a_frame_that_changes_the_engine_is_found_out() -> None:
    spins = type("Spins", (Engined,), {"frame": lambda self: {"n": self.wheel.spin()}})
    with pytest.raises(AssertionError, match="the copy at question 1 differs"):
        copies_go_on_alike(replace(CASE, game=type("SpinsGame", (AuctionGame,), {"match": spins})()))


# --- observations

SHOWN = Question(
    "shown",
    observation={
        "board": Field("u1", (2, 3), names=".#~"),
        "grid": Field("<i4", (2, 2), low=-1, high=9),
        "free": Field("?", (3,)),
        "ratio": Field("f8", (2,), low=0, high=1),
        "way": Field("u1", names=("north", "south")),
        "count": Field("u1", low=0, high=5),
        "seats": Field("u1", ragged="count", low=0, high=3),
    },
    answer={"way": Field("u1", high=1)},
    max_rows=2,
)
VALUES: dict[str, list[Any]] = {
    "board": [["#.~", "..#"], [[1, 0, 2], [0, 0, 1]], ("#.~", ("." * 2) + "#"), [["#", ".", "~"], [".", ".", "#"]]],
    "grid": [[[0, 9], [-1, 3]], ((0, 9), (-1, 3)), np.array([[0, 9], [-1, 3]], np.int8)],
    "free": [[True, False, True], (True, False, True), np.array([True, False, True])],
    "ratio": [[0, 0.5], np.array([0, 0.5], np.float32), (0.0, 0.5)],
    "way": ["south", " South "],
    "seats": [[3, 0], (3, 0), np.array([3, 0])],
}
WHOLE = {name: values[0] for name, values in VALUES.items()}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_may_be_a_list_a_text_or_an_array(name: str) -> None:
    wanted = read_alone(**WHOLE)[name]
    for value in VALUES[name]:
        given = np.array(value) if name == "board" and value[0] == [1, 0, 2] else value
        assert np.array_equal(read_alone(**{**WHOLE, name: given})[name], wanted), given


def read_alone(**values: Any) -> dict[str, Any]:
    """Return what koth reads of an observation."""
    return ObservationReader(SHOWN).read_whole({}, values)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (
            "grid",
            np.full((2, 2), 10),
            "grid must be a list of 2, each a list of 2, each a whole number in -1..9, not 1",
        ),
        ("grid", np.zeros((2, 3), int), "a whole number in -1..9, not an array int64[2, 3]"),
        ("grid", np.zeros((2, 2)), "a whole number in -1..9, not an array float64[2, 2]"),
        ("grid", [[1, 2], [3]], "a whole number in -1..9, not [3]"),
        ("grid", [[1, True], [3, 4]], "a whole number in -1..9, not True"),
        ("seats", [3, True], "seats[1] must be a whole number in 0..3, not True"),
        ("free", np.zeros(3, np.uint8), "each true or false, not an array uint8[3]"),
        ("ratio", [0.5, float("nan")], "a number in 0..1, not nan"),
        ("board", ["#.~", "..x"], "'x' is not a board; use one of ., #, ~"),
        ("board", ["#.~", ".."], "each a text of 3 of the letters .#~, not"),
        ("seats", np.array([4]), "seats must be a list, each a whole number in 0..3, not 4"),
    ],
)
def test_an_array_or_text_that_is_not_as_declared(name: str, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match="question shown, observe: ") as told:
        read_alone(**{**WHOLE, name: value})
    assert words in str(told.value)


def test_what_all_see_is_asked_once_and_shown_to_all() -> None:
    calls: list[int] = []

    def shared_observation(self: Auction) -> dict[str, Any]:
        calls.append(self.turn)
        return {} if self.bids else {"score": self.score, "tree": self.trees}

    def observe(self: Auction, seat: int) -> dict[str, Any]:
        return {"tree": self.trees[0]} if self.bids else {"bid_seat": [seat][:0]}

    case = replace(CASE, game=changed(shared_observation=shared_observation, observe=observe))
    batches = [begin(one, [4]) for one in (CASE, case)]
    seen = [batch.observations for batch in batches]
    assert calls == [0]
    for name in ("score", "tree"):
        assert np.array_equal(seen[0].fields[name], seen[1].fields[name])


# --- pictures


def test_a_game_without_a_board_is_drawn_as_columns() -> None:
    width, height, letters = default_glyphs.glyphs({"score": [2, 0, -2]}, {})
    assert (width, height) == (3, default_glyphs.COLUMN)
    assert [sum(x == seat for x, *_ in letters) for seat in range(3)] == [height, height // 2, 0]
    pictures_are_drawn(replace(CASE, game=changed(frame=lambda self: {}), turns=3))


THINGS = """
import {draw, legend, series} from "./default-picture.mjs";
const list = (...numbers) => Int32Array.from(numbers);
const frame = {width: 4, height: 2, score: [1, 2], x: list(0, 1), y: list(0, 0), seat: list(1, 0), ants: [3, 4],
  hill_x: [1, 2], hill_y: [1, 1], hill_seat: [1, -1], food_x: [3], food_y: [1], fort_x: [], fort_y: []};
const match = {bots: [{name: "a"}, {name: "b"}]}, stamped = [];
const pen = () => new Proxy({fills: []}, {
  get: (own, key) => own[key] ?? ((text) => key === "fillText" && own.fills.push(text)),
  set: (own, key, value) => (key === "fillStyle" && own.fills.push(value), true)});
const scene = {frame, colors: ["red", "blue"], theme: {paper: "white", ink: "black", soft: "grey"},
  sprite: (name, paint) => { const ctx = pen(); paint(ctx); return [name, ...ctx.fills]; },
  stamp: (sprite, x, y) => stamped.push([x, y, ...sprite])};
draw(pen(), scene);
const labels = legend(match, frame).map(({label}) => label);
console.log(JSON.stringify({series: Object.keys(series(frame, match)), legend: labels,
  stamped: stamped.slice(0, 3)}));
"""


@pytest.mark.needs("node")
def test_things_have_their_owners_colours_a_legend_and_no_column(tmp_path: Path) -> None:
    picture = Path(default_glyphs.__file__).parents[1] / "viewer" / "static" / "default-picture.js"
    (tmp_path / "default-picture.mjs").write_text(picture.read_text())
    (tmp_path / "test.mjs").write_text(THINGS)
    found = json.loads(subprocess.run(["node", tmp_path / "test.mjs"], capture_output=True, check=True).stdout)
    assert found == {
        "series": ["score", "ants"],
        "legend": ["hill", "food", "fort"],
        "stamped": [
            [1, 1, "thing hill 1", "blue", "white", "h"],
            [2, 1, "thing hill -1", "white", "black", "h"],
            [3, 1, "thing food undefined", "white", "black", "fo"],
        ],
    }


# --- plain data


@dataclass
class Piece:
    x: int
    name: str


DATA = [
    (int, 3),
    (float, 1.5),
    (bool, True),
    (str, "\ud800é"),
    (int | None, None),
    (list[list[int]], [[1], []]),
    (tuple[int, str], (1, "a")),
    (tuple[int, ...], (1, 2, 3)),
    (dict[str, list[int]], {"b": [1], "a": [2]}),
    (dict[int, float], {10: 0.5, 9: 1.0}),
    (list[Piece], [Piece(1, "a"), Piece(2, "b")]),
]


@pytest.mark.parametrize(("hint", "value"), DATA, ids=lambda value: str(value)[:30])
def test_plain_data_comes_back(hint: Any, value: Any) -> None:
    one = plain_type(hint)
    back = one.read(json.loads(json.dumps(one.write(value, "it", {}), allow_nan=False)))
    assert back == value
    assert list(back) == list(value) if isinstance(value, dict) else True


WRONG = [
    (int, True, "it is True (bool), declared int"),
    (int, np.int64(3), "it is np.int64(3) (int64), declared int"),
    (float, float("nan"), "it is nan (float), declared a finite float"),
    (list[int], [1, "a"], "it[1] is 'a' (str), declared int"),
    (list[int], {1, 2}, "it is a set, whose order differs from process to process: use a sorted list"),
    (dict[str, int], {1: 2}, "it is {1: 2} (dict), declared dict[str, int]"),
    (list[Piece], [Piece(1, "a"), Piece(2, None)], "it[1].name is None (NoneType), declared str"),  # type: ignore[arg-type]
    (list[list[int]], [[0]] * 2, "it[0] and it[1] are one and the same list: make a copy"),
]


@pytest.mark.parametrize(("hint", "value", "words"), WRONG, ids=[words for _, _, words in WRONG])
def test_what_is_not_as_declared(hint: Any, value: Any, words: str) -> None:
    with pytest.raises(ValueError) as told:  # noqa: PT011
        plain_type(hint).write(value, "it", {})
    assert str(told.value) == words


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (set[int], "Bad.seen: a set is not plain data, its order differs from process to process: declare a list"),
        (
            list[Match[Any]],
            "Bad.seen: koth.plain.match.Match[typing.Any] is not plain data: declare int, float, bool",
        ),
        (dict[tuple[int, int], str], "Bad.seen: dict[tuple[int, int], str] is not plain data: declare int, float"),
        (list, "Bad.seen: list is not plain data: declare int, float"),
    ],
    ids=str,
)
def test_what_is_no_plain_data_can_not_be_declared(hint: Any, words: str) -> None:
    bad = type("Bad", (Match,), {"__annotations__": {"seen": hint}})
    with pytest.raises(TypeError) as told:
        types_of(bad, Match)
    assert str(told.value).startswith(words)


# --- a line for each mistake


def broken_reset(**fields: Any) -> dict[str, Any]:
    """A `reset` that leaves these fields behind."""

    def reset(self: Auction) -> None:
        Auction.reset(self)
        for name, value in fields.items():
            setattr(self, name, value)

    return {"reset": reset}


def observes(**fields: Any) -> dict[str, Any]:
    """An `observe` with these fields in place of its own; None: without it."""

    def observe(self: Auction, seat: int) -> dict[str, Any]:
        told = Auction.observe(self, seat) | fields
        return {name: value for name, value in told.items() if value is not None}

    return {"observe": observe}


def returns(method: str, value: Any) -> dict[str, Any]:
    return {method: lambda self, *_: value}


def unset(self: Auction) -> None:
    self.score, self.trees = [], []


def same_dice(self: Auction) -> None:
    Auction.reset(self)
    self.score = [self.dice.integer(5, 0, 6) for _ in range(self.seats)]


def meddles(self: Auction, seat: int) -> dict[str, Any]:
    self.score[seat] += 1
    return Auction.observe(self, seat)


def stumbles(self: Auction, actions: Any) -> None:
    self.score[actions[0]["amuont"]] = 1


def raises(method: str, error: BaseException) -> dict[str, Any]:
    def fails(self: Auction, *_: Any) -> Any:
        raise error

    return {method: fails}


class Key(str):
    __slots__ = ()


NESTED: list[Any] = []
for _ in range(251):  # JSON of 252 levels, which koth can write alone, and not in a message
    NESTED = [NESTED]

TURN = "the game auction, turn 0"
MISTAKES: dict[str, dict[str, Any]] = {
    f"{TURN}: Auction.bids is a set, whose order differs from process to process: use a sorted list": broken_reset(
        bids={1, 2}
    ),
    f"{TURN}: Auction.last is [1, 'a'] (list), declared tuple[int, str]": broken_reset(last=[1, "a"]),
    f"{TURN}: Auction.more is not declared: annotate it in the class, or keep it in a variable": broken_reset(more=1),
    f"{TURN}: Auction.bids is declared, and reset did not set it": {"reset": unset},
    f"{TURN}: Auction.engine is declared, and reset did not set it": {"kept": ("engine",)},
    f"{TURN}, reset: ValueError: dice (5, 0) are drawn twice in a turn: give each draw of a phase its own index": {
        "reset": same_dice
    },
    f"{TURN}, observe: RuntimeError: dice are drawn in reset and step only: store the numbers in the state": {
        "observe": lambda self, _: {"tree": self.dice.integer(0, 0, 8)}
    },
    f"{TURN}: question bid: observe left out its field score": observes(score=None),
    f"{TURN}: question bid: observe returned 'scor', which it does not declare; did you mean score? "
    "(there are: score, bids, bid_seat, tree)": observes(scor=1),
    f"{TURN}: question bid, observe: score must be a list of 3, each a whole number in 0..8, not 9": observes(
        score=[0, 9, 0]
    ),
    f"{TURN}: question bid, observe: score must be a list of 3, each a whole number in 0..8, not [1]": observes(
        score=[1]
    ),
    f"{TURN}: question bid, observe: 'elm' is not a tree; use one of {', '.join(NAMES)}": observes(tree=["elm"] * 8),
    f"{TURN}: question bid, observe: bid_seat has 2 values, bids says 1": observes(bids=1, bid_seat=[0, 1]),
    f"{TURN}: question bid: observe and shared_observation both returned tree": {
        "shared_observation": lambda self: {"tree": self.trees}
    },
    f"{TURN}: question bid: observe must return a dict of its fields, not 3": returns("observe", 3),
    f"{TURN}: question bid: observe or asked changed the match: only reset and step may": {"observe": meddles},
    f"{TURN}: question() must name the question of this turn, not 'bit'; did you mean bid? (there are: bid, name)": (
        returns("question", "bit")
    ),
    f"{TURN}: question bid: asked() must be seats in 0..2, each once, not [0, 3]": returns("asked", [0, 3]),
    "the game auction, turn 1, step: KeyError: 'amuont'": {"step": stumbles},
    f"{TURN}, is_over: CancelledError": raises("is_over", asyncio.CancelledError()),
    f"{TURN}, observe: SystemExit: 3": raises("observe", SystemExit(3)),
    f"{TURN}: match_info must return a dict with texts as keys, not 'a'": returns("match_info", {Key("a"): 1}),
    f"{TURN}: match_info: a is {str(NESTED)[:60]}, which JSON can't hold": returns("match_info", {"a": NESTED}),
    f"{TURN}: frame: tree_x must be a list of whole numbers, not [1, 2.5]": returns("frame", {"tree_x": [1, 2.5]}),
    f"{TURN}: is_over must be True or False, not None": returns("is_over", None),
    f"{TURN}: is_alive must be True or False, not []": returns("is_alive", []),
    f"{TURN}: scores must be a list of 3 numbers, not [1]": returns("scores", [1]),
    f"{TURN}: scores must be {SCORE_WORDS}, not {2**53 + 1}": returns("scores", [0, 2**53 + 1, 0]),
    f"{TURN}: frame: trees is {{'oak'}}, which JSON can't hold": returns("frame", {"trees": {"oak"}}),
    f"{TURN}: frame: tree_x must be a list of whole numbers, not ['a']": returns("frame", {"tree_x": ["a"]}),
}


def look_and_play(case: Case) -> None:
    batch = begin(case, [1])
    case.game.match_info(case.settings, batch.state, 0, 0)
    case.game.frame(case.settings, batch.state, 0)
    play(batch, policy_of(case, 1), 2, lambda _: None)


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_one_line(words: str) -> None:
    case = replace(CASE, game=changed(**MISTAKES[words]))
    with pytest.raises(GameError) as told:
        look_and_play(case)
    line = str(told.value)
    here = " (test_plain.py, line "
    assert line.partition(here)[0] == words
    assert here in line


def test_arrays_of_a_frame_may_come_and_go() -> None:
    def frame(self: Auction) -> dict[str, Any]:
        return {"at_x": [1]} if self.turn % 2 else {"flash": 1}

    replays_show_the_match(replace(CASE, game=changed(frame=frame)))


def test_names_that_every_match_has() -> None:
    with pytest.raises(TypeError, match=r"Auction\.turn: koth defines this name itself; choose another"):
        changed(__annotations__={"turn": int})


class Orderly(Auction):
    """Shows trees in the order of a set of texts, which is another one in each process."""

    def observe(self, seat: int) -> dict[str, Any]:
        told = super().observe(seat)
        return told if self.bids else {**told, "tree": list(set(self.trees))}


class OrderlyGame(AuctionGame):
    match = Orderly


@pytest.mark.slow
def test_the_order_of_a_set_is_found_out() -> None:
    with pytest.raises(AssertionError, match="step 0 differs in a process with another hash seed"):
        hash_seeds_do_not_matter(replace(CASE, game=OrderlyGame()))


class Even(Auction):
    """Has no dice: all seats bid, and the last one wins."""

    def reset(self) -> None:
        self.score, self.trees = [0] * self.seats, list(NAMES)
        self.bids, self.owners, self.last = [], {}, None

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        if self.bids:
            self.score[self.bids.pop().seat] += 1
        else:
            self.bids = [Bid(seat, action["amount"]) for seat, action in actions.items()][-1:]


def test_a_game_without_dice_says_so() -> None:
    case = replace(CASE, game=type("EvenGame", (AuctionGame,), {"match": Even})())
    with pytest.raises(AssertionError, match="for a game without dice set `dice = False` in its class"):
        other_seeds_other_matches(case)
    other_seeds_other_matches(replace(case, game=type("EvenGame", (AuctionGame,), {"match": Even, "dice": False})()))
    with pytest.raises(AssertionError, match="come to different ends, but `dice` is False"):
        other_seeds_other_matches(replace(CASE, game=type("Diced", (AuctionGame,), {"dice": False})()))
