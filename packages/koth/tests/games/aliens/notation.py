"""Small boards of aliens as text, both ways.

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

from koth.games.aliens.state import PREY_LETTERS, Settings, State, empty_state, side_of
from koth.seat_labels import seat_letters
from tests.games.lines import NOTHING, aligned, seat_of, words_of

TOKEN = re.compile(r"([A-Z]+|[wcteh])(\d+)?")
HEADERS = ("clock", "seats", "seed")


def slot_of(name: str, seats: int, settings: Settings) -> int:
    """The slot of an instance by its name: A0, w1."""
    found = TOKEN.fullmatch(name)
    assert found, name
    letters, number = found[1], int(found[2])
    if letters.isupper():
        assert number < settings.instances, name
        return seat_of(letters) * settings.instances + number
    assert number < settings.prey, name
    return seats * settings.instances + PREY_LETTERS.index(letters) * settings.prey + number


def name_of(slot: int, seats: int, settings: Settings) -> str:
    """The reverse of `slot_of`."""
    species, number = divmod(slot, settings.instances)
    if species < seats:
        return f"{seat_letters(species)}{number}"
    species, number = divmod(slot - seats * settings.instances, settings.prey)
    return f"{PREY_LETTERS[species]}{number}"


def parse(text: str, settings: Settings) -> State:
    """The state of one match."""
    lines = words_of(text)
    header = {words[0]: int(words[1]) for words in lines if words[0] in HEADERS}
    gone = [seat_of(letters) for words in lines if words[0] == "gone" for letters in words[1:]]
    details = [words for words in lines if len(words) > 1 and words[1].endswith("hp")]
    rows = [words for words in lines if words[0] not in (*HEADERS, "gone") and words not in details]
    found = [
        (x, y, part)
        for y, row in enumerate(rows)
        for x, word in enumerate(row)
        if word != NOTHING
        for part in word.split("+")
    ]
    species = [seat_of(part.rstrip("0123456789")) for *_, part in found if part[0].isupper()]
    seats = header.get("seats", max([0, *species, *gone]) + 1)
    s = empty_state(settings, seats, 1, len(rows))
    s.seed[0] = header.get("seed", 0)
    s.clock[0] = header.get("clock", 0)
    s.over[0] = s.clock[0] >= settings.rounds
    s.gone[0, gone] = True
    taken = {part for *_, part in found}
    for x, y, part in found:
        name = part if part[-1].isdigit() else next(f"{part}{k}" for k in range(99) if f"{part}{k}" not in taken)
        taken.add(name)
        slot = slot_of(name, seats, settings)
        s.x[0, slot], s.y[0, slot] = x, y
        _reset(s, slot, settings)
    for who, hp, *abilities in details:
        s.hp[0, slot_of(who, seats, settings)] = int(hp.removesuffix("hp"))
        s.ability[0, slot_of(who, seats, settings)] = [float(value) for value in abilities]
    return s


def _reset(s: State, slot: int, settings: Settings) -> None:
    """The state of a start: prey with all their points, aliens with none."""
    species = int(s.species[0, slot]) - s.gone.shape[1]
    s.ability[0, slot] = 1
    s.hp[0, slot] = settings.base_hp
    if species >= 0:
        s.ability[0, slot, species] += settings.points
        s.hp[0, slot] += settings.hp_per_life * settings.points if species == 0 else 0


def show(s: State, settings: Settings) -> str:
    """Where everybody stands in the first match: its board, without header and details."""
    side = side_of(s)
    squares: list[list[list[str]]] = [[[] for _ in range(side)] for _ in range(side)]
    for slot in np.flatnonzero(s.hp[0] > 0).tolist():
        squares[s.y[0, slot]][s.x[0, slot]].append(name_of(slot, s.gone.shape[1], settings))
    return "\n".join(aligned([["+".join(square) or NOTHING for square in row] for row in squares])) + "\n"
