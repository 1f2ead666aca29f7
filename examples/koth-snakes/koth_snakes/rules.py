"""The phases of a turn (RULES.md has the numbers)."""

from __future__ import annotations

from typing import Any

from koth.game import Array
from koth.kernel import kernel
from koth.rng import draw
from koth_snakes.state import BODY, DX, DY, HEAD, HEALTH, LENGTH, ON, STARVED, WALL, State

START, FEED, SPAWN, CHANCE = range(4)
"""Phases that draw random numbers."""


@kernel
def part(s: State, m: int, k: int, i: int) -> int:
    """The square of a snake's part, the head being 0."""
    return int(s.body[m, k, (s.head[m, k] + i) & (s.body.shape[2] - 1)])


@kernel(allocates=True)
def set_up(s: State, settings: Any) -> None:
    """Rules 1 to 3. Snakes on eight squares of the ring one in from the edge, drawn at random, and their food."""
    side = settings.side
    lines = (1, side // 2, side - 2)
    middle = (side // 2) * side + side // 2
    for m in range(s.seed.size):
        free = [lines[i % 3] + lines[i // 3] * side for i in range(9) if i != 4]
        s.food[m, middle] = True
        for k in range(s.alive.shape[1]):
            square = free.pop(draw(s.seed[m], 0, START, k, len(free)))
            s.alive[m, k] = True
            s.health[m, k] = HEALTH
            s.length[m, k] = LENGTH
            s.body[m, k, :LENGTH] = square
            s.parts[m, square] = LENGTH
        for k in range(s.alive.shape[1]):
            square = part(s, m, k, 0)
            around = [square + dy * side + dx for dx in (-1, 1) for dy in (-1, 1)]
            near = [there for there in around if not s.food[m, there] and not s.parts[m, there]]
            if len(near):
                s.food[m, near[draw(s.seed[m], 0, FEED, k, len(near))]] = True


@kernel
def ahead(square: int, direction: int, side: int, wraps: bool) -> int:
    """The next square in a direction; -1 off the board."""
    x, y = square % side + DX[direction], square // side + DY[direction]
    if wraps:
        return (x + side) % side + (y + side) % side * side
    return x + y * side if 0 <= x < side and 0 <= y < side else -1


@kernel
def move(s: State, m: int, k: int, word: int, side: int, wraps: bool) -> None:
    """Rule 4. The head takes the new square, every part that of the one before it; then rule 5, hunger.

    A head that leaves the board lies nowhere.
    """
    if word < ON:
        s.heading[m, k] = word
    square = ahead(part(s, m, k, 0), s.heading[m, k], side, wraps)
    s.parts[m, part(s, m, k, s.length[m, k] - 1)] -= 1
    s.head[m, k] = (s.head[m, k] - 1) & (s.body.shape[2] - 1)
    s.body[m, k, s.head[m, k]] = square
    if square >= 0:
        s.parts[m, square] += 1
    s.health[m, k] -= 1


@kernel
def eat(s: State, m: int) -> None:
    """Rule 6. Who has its head on food is sated and a part longer; the food is gone."""
    for k in range(s.alive.shape[1]):
        square = part(s, m, k, 0)
        if s.alive[m, k] and square >= 0 and s.food[m, square]:
            tail = part(s, m, k, s.length[m, k] - 1)
            s.health[m, k] = HEALTH
            s.body[m, k, (s.head[m, k] + s.length[m, k]) & (s.body.shape[2] - 1)] = tail
            s.length[m, k] += 1
            s.parts[m, tail] += 1
    for k in range(s.alive.shape[1]):
        square = part(s, m, k, 0)
        if s.alive[m, k] and square >= 0:
            s.food[m, square] = False


@kernel
def grow_food(s: State, m: int, settings: Any) -> None:
    """Rule 7. As much food as lacks, else now and then one."""
    foods = 0
    for square in range(s.food.shape[1]):
        foods += s.food[m, square]
    lacking = settings.minimum_food - foods
    if lacking <= 0:
        lacking = 1 if draw(s.seed[m], s.turn[m], CHANCE, 0, 100) < settings.food_chance else 0
    for n in range(lacking):
        put_food(s, m, n)


@kernel
def put_food(s: State, m: int, n: int) -> None:
    """A food on a random square without snake or food; none where there is no such square."""
    free = 0
    for square in range(s.food.shape[1]):
        free += not s.food[m, square] and s.parts[m, square] == 0
    if free == 0:
        return
    which = draw(s.seed[m], s.turn[m], SPAWN, n, free)
    for square in range(s.food.shape[1]):
        if not s.food[m, square] and s.parts[m, square] == 0:
            if which == 0:
                s.food[m, square] = True
            which -= 1


@kernel
def take_off(s: State, m: int, k: int) -> None:
    """A snake that died in this turn lies there for nobody."""
    s.alive[m, k] = False
    s.died[m, k] = s.turn[m]
    for i in range(s.length[m, k]):
        square = part(s, m, k, i)
        if square >= 0:
            s.parts[m, square] -= 1


@kernel
def die(s: State, m: int) -> None:
    """Rule 8. Hunger and the wall first; then collisions among the rest, all judged on the same board."""
    seats = s.alive.shape[1]
    for k in range(seats):
        if s.alive[m, k] and (s.health[m, k] <= 0 or part(s, m, k, 0) < 0):
            s.fate[m, k] = STARVED if s.health[m, k] <= 0 else WALL
            take_off(s, m, k)
    doomed = 0
    for k in range(seats):
        if s.alive[m, k] and collides(s, m, k):
            doomed |= 1 << k
    for k in range(seats):
        if doomed >> k & 1:
            take_off(s, m, k)


@kernel
def collides(s: State, m: int, k: int) -> bool:
    """Is its head on a part that is not a head, or on the head of a snake as long or longer? Notes which it was."""
    square = part(s, m, k, 0)
    heads = 0
    loses = False
    for other in range(s.alive.shape[1]):
        if s.alive[m, other] and part(s, m, other, 0) == square:
            heads += 1
            if other != k and s.length[m, other] >= s.length[m, k]:
                loses = True
                s.fate[m, k] = HEAD
                s.killer[m, k] = other
    if s.parts[m, square] > heads:
        s.fate[m, k] = BODY
        s.killer[m, k] = owner(s, m, square)
        return True
    return loses


@kernel
def owner(s: State, m: int, square: int) -> int:
    """The living snake of which a part that is not a head lies on a square."""
    for other in range(s.alive.shape[1]):
        for i in range(1, s.length[m, other] if s.alive[m, other] else 0):
            if part(s, m, other, i) == square:
                return other
    return -1


@kernel
def end(s: State, m: int, turns: int) -> None:
    """Rules 9 and 10. At most one is left (of one: none), or time is up; then the score."""
    seats = s.alive.shape[1]
    living = 0
    for k in range(seats):
        living += s.alive[m, k]
    s.over[m] = living == 0 or (living == 1 and seats > 1) or s.turn[m] >= turns
    for k in range(seats):
        score = 0.0
        for other in range(seats):
            score += outlived(s, m, k, other) if other != k else 0.0
        s.score[m, k] = score


@kernel
def outlived(s: State, m: int, k: int, other: int) -> float:
    """1 for a rival that died before it, half for one that died with it or lives with it to the end."""
    if s.alive[m, k] and s.alive[m, other]:
        return 0.5 if s.over[m] else 0.0
    if s.alive[m, k] or s.alive[m, other]:
        return 1.0 if s.alive[m, k] else 0.0
    if s.died[m, k] == s.died[m, other]:
        return 0.5
    return 1.0 if s.died[m, k] > s.died[m, other] else 0.0


@kernel
def play(s: State, settings: Any, match: Array, seat: Array, words: Array) -> None:
    """Rules 4 to 10 for every match that is not over, with the answers of the living, row by row."""
    for row in range(match.size):
        move(s, match[row], seat[row], words[row], settings.side, settings.wraps)
    for m in range(s.seed.size):
        if not s.over[m]:
            s.turn[m] += 1
            eat(s, m)
            grow_food(s, m, settings)
            die(s, m)
            end(s, m, settings.turns)
