"""Games of packages: what their methods raise or return by mistake is one line that names file and method."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from koth import warmup
from koth.engine.batch import Batch
from koth.engine.contract import find_game_problem
from koth.engine.guarded import guard
from koth.engine.plain_returns import SCORE_WORDS
from koth.errors import GameError
from koth.game import (
    Array,
    Buffers,
    Constants,
    ContestDefaults,
    Field,
    Game,
    Observations,
    Question,
    Turn,
    no_answers,
    zero_state,
)
from koth.games.defaults import Defaults
from koth.protocol.frames import HEADER, FramesProtocol
from koth.replay.writer import final_scores


@dataclass(frozen=True)
class Settings(Constants):
    turns: int = 2


class State(NamedTuple):
    turn: Annotated[Array, "int32[M]"]
    over: Annotated[Array, "bool[M]"]
    score: Annotated[Array, "int32[M, K]"]


class Count(Defaults):
    """Everybody says how much it gets."""

    name = "count"
    title = "Count"
    seats = range(1, 2)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    default_entrants = ()

    def questions(self, settings: Settings, seats: int) -> dict[str, Question]:
        seen = {"turn": Field("<i4"), "pair": Field("<i4", (2,))}
        return {"say": Question("say", seen, {"more": Field("u1", low=0, high=9)}, max_rows=seats)}

    def initial_state(self, settings: Settings, seats: int, seeds: Sequence[int]) -> State:
        return zero_state(State, M=len(seeds), K=seats)

    def turn(self, settings: Settings, state: State, buffers: Buffers) -> Turn:
        answers = yield self.shown(state, buffers)
        state.score[:, 0] += answers["more"]
        state.turn[:] += 1
        state.over[:] = state.turn >= settings.turns

    def shown(self, state: State, buffers: Buffers) -> Observations:
        matches, zeros = np.arange(len(state.turn), dtype=np.int32), np.zeros(len(state.turn), np.int32)
        wide = np.arange(4 * len(state.turn), dtype=np.int32).reshape(-1, 4)
        fields = {"turn": state.turn.copy(), "pair": wide[:, ::2]}
        return Observations(buffers.questions["say"], matches, zeros, zeros.copy(), fields)


def played(game: Game) -> None:
    """Play a match, and ask for all that is recorded of it."""
    settings = Settings()
    batch = Batch(game, settings, 1, [1])
    before = game.frame(settings, batch.state, 0)
    while batch.observations is not None:
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    final_scores(batch, ["a"])
    game.match_info(settings, batch.state, 0, 0)
    game.events(settings, batch.state, 0, before, game.frame(settings, batch.state, 0))
    game.alive(settings, batch.state)
    game.agents(settings, 1)
    game.scratch()


def shows(**changes: Any) -> dict[str, Any]:
    """A question with some arrays changed; None: without it."""

    def shown(self: Count, state: State, buffers: Buffers) -> Observations:
        seen = Count.shown(self, state, buffers)
        unit = changes.get("unit", seen.unit)
        fields = {name: array for name, array in {**seen.fields, **changes}.items() if array is not None}
        return Observations(seen.question, seen.match, seen.seat, unit, fields)

    return {"shown": shown}


def returns(method: str, value: Any) -> dict[str, Any]:
    return {method: lambda self, *_: value}


def stumbles(self: Count, settings: Any, state: State, buffers: Buffers) -> Turn:
    yield self.shown(state, buffers)
    raise ValueError("a\nb")


def leaves(self: Count, state: State) -> Array:
    raise SystemExit(3)


MISTAKES: dict[str, dict[str, Any]] = {
    "turn must be a generator (it has a `yield` for each question), not return None": returns("turn", None),
    "turn must yield Observations (buffers.observations makes them), not None": returns("shown", None),
    "turn yields pair as float64[1, 2], but it is declared as int32[1, 2]": shows(pair=np.zeros((1, 2))),
    "turn yields pair as int32[1, 1], but it is declared as int32[1, 2]": shows(pair=np.zeros((1, 1), np.int32)),
    "turn yields turn as None, but it is declared as int32[1]": shows(turn=None),
    "turn yields unit as int64[1], but it is declared as int32[1]": shows(unit=np.zeros(1, np.int64)),
    "ValueError: a b": {"turn": stumbles},
    "SystemExit: 3": {"over": leaves},
    "over must return bool[matches], not None": returns("over", None),
    "scores must return float64[matches, seats], not None": returns("scores", None),
    f"scores must return {SCORE_WORDS}, not nan": returns("scores", np.full((1, 1), np.nan)),
    f"scores must return {SCORE_WORDS}, not -1e+16": returns("scores", np.full((1, 1), -1e16)),
    "alive must return bool[matches, agents], not True": returns("alive", True),
    "agents must return koth.game.Agents, not None": returns("agents", None),
    "initial_state must return a NamedTuple of arrays, not None": returns("initial_state", None),
    "questions must return a dict of koth.game.Question by their names, not [1]": returns("questions", [1]),
    "match_info must return a dict, not None": returns("match_info", None),
    "match_info: a is nan, which JSON can't hold": returns("match_info", {"a": float("nan")}),
    f"extra_scores must return {SCORE_WORDS} by name; a is None": returns("extra_scores", {"a": None}),
    f"extra_scores must return {SCORE_WORDS} by name; a is {2**53 + 1}": returns("extra_scores", {"a": 2**53 + 1}),
    "frame must return a dict with texts as keys, not None": returns("frame", None),
    "events must return a list of koth.game.Event, not None": returns("events", None),
    "scratch must return a frozenset of names of the state's fields, not None": returns("scratch", None),
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_one_line(words: str) -> None:
    game = guard(type("Broken", (Count,), MISTAKES[words])())
    with pytest.raises(GameError) as told:
        played(game)
    assert str(told.value).startswith(f"the game count: {words} (test_guarded.py, line ")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("seats", range(3), "has seats = range(0, 3): a range of numbers of bots is needed"),
        ("default_entrants", None, "has default_entrants = None: a tuple of names of samples is needed"),
        ("contest_defaults", ContestDefaults(3, "maen"), "has contest_defaults = "),
        ("contest_defaults", ContestDefaults(3, "mean", seats=4), "has contest_defaults.seats = 4: a number in its"),
        (
            "protocols",
            {"text": print},
            "has protocols = {'text': <built-in function print>}: a dict of functions that",
        ),
        ("time_control", 3, "has time_control = 3: a TimeControl is needed"),
    ],
)
def test_attributes_are_as_declared(name: str, value: Any, words: str) -> None:
    assert (find_game_problem(type("Broken", (Count,), {name: value})()) or "").startswith(words)


def test_a_game_for_one_bot_is_played() -> None:
    """A first start tries it with one bot, for it has no match of two; a guard changes nothing."""
    game = guard(Count())
    warmup._compile_rules(game)
    played(game)
    played(pickle.loads(pickle.dumps(game)))  # to another process, as a law of games does


def test_a_view_on_a_larger_array_is_sent_right() -> None:
    batch = Batch(Count(), Settings(), 1, [1, 2])
    assert batch.observations is not None
    frame = FramesProtocol(batch.buffers.questions).ask(batch.observations)
    assert np.frombuffer(frame, "<i4", offset=HEADER.size).tolist() == [0, 0, 0, 0, 0, 2, 4, 6]
