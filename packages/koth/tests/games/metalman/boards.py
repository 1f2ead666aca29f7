"""Rounds on text boards: boards in, boards out, steps and directions as arrows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from koth.engine.batch import Batch
from koth.game import Answers, Array, Observations, copy_state, no_answers
from koth.games.metalman import GAME
from koth.games.metalman.state import Settings, State
from tests.games.metalman import notation
from tests.games.metalman.notation import ARROWS

Moves = dict[int, tuple[str, ...]]
"""By player: steps of spotter and assassin, then, if given, where each turns; arrows, `.` for none."""

LEFT_OUT = ("round", "timer", "seed", "seats")


def settings_for(text: str, **changes: Any) -> Settings:
    """Settings whose map has the size of this board."""
    rows = [line.split() for line in text.splitlines() if line.split()]
    rows = [row for row in rows if row[0] not in (*LEFT_OUT, "winners", "dead")]
    return replace(Settings(map="\n".join("F" * len(row) for row in rows)), **changes)


def board(text: str, **changes: Any) -> State:
    return notation.parse(text, settings_for(text, **changes))


def begin(text: str, **changes: Any) -> Batch:
    """The match that goes on from this board."""
    state = board(text, **changes)
    return Batch.from_state(GAME, settings_for(text, **changes), state.alive.shape[1], state)


def answer(observations: Observations, moves: Moves, gone: Array) -> Answers:
    """The answer of the one player that is asked."""
    answers = no_answers(observations, gone)
    words = moves.get(int(observations.seat[0]), ())
    for field, word in zip(
        ("spotter_moves", "assassin_moves", "spotter_direction", "assassin_direction"), words, strict=False
    ):
        codes = [ARROWS.find(arrow) % 5 for arrow in word]
        if field.endswith("moves"):
            answers[field][0, : len(codes)] = codes
        elif codes:
            answers[field][0] = codes[0]
    return answers


def play(text: str, *rounds: Moves, **changes: Any) -> State:
    """The state after these rounds (or after fewer, when the match is over)."""
    batch = begin(text, **changes)
    after = [batch.state]
    batch.on_turn = lambda: after.append(copy_state(batch.state))
    for number, moves in enumerate(rounds, 1):
        while batch.observations is not None and batch.turn < number:
            batch.answer(answer(batch.observations, moves, batch.nobody_gone()))
    return after[-1]


def shown(state: State) -> list[str]:
    """The notation's words line by line, without what most tests don't look at."""
    lines = notation.show(state).splitlines()
    return [" ".join(line.split()) for line in lines if line.split()[0] not in LEFT_OUT]


def same(state: State, text: str) -> bool:
    """Whether the state looks like this board; prints it when it does not."""
    other = board(text)
    if shown(state) == shown(other):
        return True
    print("\n".join(shown(state)))
    return False


def asked(text: str, seat: int, **changes: Any) -> dict[str, Array]:
    """What this player is shown when its turn comes in a round in which nobody did anything."""
    batch = begin(text, **changes)
    while batch.observations is not None:
        if batch.observations.seat[0] == seat:
            return {name: array[0].copy() for name, array in batch.observations.fields.items()}
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    raise AssertionError(f"player {seat} is not asked")


def sight(text: str, seat: int = 0, **changes: Any) -> str:
    """What this player sees: `.` nothing, `W` wall, `o` floor, `O` highground, a letter for each piece."""
    observation = asked(text, seat, **changes)
    picture = np.array(list("W" + "oO" + "."))[observation["board"]]
    for piece, letter in enumerate("SA"):
        if observation["alive"][piece]:
            picture[observation["row"][piece], observation["column"][piece]] = letter
        for row, column in zip(
            observation["enemy_row"][:, piece], observation["enemy_column"][:, piece], strict=True
        ):
            if row >= 0:
                picture[row, column] = letter.lower()
    return "\n".join(" ".join(row) for row in picture)


def turned(text: str, quarters: int) -> str:
    """A drawing or a board without header after quarter turns clockwise, its arrows turned too."""
    words = np.array([line.split() for line in text.splitlines() if line.split()])
    rows = np.rot90(words, -quarters).tolist()
    arrows = str.maketrans(ARROWS, ARROWS[quarters:] + ARROWS[:quarters])
    return "\n".join(" ".join(word.translate(arrows) for word in row) for row in rows)
