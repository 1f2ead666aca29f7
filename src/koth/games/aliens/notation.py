"""A text notation for small boards, both ways.

    clock 4
    seats 2
    .    A0+B3  .
    w0   .      A1
    .    .      c0
    A1 20hp 3 2.4 1 1 1

Header lines are `clock`, `seats`, `seed` and `gone` (letters of bots whose process is dead), each optional.
Then one line per row of the board, north first: `.` nobody, else who stands there, joined by `+`: a capital
letter for an alien of that seat (A the first), a small one for prey (w c t e h), and its number within its
species; left out, it is the first free one. Then a line for everybody whose state is not that of the start
without points (for prey: with all of them): HP, life, strength, defense, vision, cleverness.
"""

from __future__ import annotations

import re

import numpy as np

from koth.games.aliens.state import LETTERS, PREY, Settings, State, empty_state, side_of
from koth.notation import NOTHING, aligned, lines_of, numbers, reading, same_width
from koth.notation import side_of as side_of_rows
from koth.seat_labels import seat_letters, seat_of

TOKEN = re.compile(r"([A-Z]+|[wcteh])(\d+)?")
HEADERS = ("clock", "seats", "seed")
PREY_LETTERS = bytes(LETTERS[: len(PREY)]).decode().lower()


class _Text:
    """The lines of a text, sorted into header, board and states. Raises ValueError naming the line."""

    def __init__(self, text: str) -> None:
        self.header: dict[str, int] = {}
        self.gone: list[int] = []
        self.rows: list[list[list[tuple[str, str]]]] = []
        self.states: list[tuple[int, str, int, list[float]]] = []
        for line in lines_of(text):
            with reading(line.number):
                self._read(line.number, line.words)
        side_of_rows(self.rows)
        seats = [seat_of(who) for row in self.rows for square in row for who, _ in square if who.isupper()]
        self.seats = self.header.get("seats", max([0, *seats, *self.gone]) + 1)
        if self.gone and max(self.gone) >= self.seats:
            raise ValueError(f"there are {self.seats} seats, and {seat_letters(max(self.gone))} is none of them")

    def _read(self, number: int, words: list[str]) -> None:
        if words[0] == "gone":
            self.gone = [seat_of(letters) for letters in words[1:]]
        elif words[0] in HEADERS:
            (self.header[words[0]],) = numbers(words, below=2**63)
        elif len(words) > 1 and words[1].endswith("hp"):
            abilities = [float(word) for word in words[2:]]
            if len(abilities) != 5:
                raise ValueError(f"{words[0]} needs HP and five abilities")
            self.states.append((number, words[0], int(words[1].removesuffix("hp")), abilities))
        else:
            self.rows.append([self._square(word) for word in words])
            same_width(words, self.rows)

    @staticmethod
    def _square(word: str) -> list[tuple[str, str]]:
        """Who stands on a square, as (letters, number or "")."""
        if word == NOTHING:
            return []
        found = [TOKEN.fullmatch(part) for part in word.split("+")]
        if None in found:
            raise ValueError(f"{word!r} is no square of an aliens board")
        return [(match[1], match[2] or "") for match in found if match]


def _first_slot(settings: Settings, seats: int, letters: str) -> tuple[int, int]:
    """The first slot of a species and the number of its slots."""
    if letters.isupper():
        seat = seat_of(letters)
        return seat * settings.instances, settings.instances if seat < seats else 0
    return seats * settings.instances + PREY_LETTERS.index(letters) * settings.prey, settings.prey


def _reset(s: State, m: int, slot: int, settings: Settings) -> None:
    """The state of a start: prey with all their points, aliens with none."""
    species = int(s.species[m, slot]) - s.gone.shape[1]
    s.ability[m, slot] = 1
    s.hp[m, slot] = settings.base_hp
    if species >= 0:
        s.ability[m, slot, species] += settings.points
        s.hp[m, slot] += settings.hp_per_life * settings.points if species == 0 else 0


def parse(text: str, settings: Settings) -> State:
    """The state of one match. Raises ValueError naming the line that can't be read."""
    lines = _Text(text)
    seats = lines.seats
    s = empty_state(settings, seats, 1, len(lines.rows))
    s.seed[0] = lines.header.get("seed", 0)
    s.clock[0] = lines.header.get("clock", 0)
    s.over[0] = s.clock[0] >= settings.rounds
    s.gone[0, lines.gone] = True
    taken = {who for row in lines.rows for square in row for who in square if who[1]}
    slots: dict[str, int] = {}
    for y, row in enumerate(lines.rows):
        for x, square in enumerate(row):
            for letters, number in square:
                first, count = _first_slot(settings, seats, letters)
                free = (str(k) for k in range(count) if (letters, str(k)) not in taken)
                name = number or next(free, "")
                taken.add((letters, name))
                if not name or int(name) >= count or letters + name in slots:
                    raise ValueError(f"{letters + number!r}: there is no such instance, or it is there twice")
                slot = slots[letters + name] = first + int(name)
                s.x[0, slot], s.y[0, slot] = x, y
                _reset(s, 0, slot, settings)
    for line, who, hp, abilities in lines.states:
        if who not in slots:
            raise ValueError(f"line {line}: {who} is not on the board")
        s.hp[0, slots[who]] = hp
        s.ability[0, slots[who]] = np.array(abilities, np.float32)
    return s


def show(s: State, match: int, settings: Settings) -> str:
    """The notation of one match; `parse` of it gives a state that goes on in the same way."""
    side = side_of(s)
    seats = s.gone.shape[1]
    gone = [seat_letters(seat) for seat in np.flatnonzero(s.gone[match]).tolist()]
    head = [f"clock {s.clock[match]}", f"seats {seats}", f"seed {s.seed[match]}"]
    head += [f"gone {' '.join(gone)}"] if gone else []
    squares: list[list[list[str]]] = [[[] for _ in range(side)] for _ in range(side)]
    states = []
    start = empty_state(settings, seats, 1, side)
    for slot in np.flatnonzero(s.hp[match] > 0).tolist():
        species = int(s.species[match, slot])
        letters = seat_letters(species) if species < seats else PREY_LETTERS[species - seats]
        name = f"{letters}{slot - _first_slot(settings, seats, letters)[0]}"
        squares[s.y[match, slot]][s.x[match, slot]].append(name)
        _reset(start, 0, slot, settings)
        ability = s.ability[match, slot]
        if s.hp[match, slot] != start.hp[0, slot] or (ability != start.ability[0, slot]).any():
            levels = " ".join(str(value).removesuffix(".0") for value in ability)
            states.append(f"{name} {s.hp[match, slot]}hp {levels}")
    board = aligned([["+".join(square) or NOTHING for square in row] for row in squares])
    return "\n".join(head + board + states) + "\n"
