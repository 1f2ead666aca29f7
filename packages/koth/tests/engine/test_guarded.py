"""Games of packages: what their methods raise or return by mistake is one line that names file and method."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from koth import warmup
from koth.engine.batch import Batch
from koth.engine.contract import find_game_problem
from koth.engine.guarded import guard
from koth.errors import GameError, KothError
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
from tests.viewer.recording import record


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


def stumbles(self: Count, settings: Any, state: State, buffers: Buffers) -> Turn:
    yield self.shown(state, buffers)
    raise ValueError("a\nb")


def leaves(self: Count, state: State) -> Array:
    raise SystemExit(3)


MISTAKES: dict[str, dict[str, Any]] = {
    "the game count, turn 1, turn: ValueError: a b": {"turn": stumbles},
    "the game count, over: SystemExit: 3": {"over": leaves},
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_one_line(words: str) -> None:
    game = guard(type("Broken", (Count,), MISTAKES[words])())
    with pytest.raises(GameError) as told:
        played(game)
    assert str(told.value).startswith(f"{words} (test_guarded.py, line ")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("method", "value", "words"),
    [
        ("scores", np.full((1, 1), np.nan), "scores of 1 seats must be numbers from -9,007"),
        ("scores", np.full((1, 1), -1e16), "scores of 1 seats must be numbers from -9,007"),
        ("scores", np.zeros((1, 2)), "scores of 1 seats must be numbers from -9,007"),
        ("extra_scores", {"a": None}, "scores of 1 seats must be numbers from -9,007"),
        ("frame", {"a": float("nan")}, "frame['a'] is not JSON"),
        ("frame", {"a": np.zeros(2)}, "frame['a'] is an array of float64, not of integers"),
    ],
)
def test_wrong_scores_and_frames_are_not_recorded(method: str, value: Any, words: str, tmp_path: Path) -> None:
    game: Game = guard(type("Broken", (Count,), {method: lambda self, *_: value})())
    with pytest.raises(KothError, match=re.escape(f"count: {words}")):
        record(tmp_path / "match.koth.gz", game, Settings(), ["a"], 5)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("seats", range(3), "has seats = range(0, 3): a range of numbers of bots is needed"),
        ("contest_defaults", ContestDefaults(3, "maen"), "has contest_defaults = "),
        ("contest_defaults", ContestDefaults(3, "mean", seats=4), "has contest_defaults.seats = 4: a number in its"),
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
    frame = FramesProtocol(batch.buffers.questions).ask(batch.observations)
    assert np.frombuffer(frame, "<i4", offset=HEADER.size).tolist() == [0, 0, 0, 0, 0, 2, 4, 6]
