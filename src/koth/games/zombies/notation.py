"""A text notation for small boards, both ways.

    clock 4
    seats 2
    .    A0  z100
    #101:2  .  B1:0

Header lines are `clock`, `seats`, `seed`, `next` (the next number) and `scores`, each optional. Then one
line per row of the board: `.` nobody, `z` a zombie, `#` a body, a capital letter a player of that seat
(A the first). A number after it is the actor's number (for a player: its number within the bot), `:n` its
bullets. Left out, players have the starting bullets and the first free number of their bot; zombies and
bodies have none and take numbers in reading order.
"""

from __future__ import annotations

import re

import numpy as np

from koth.games.zombies.state import BODY, PLAYER, ZOMBIE, Settings, State, empty_state, place

TOKEN = re.compile(r"(\.|z|#|[A-Z]+)(\d+)?(?::(\d+))?")
HEADERS = ("clock", "seats", "seed", "next", "scores")


def seat_letters(seat: int) -> str:
    """A, B, ... Z, AA, AB ..."""
    letters = ""
    seat += 1
    while seat:
        seat, letter = divmod(seat - 1, 26)
        letters = chr(65 + letter) + letters
    return letters


def _seat_of(letters: str) -> int:
    seat = 0
    for letter in letters:
        seat = seat * 26 + ord(letter) - 64
    return seat - 1


def _read(text: str) -> tuple[dict[str, list[int]], list[list[re.Match[str]]]]:
    header: dict[str, list[int]] = {}
    rows: list[list[re.Match[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if words[0] in HEADERS:
            header[words[0]] = [int(word) for word in words[1:]]
            continue
        found = [TOKEN.fullmatch(word) for word in words]
        row = [token for token in found if token]
        if len(row) < len(words):
            raise ValueError(f"line {number}: {words[found.index(None)]!r} is no square of a zombies board")
        if rows and len(row) != len(rows[0]):
            raise ValueError(f"line {number}: {len(row)} squares in a board of {len(rows[0])} columns")
        rows.append(row)
    if not rows or len(rows) != len(rows[0]):
        raise ValueError(f"the board must be square, not {len(rows)} rows of {len(rows[0]) if rows else 0}")
    return header, rows


def parse(text: str, settings: Settings) -> State:
    """The state of one match. Raises ValueError naming the line that can't be read."""
    header, rows = _read(text)
    tokens = [token for row in rows for token in row]
    seats = max([_seat_of(t[1]) for t in tokens if t[1].isupper()], default=-1) + 1
    seats = header.get("seats", [max(seats, 1)])[0]
    side = len(rows)
    if settings.players * seats > side * side:
        raise ValueError(f"settings allow {settings.players * seats} players, the board has {side * side} squares")
    s = empty_state(settings, seats, 1, side)
    players = settings.players * seats
    taken = {int(t[2]) + _seat_of(t[1]) * settings.players for t in tokens if t[1].isupper() and t[2]}
    used = {int(t[2]) for t in tokens if t[1] in "z#" and t[2]}
    next_number = players
    s.actors[0] = players
    for square, token in enumerate(tokens):
        if token[1] == ".":
            continue
        if token[1].isupper():
            seat = _seat_of(token[1])
            first = seat * settings.players
            free = (k for k in range(first, first + settings.players) if k not in taken)
            slot = first + int(token[2]) if token[2] else next(free, -1)
            if seat >= seats or not first <= slot < first + settings.players:
                raise ValueError(f"{token[0]!r}: no such player with {seats} seats of {settings.players}")
            taken.add(slot)
            s.kind[0, slot], s.seat[0, slot], s.number[0, slot] = PLAYER, seat, slot
            s.bullets[0, slot] = int(token[3]) if token[3] else settings.bullets
        else:
            slot = int(s.actors[0])
            s.actors[0] += 1
            while not token[2] and next_number in used:
                next_number += 1
            number = int(token[2]) if token[2] else next_number
            used.add(number)
            s.kind[0, slot] = ZOMBIE if token[1] == "z" else BODY
            s.number[0, slot] = number
            s.bullets[0, slot] = int(token[3] or 0)
        s.y[0, slot], s.x[0, slot] = divmod(square, side)
        place(s, 0, slot)
    s.seed[0] = header.get("seed", [0])[0]
    s.clock[0] = header.get("clock", [0])[0]
    s.next_number[0] = header.get("next", [max([players - 1, *used]) + 1])[0]
    s.score[0] = np.array(header.get("scores", [0] * seats))
    return s


def show(s: State, match: int, settings: Settings) -> str:
    """The notation of one match; `parse` of it gives a state that goes on in the same way."""
    side = s.slot_at.shape[1]
    head = [
        f"clock {s.clock[match]}",
        f"seats {s.score.shape[1]}",
        f"seed {s.seed[match]}",
        f"next {s.next_number[match]}",
        f"scores {' '.join(str(score) for score in s.score[match])}",
    ]
    squares = []
    for slot in s.slot_at[match].ravel() - 1:
        if slot < 0:
            squares.append(".")
            continue
        bullets = int(s.bullets[match, slot])
        number = int(s.number[match, slot])
        if s.kind[match, slot] == PLAYER:
            seat = int(s.seat[match, slot])
            text = f"{seat_letters(seat)}{number - seat * settings.players}"
            text += f":{bullets}" if bullets != settings.bullets else ""
        else:
            text = f"{'z' if s.kind[match, slot] == ZOMBIE else '#'}{number}" + (f":{bullets}" if bullets else "")
        squares.append(text)
    width = max(len(square) for square in squares)
    rows = [squares[y * side : (y + 1) * side] for y in range(side)]
    return "\n".join(head + [" ".join(square.ljust(width) for square in row).rstrip() for row in rows]) + "\n"
