"""What a player sees, and what there is to see for replays."""

from __future__ import annotations

from typing import Any

import numpy as np

from koth.game import Array, Asks, Field, Question, Views
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
                "window": Field("<u4", (size, size), doc="identities, [y, x], itself in the centre; 0: nobody"),
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
def wrap_boards(s: State) -> None:
    """Bring the boards' halos up to date."""
    halo = (s.board.shape[1] - s.slot_at.shape[1]) // 2
    for m in range(s.seed.size):
        if not s.over[m]:
            wrap_halo(s.board[m], halo)


@kernel
def write_views(
    s: State,
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
    """Write a row for every living player; returns the number of rows."""
    rows = 0
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        board = s.board[m]
        for slot in range(s.players[m]):
            if s.kind[m, slot] != PLAYER:
                continue
            match[rows] = m
            seat[rows] = s.seat[m, slot]
            body[rows] = slot
            number[rows] = s.number[m, slot]
            bullets[rows] = s.bullets[m, slot]
            x[rows] = s.x[m, slot]
            y[rows] = s.y[m, slot]
            clock[rows] = s.clock[m]
            copy_window(board, s.x[m, slot], s.y[m, slot], window, rows)
            rows += 1
    return rows


def see(s: State, views: Views) -> Asks:
    """Rule 4. Everything a living player is shown; reads the boards with their halos wrapped."""
    room = views.room("act")
    rows = write_views(
        s,
        room["match"],
        room["seat"],
        room["body"],
        room["window"],
        room["number"],
        room["bullets"],
        room["x"],
        room["y"],
        room["clock"],
    )
    return views.asks("act", rows)


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
