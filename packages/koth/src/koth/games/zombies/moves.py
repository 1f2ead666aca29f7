"""Rule 6: all actors move at once; actors that want a contested square return to their start."""

from __future__ import annotations

from koth.games.zombies.state import ABSENT, BODY, DX, DY, SHOOT, STAY, State, identity
from koth.grid import wrap
from koth.kernel import kernel


@kernel(inline=True)
def move_everybody(s: State, m: int) -> None:
    """Rule 6. Move all actors at once; actors that want a contested square return to their start.

    A return may contest that square in turn, until nothing changes. `wanted` only counts up: once a square is
    contested, all actors that wanted it are sent back, so the order of the work list is irrelevant.
    """
    wants, wanted, waiting = s.wants[m], s.wanted[m], s.waiting[m]
    leaving = say_where(s, m)
    contested = 0
    for i in range(leaving):
        if wanted[wants[waiting[i]]] > 1:
            waiting[contested] = waiting[i]
            contested += 1
    send_home(s, m, contested)
    settle(s, m)


@kernel(inline=True)
def say_where(s: State, m: int) -> int:
    """Write each actor's wanted square, and how many want each square; return how many are `waiting` to leave."""
    side = s.slot_at.shape[1]
    kind, action, xs, ys = s.kind[m], s.action[m], s.x[m], s.y[m]
    wants, wanted = s.wants[m], s.wanted[m]
    wanted[:] = 0
    leaving = 0
    for slot in range(s.actors[m]):
        home = ys[slot] * side + xs[slot]
        wants[slot] = home
        if kind[slot] == ABSENT:  # a player missing on a board that was read from text
            continue
        step = action[slot]
        if kind[slot] != BODY and step < SHOOT and step != STAY:
            wants[slot] = wrap(ys[slot] + DY[step], side) * side + wrap(xs[slot] + DX[step], side)
            wanted[wants[slot]] = min(2, wanted[wants[slot]] + 1)
            s.waiting[m, leaving] = slot
            leaving += 1
        else:
            wanted[home] = 2  # for anybody else it is contested
    return leaving


@kernel(inline=True)
def send_home(s: State, m: int, count: int) -> None:
    """Send the first `count` of `waiting` back, and with each the actor that wanted the square where it started."""
    side = s.slot_at.shape[1]
    xs, ys = s.x[m], s.y[m]
    wants, wanted, waiting = s.wants[m], s.wanted[m], s.waiting[m]
    while count > 0:
        count -= 1
        slot = waiting[count]
        home = ys[slot] * side + xs[slot]
        if wants[slot] == home:
            continue
        wants[slot] = home
        wanted[home] = min(2, wanted[home] + 1)
        if wanted[home] > 1:
            for k in range(9):
                x = (xs[slot] + DX[k] + side) % side
                y = (ys[slot] + DY[k] + side) % side
                near = s.slot_at[m, y, x] - 1
                if near >= 0 and near != slot and wants[near] == home:
                    waiting[count] = near
                    count += 1


@kernel(inline=True)
def settle(s: State, m: int) -> None:
    """Put every actor that got its wanted square there."""
    side = s.slot_at.shape[1]
    halo = (s.board.shape[1] - side) // 2
    wants, xs, ys = s.wants[m], s.x[m], s.y[m]
    moved = 0
    for slot in range(s.actors[m]):
        x = xs[slot]
        y = ys[slot]
        if wants[slot] != y * side + x:
            s.slot_at[m, y, x] = 0
            s.board[m, y + halo, x + halo] = 0
            s.waiting[m, moved] = slot
            moved += 1
    for i in range(moved):
        slot = s.waiting[m, i]
        x = s.wants[m, slot] % side
        y = s.wants[m, slot] // side
        s.x[m, slot] = x
        s.y[m, slot] = y
        s.board[m, y + halo, x + halo] = identity(s.kind[m, slot], s.seat[m, slot], s.number[m, slot])
        s.slot_at[m, y, x] = slot + 1
