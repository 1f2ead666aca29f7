"""A text notation for small boards, both ways.

    clock 4
    seats 2
    .    A0  z100
    #101:2  .  B1:0

Header lines are `clock`, `seats`, `seed`, `next` (the next number) and `scores`, each optional. Then one
line per row of the board: `.` nobody, `z` a zombie, `#` a body, a capital letter a player of that seat
(A the first). A number after it is the actor's number (for a player: its number within the bot), `:n` its
bullets. Left out, players have the starting bullets and the first free number of their bot; zombies and
bodies have none and take unused numbers in reading order. A match without a living player is over.
"""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from koth.games.zombies.state import BODY, PLAYER, ZOMBIE, Settings, State, empty_state, place
from koth.notation import NOTHING, aligned, lines_of, numbers, reading, same_width, side_of
from koth.seat_labels import seat_letters, seat_of

TOKEN = re.compile(r"(\.|z|#|[A-Z]+)(\d{1,7})?(?::(\d{1,9}))?")
HEADERS = ("clock", "seats", "seed", "next", "scores")


class Token(NamedTuple):
    """One square that somebody stands on, and where it was read."""

    line: int
    text: str
    square: int
    what: str
    number: int | None
    bullets: int | None


def _read(text: str) -> tuple[int, dict[str, list[int]], list[Token]]:
    """The board's side, the header, and a token for everybody on the board in reading order."""
    header: dict[str, list[int]] = {}
    tokens: list[Token] = []
    rows: list[list[str]] = []
    for number, words, _ in lines_of(text):
        with reading(number):
            if words[0] in HEADERS:
                count, limit = None if words[0] == "scores" else 1, 2**63 if words[0] == "seed" else 2**31
                header[words[0]] = numbers(words, count, limit)
                continue
            rows.append(words)
            same_width(words, rows)
            for x, word in enumerate(words):
                found = TOKEN.fullmatch(word)
                if not found or (found[1] == NOTHING and word != NOTHING):
                    raise ValueError(f"{word!r} is no square of a zombies board")
                who, bullets = (int(part) if part else None for part in found.group(2, 3))
                if word != NOTHING:
                    square = (len(rows) - 1) * len(words) + x
                    tokens.append(Token(number, word, square, found[1], who, bullets))
    return side_of(rows), header, tokens


def _player_numbers(tokens: list[Token], seats: int, per_bot: int) -> dict[int, int]:
    """The number of the player on each square."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    players = [token for token in tokens if token.what.isupper()]
    for token in sorted(players, key=lambda token: token.number is None):
        seat = seat_of(token.what)
        free = [k for k in range(seat * per_bot, (seat + 1) * per_bot) if k not in taken]
        number = free[0] if token.number is None and free else seat * per_bot + (token.number or 0)
        if seat >= seats or number not in free:
            raise ValueError(
                f"line {token.line}: {token.text!r} is on the board already, "
                f"or none of the {per_bot} players of {seats} bots"
            )
        taken.add(number)
        found[token.square] = number
    return found


def _other_numbers(tokens: list[Token], players: int) -> dict[int, int]:
    """The number of the zombie or body on each square."""
    others = [token for token in tokens if not token.what.isupper()]
    used: set[int] = set()
    for token in others:
        if token.number is not None and (token.number in used or token.number < players):
            raise ValueError(f"line {token.line}: {token.text!r} has a number that is somebody else's")
        used.update([] if token.number is None else [token.number])
    unused = (number for number in itertools.count(players) if number not in used)
    return {token.square: next(unused) if token.number is None else token.number for token in others}


def parse(text: str, settings: Settings) -> State:
    """The state of one match. Raises ValueError naming the line that can't be read."""
    side, header, tokens = _read(text)
    if side < 2 * settings.vision + 1:
        raise ValueError(f"a board of {side} squares a side is narrower than what a player sees")
    highest = max([seat_of(token.what) for token in tokens if token.what.isupper()], default=0)
    seats = header.get("seats", [highest + 1])[0]
    if not 1 <= seats <= 252 or len(header.get("scores", [0] * seats)) != seats:
        raise ValueError(f"there must be 1 to 252 seats and a score for each, not {seats} seats")
    s = empty_state(settings, seats, 1, side)
    players = settings.players * seats
    called = {**_player_numbers(tokens, seats, settings.players), **_other_numbers(tokens, players)}
    slots = itertools.count(players)
    for token in tokens:
        number = called[token.square]
        is_player = token.what.isupper()
        slot = number if is_player else next(slots)
        s.kind[0, slot] = PLAYER if is_player else {"z": ZOMBIE, "#": BODY}[token.what]
        s.seat[0, slot] = seat_of(token.what) if is_player else 0
        s.number[0, slot] = number
        s.bullets[0, slot] = token.bullets if token.bullets is not None else settings.bullets if is_player else 0
        s.y[0, slot], s.x[0, slot] = divmod(token.square, side)
        place(s, 0, slot)
    s.actors[0] = next(slots)
    s.seed[0] = header.get("seed", [0])[0]
    s.clock[0] = header.get("clock", [0])[0]
    unused = max([players - 1, *called.values()]) + 1
    s.next_number[0] = header.get("next", [unused])[0]
    s.score[0] = header.get("scores", [0] * seats)
    s.over[0] = not (s.kind[0] == PLAYER).any()
    if s.next_number[0] < unused:
        raise ValueError(f"next {s.next_number[0]}: number {unused - 1} is already somebody's")
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
            squares.append(NOTHING)
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
    return "\n".join(head + aligned([squares[y * side : (y + 1) * side] for y in range(side)])) + "\n"
