"""What a player sees, and what there is to see for replays."""

from __future__ import annotations

from typing import Any

import numpy as np

from koth.game import Array, Field, Question
from koth.games.zombies.state import PLAYER, SHOOT, STAY, Settings, State
from koth.grid import copy_window, wrap_halo
from koth.kernel import kernel


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """The one question of the game: what does each living player do?"""
    size = 2 * settings.vision + 1
    return {
        "act": Question(
            "act",
            view={
                "window": Field(
                    "<u4", (size, size), sparse=True, doc="identities, [y, x], itself in the centre; 0: nobody"
                ),
                "number": Field("<i4", doc="its own number"),
                "bullets": Field("<i4"),
                "x": Field("<i4"),
                "y": Field("<i4"),
                "clock": Field("<i4", doc="turns played so far"),
            },
            answer={
                "action": Field("u1", default=STAY, doc=f"index into MOVES, or {SHOOT}: shoot"),
                "target": Field("<u4", doc="the identity to shoot at (0: nobody)"),
            },
            most=settings.players * seats,
            doc="What does each living player do this turn?",
        )
    }


@kernel
def wrap_board(s: State, m: int) -> None:
    """Bring the board's halo up to date."""
    wrap_halo(s.board[m], (s.board.shape[1] - s.slot_at.shape[1]) // 2)


@kernel
def count_living(s: State, m: int) -> int:
    """How many players are to be asked."""
    living = 0
    for slot in range(s.players[m]):
        living += s.kind[m, slot] == PLAYER
    return living


@kernel
def write_views(
    first: int,
    last: int,
    over: Array,
    players: Array,
    kind: Array,
    seats: Array,
    numbers: Array,
    held: Array,
    xs: Array,
    ys: Array,
    clocks: Array,
    boards: Array,
    match: Array,
    seat: Array,
    body: Array,
    window: Array,
    number: Array,
    bullets: Array,
    x: Array,
    y: Array,
    clock: Array,
) -> int:
    """Rule 4. Everything the living players of some matches are shown, and how many they are.

    Reads the state's arrays (to hand over all of the state would take longer), boards with their halos wrapped.
    """
    row = 0
    for m in range(first, last):
        if over[m]:
            continue
        board = boards[m]
        for slot in range(players[m]):
            if kind[m, slot] != PLAYER:
                continue
            match[row] = m
            seat[row] = seats[m, slot]
            body[row] = slot
            number[row] = numbers[m, slot]
            bullets[row] = held[m, slot]
            x[row] = xs[m, slot]
            y[row] = ys[m, slot]
            clock[row] = clocks[m]
            copy_window(board, xs[m, slot], ys[m, slot], window, row)
            row += 1
    return row


def frame(s: State, match: int) -> dict[str, Any]:
    """Everything on one board: an entry per actor, in the order of their slots."""
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
        "shots": s.shots[match, : int(s.shot_count[match])].tolist(),
        "alive": np.bincount(s.seat[match, :players][alive], minlength=s.score.shape[1]).tolist(),
        "score": s.score[match].tolist(),
    }
