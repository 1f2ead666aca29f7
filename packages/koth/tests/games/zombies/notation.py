"""Small boards of zombies as text, both ways.

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

from koth.games.zombies.state import BODY, PLAYER, ZOMBIE, Settings, State, empty_state, place
from koth.seat_labels import seat_letters
from tests.games.lines import NOTHING, aligned, seat_of, words_of

TOKEN = re.compile(r"(z|#|[A-Z]+)(\d+)?(?::(\d+))?")
HEADERS = ("clock", "seats", "seed", "next", "scores")


def parse(text: str, settings: Settings) -> State:
    """The state of one match."""
    lines = words_of(text)
    header = {words[0]: [int(word) for word in words[1:]] for words in lines if words[0] in HEADERS}
    rows = [words for words in lines if words[0] not in HEADERS]
    side = len(rows)
    tokens = []
    for square, word in enumerate(word for row in rows for word in row):
        if word != NOTHING:
            found = TOKEN.fullmatch(word)
            assert found, word
            tokens.append((square, found[1], *(int(part) if part else None for part in found.group(2, 3))))
    seats = header.get("seats", [max([seat_of(what) for _, what, _, _ in tokens if what.isupper()], default=0) + 1])[
        0
    ]
    s = empty_state(settings, seats, 1, side)
    players = settings.players * seats
    called: dict[int, int] = {}
    for square, what, number, _ in sorted(tokens, key=lambda token: token[2] is None):
        first = seat_of(what) * settings.players if what.isupper() else 0
        free = (k for k in itertools.count(first if what.isupper() else players) if k not in called.values())
        called[square] = next(free) if number is None else first + number
    slots = itertools.count(players)
    for square, what, _, bullets in tokens:
        is_player = what.isupper()
        slot = called[square] if is_player else next(slots)
        s.kind[0, slot] = PLAYER if is_player else {"z": ZOMBIE, "#": BODY}[what]
        s.seat[0, slot] = seat_of(what) if is_player else 0
        s.number[0, slot] = called[square]
        s.bullets[0, slot] = bullets if bullets is not None else settings.bullets if is_player else 0
        s.y[0, slot], s.x[0, slot] = divmod(square, side)
        place(s, 0, slot)
    s.actors[0] = next(slots)
    s.seed[0] = header.get("seed", [0])[0]
    s.clock[0] = header.get("clock", [0])[0]
    s.next_number[0] = header.get("next", [max([players - 1, *called.values()]) + 1])[0]
    s.score[0] = header.get("scores", [0] * seats)
    s.over[0] = not (s.kind[0] == PLAYER).any()
    return s


def show(settings: Settings, s: State) -> str:
    """The text of the first match."""
    side = s.slot_at.shape[1]
    head = [
        f"clock {s.clock[0]}",
        f"seats {s.score.shape[1]}",
        f"seed {s.seed[0]}",
        f"next {s.next_number[0]}",
        f"scores {' '.join(str(score) for score in s.score[0])}",
    ]
    squares = [_word(settings, s, slot) if slot >= 0 else NOTHING for slot in s.slot_at[0].ravel() - 1]
    return "\n".join(head + aligned([squares[y * side : (y + 1) * side] for y in range(side)])) + "\n"


def _word(settings: Settings, s: State, slot: int) -> str:
    bullets, number = int(s.bullets[0, slot]), int(s.number[0, slot])
    if s.kind[0, slot] != PLAYER:
        return f"{'z' if s.kind[0, slot] == ZOMBIE else '#'}{number}" + (f":{bullets}" if bullets else "")
    seat = int(s.seat[0, slot])
    text = f"{seat_letters(seat)}{number - seat * settings.players}"
    return text + (f":{bullets}" if bullets != settings.bullets else "")
