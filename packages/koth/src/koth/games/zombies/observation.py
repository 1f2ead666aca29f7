"""The question of the game, the kernel that writes its observation, and frames for replays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np

from koth.game import Array, Field, FrameSpec, Question, RowIndex, Units, observation_fields
from koth.games.zombies.state import KINDS, MOVES, PLAYER, SHOOT, STAY, Settings, State
from koth.grid import copy_window, wrap_halo
from koth.kernel import kernel

WINDOW = Field("<u4", sparse=True, on_board=True, doc="identities, [y, x], itself in the centre; 0: none")


class Observation(NamedTuple):
    """The observation of a living player."""

    window: Annotated[Array, WINDOW, "size, size"]
    number: Annotated[Array, Field("<i4", low=0, doc="its own number")]
    bullets: Annotated[Array, Field("<i4", low=0, doc="bullets that it has")]
    x: Annotated[Array, Field("<i4", low=0, doc="its column, counted from the west")]
    y: Annotated[Array, Field("<i4", low=0, doc="its row, counted from the north")]
    clock: Annotated[Array, Field("<i4", low=0, doc="turns played so far")]


def legal_actions(observed: Mapping[str, Array]) -> Array:
    """Return the legal actions: a shot needs a bullet."""
    legal = np.ones((len(observed["bullets"]), SHOOT + 1), np.bool_)
    legal[:, SHOOT] = observed["bullets"] > 0
    return legal


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """Return the one question of the game."""
    return {
        "act": Question(
            "act",
            observation=observation_fields(Observation, size=2 * settings.vision + 1),
            answer={
                "action": Field(
                    "u1",
                    default=STAY,
                    names=(*MOVES, "SHOOT"),
                    legal=legal_actions,
                    doc="a move, or a shot at the target",
                ),
                "target": Field("<u4", doc="the identity to shoot at (0: nobody)"),
            },
            max_rows=settings.players * seats,
            units="number",
            doc="What does each living player do this turn?",
        )
    }


@kernel(inline=True)
def wrap_board(s: State, m: int) -> None:
    """Update the margin around the board."""
    wrap_halo(s.board[m], (s.board.shape[1] - s.slot_at.shape[1]) // 2)


@kernel(inline=True)
def write_observations(s: State, m: int, index: RowIndex, seen: Observation, row: int) -> int:
    """Rule 4. Write the views of the living players of a match, from `row` on; return the next row.

    Reads the board with its margin. Windows without space in the observation are left on the board.
    """
    board, kind, seat, number, bullets = s.board[m], s.kind[m], s.seat[m], s.number[m], s.bullets[m]
    xs, ys = s.x[m], s.y[m]
    size, wanted = seen.window.shape[1], seen.window.size > 0
    for slot in range(s.players[m]):
        if kind[slot] != PLAYER:
            continue
        index.match[row] = m
        index.seat[row] = seat[slot]
        index.unit[row] = slot
        seen.number[row] = number[slot]
        seen.bullets[row] = bullets[slot]
        seen.x[row] = xs[slot]
        seen.y[row] = ys[slot]
        seen.clock[row] = s.clock[m]
        if wanted:
            copy_window(board, xs[slot], ys[slot], size, seen.window, row * size * size)
        row += 1
    return row


FRAMES = FrameSpec(
    wraps=True,
    codes={"kind": KINDS},
    units=[Units("x", "y", ["kind", "bullets", "reach"], links=["shots"], seat="seat", reach="reach")],
)


def frame(settings: Settings, s: State, match: int) -> dict[str, Any]:
    """Return a match as one frame: an entry per actor, in the order of their slots."""
    n = int(s.actors[match])
    players = int(s.players[match])
    alive = s.kind[match, :players] == PLAYER
    return {
        "side": int(s.slot_at.shape[1]),
        "clock": int(s.clock[match]),
        "kind": s.kind[match, :n],
        "seat": s.seat[match, :n],
        "number": s.number[match, :n],
        "x": s.x[match, :n],
        "y": s.y[match, :n],
        "bullets": s.bullets[match, :n],
        "reach": np.where(s.kind[match, :n] == PLAYER, settings.vision, -1),
        "shots": s.shots[match, : int(s.shot_count[match])].tolist(),
        "alive": np.bincount(s.seat[match, :players][alive], minlength=s.score.shape[1]).tolist(),
        "score": s.score[match].tolist(),
    }
