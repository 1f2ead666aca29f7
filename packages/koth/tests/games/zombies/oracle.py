"""A second zombies, slow and plain, written from the rules alone: what the compiled one is compared with.

A match is a dict from square to `Actor`; nothing here is shared with `rules.py` except the addresses of its
random numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from koth.games.zombies.rules import SPAWN, WALK
from koth.games.zombies.state import Settings
from koth.rng import draw

NEXT_TO = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
STEPS = [(-1, -1), (0, -1), (1, -1), (1, 0), (0, 0), (-1, 0), (1, 1), (0, 1), (-1, 1)]
Square = tuple[int, int]


@dataclass
class Actor:
    """`what` is "z", "#" or a bot's letter."""

    what: str
    number: int
    bullets: int = 0

    @property
    def lives(self) -> bool:
        return self.what not in "z#"


@dataclass
class Match:
    """Everything between two turns."""

    side: int
    clock: int
    seed: int
    next_number: int
    scores: list[int]
    at: dict[Square, Actor] = field(default_factory=dict)


def read(text: str, settings: Settings) -> Match:
    """A match from the notation, in which everybody's number is written."""
    header = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in text.splitlines()[:5]}
    rows = [line.split() for line in text.splitlines()[5:]]
    match = Match(len(rows), header["clock"][0], header["seed"][0], header["next"][0], header["scores"])
    for y, row in enumerate(rows):
        for x, word in enumerate(row):
            found = re.fullmatch(r"(z|#|[A-Z])(\d+)(:\d+)?", word)
            if found:
                what, number = found[1], int(found[2])
                lives = what not in "z#"
                number += (ord(what) - ord("A")) * settings.players if lives else 0
                bullets = int(found[3][1:]) if found[3] else settings.bullets if lives else 0
                match.at[x, y] = Actor(what, number, bullets)
    return match


def board(match: Match) -> list[list[tuple[str, int, int] | None]]:
    """Who stands where, as plain values that can be compared."""
    squares = range(match.side)
    found = [[match.at.get((x, y)) for x in squares] for y in squares]
    return [[(a.what, a.number, a.bullets) if a else None for a in row] for row in found]


def become(match: Match, actor: Actor, what: str) -> None:
    """Another kind of being, under the next number."""
    actor.what, actor.number = what, match.next_number
    match.next_number += 1


def around(match: Match, square: Square) -> list[Square]:
    return [((square[0] + dx) % match.side, (square[1] + dy) % match.side) for dx, dy in NEXT_TO]


def begin_turn(match: Match) -> None:
    """Rules 1 to 3."""
    square = draw(match.seed, match.clock, SPAWN, 0, match.side**2)
    risen = match.at.setdefault((square % match.side, square // match.side), Actor("z", 0))
    risen.bullets = 0
    become(match, risen, "z")
    zombies = [square for square, actor in match.at.items() if actor.what == "z"]
    bitten = [
        match.at[near]
        for near in {near for zombie in zombies for near in around(match, zombie)}
        if near in match.at and match.at[near].lives
    ]
    for actor in sorted(bitten, key=lambda actor: actor.number):
        actor.bullets = 0
        become(match, actor, "z")
    for actor in match.at.values():
        if actor.lives:
            match.scores[ord(actor.what) - ord("A")] = match.clock


def offset(match: Match, one: Square, other: Square) -> tuple[int, int]:
    """From one square to another, the short way round."""
    half = match.side // 2
    dx, dy = ((b - a + half) % match.side - half for a, b in zip(one, other, strict=True))
    return dx, dy


def zombie_step(match: Match, square: Square, settings: Settings) -> tuple[int, int]:
    """Rule 4 for a zombie."""
    offsets = [offset(match, square, other) for other, actor in match.at.items() if actor.lives]
    seen = [(max(abs(dx), abs(dy)), dx, dy) for dx, dy in offsets if max(abs(dx), abs(dy)) <= settings.vision]
    if not seen:
        return STEPS[draw(match.seed, match.clock, WALK, match.at[square].number, 9)]
    _, dx, dy = min(seen)
    return (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)


Order = tuple[int, tuple[str, int]]
"""A player's action, and the kind and number of whom it would shoot at."""


def end_turn(match: Match, orders: dict[int, Order], settings: Settings) -> None:
    """Rules 4 to 8, with the order of every living player by its number."""
    steps: dict[Square, tuple[int, int]] = {}
    shooting: dict[Square, tuple[str, int]] = {}
    for square, actor in match.at.items():
        steps[square] = (0, 0)
        if actor.what == "z":
            steps[square] = zombie_step(match, square, settings)
        elif actor.lives:
            action, target = orders[actor.number]
            if action < 9:
                steps[square] = STEPS[action]
            elif action == 9 and actor.bullets > 0:
                shooting[square] = target
    for square in shoot(match, shooting, settings):
        steps[square] = (0, 0)
    move(match, steps)
    share(match)
    match.clock += 1


def shoot(match: Match, shooting: dict[Square, tuple[str, int]], settings: Settings) -> list[Square]:
    """Rule 5; returns where somebody was hit."""
    hit = []
    for square, actor in match.at.items():
        for shooter, target in shooting.items():
            far = max(map(abs, offset(match, shooter, square)))
            if target == (actor.what, actor.number) and far <= settings.shoot_range:
                hit.append(square)
                break
    for shooter in shooting:
        match.at[shooter].bullets -= 1
    for square in sorted(hit, key=lambda square: match.at[square].number):
        become(match, match.at[square], "#")
    return hit


def move(match: Match, steps: dict[Square, tuple[int, int]]) -> None:
    """Rule 6, as it is written."""
    wants = {(x, y): ((x + steps[x, y][0]) % match.side, (y + steps[x, y][1]) % match.side) for x, y in match.at}
    while True:
        wanted = list(wants.values())
        back = [start for start, want in wants.items() if want != start and wanted.count(want) > 1]
        if not back:
            break
        wants.update({start: start for start in back})
    match.at = {wants[start]: actor for start, actor in match.at.items()}


def share(match: Match) -> None:
    """Rule 7."""
    for square, actor in match.at.items():
        near = [match.at[other] for other in around(match, square) if other in match.at]
        living = [other for other in near if other.lives]
        if actor.what == "#" and living:
            for other in living:
                other.bullets += actor.bullets // len(living)
            actor.bullets = 0
