"""The three questions of the game, and the kernels that write their observations."""

from __future__ import annotations

from typing import Any, NamedTuple

from koth.game import Array, Buffers, Field, Observations, Question, RowIndex
from koth.games.aliens.rules import BLUR, SHOWN
from koth.games.aliens.state import (
    ALIEN,
    CLEVERNESS,
    EMPTY,
    HALO,
    LETTERS,
    MOVES,
    NOBODY,
    STAY,
    VISION,
    Settings,
    State,
    halve,
    is_asked,
    round_half_up,
    side_of,
)
from koth.grid import CHUNK, copy_in_chunks
from koth.kernel import kernel
from koth.rng import draw


class Instances(NamedTuple):
    """The observation of a bot's instances before the first round."""

    instance: Any


class Sights(NamedTuple):
    """The observation of a living instance before it moves."""

    instance: Any
    levels: Any
    hp: Any
    sight: Any
    blur: Any
    cells: Any
    window: Any


class Meetings(NamedTuple):
    """The observation of an instance that meets another: its own state, and the enemy's blurred levels."""

    instance: Any
    levels: Any
    hp: Any
    sight: Any
    blur: Any
    enemy: Any


ITSELF = {
    "instance": Field("<i4", low=0, doc="its number within the species"),
    "hp": Field("<i4", doc="hit points that it has left"),  # below 0: a corpse that is met (ruleset original)
    "levels": Field("<i4", (5,), doc="life, strength, defense, vision, cleverness, rounded"),
    "sight": Field("<i4", low=0, doc="squares that it sees in every direction"),
    "blur": Field("<i4", low=0, doc="its enemies are shown its levels, each increased by 0 up to this"),
}
"""The fields of an alien's own properties, part of every question after the first."""


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """Return the three questions of the game."""
    most = max(1, settings.slots(seats))
    points = Question(
        "points",
        observation=Instances(ITSELF["instance"]),
        answer={
            "points": Field(
                "<f4", (5,), low=0, high=settings.points, doc="for life, strength, defense, vision, cleverness"
            ),
        },
        max_rows=most,
        doc="Once, before the first round: how does each instance set its ability points?",
        units="instance",
    )
    move = Question(
        "move",
        observation=Sights(
            **ITSELF,
            cells=Field("<i4", low=1, doc="squares of its window: (2 * sight + 1) squared"),
            window=Field(
                "u1",
                ragged="cells",
                doc="a letter (ASCII) per square around it, column by column from the west, each from the "
                "north: A an alien, W C T E H prey, a space an empty square",
            ),
        ),
        answer={"move": Field("i1", default=STAY, names=MOVES, doc="where it goes")},
        max_rows=most,
        doc="Where does each living instance go this round?",
        units="instance",
    )
    meet = Question(
        "meet",
        observation=Meetings(
            **ITSELF,
            enemy=Field("<i4", (4,), doc="blurred levels of the enemy's life, strength, defense, vision"),
        ),
        answer={"fight": Field("u1", default=1, low=0, high=1, doc="1: it wants to fight, 0: it wants peace")},
        max_rows=most,
        doc="Asked in waves after the moves: does each instance that meets somebody want to fight?",
        units="instance",
        step=True,
    )
    return {"points": points, "move": move, "meet": meet}


@kernel
def write_instances(rows: int, seats: int, instances: int, index: RowIndex, observation: Instances) -> None:
    """Write a row for every instance of every bot."""
    slots = seats * instances
    for row in range(rows):
        index.match[row] = row // slots
        index.seat[row] = row % slots // instances
        index.unit[row] = row % slots
        observation.instance[row] = row % instances


def setting_up(settings: Settings, s: State, buffers: Buffers) -> Observations:
    """Rule 2. Ask each bot for the ability points of each instance, before round 1."""
    matches, seats = s.gone.shape
    rows = matches * seats * settings.instances
    write_instances(rows, seats, settings.instances, *buffers.arrays("points"))
    return buffers.observations("points", rows)


@kernel
def clear(board: Array) -> None:
    """Empty all squares of a board."""
    for x in range(board.shape[0]):
        for y in range(board.shape[1]):
            board[x, y] = EMPTY


@kernel
def repeat_around(board: Array) -> None:
    """Repeat a board in the margin around it, as often as needed."""
    side = board.shape[0] - 2 * HALO
    for x in range(HALO, HALO + side):
        for y in range(HALO - 1, -1, -1):
            board[x, y] = board[x, y + side]
        for y in range(HALO + side, board.shape[1]):
            board[x, y] = board[x, y - side]
    for x in range(HALO - 1, -1, -1):
        for y in range(board.shape[1]):
            board[x, y] = board[x + side, y]
    for x in range(HALO + side, board.shape[0]):
        for y in range(board.shape[1]):
            board[x, y] = board[x - side, y]


@kernel
def draw_boards(s: State) -> int:
    """Rule 3. Write the snapshot of this round; return the number of squares in all windows together.

    Of several instances on a square one is drawn: the k-th replaces the one shown before it with probability 1 / k.
    """
    side = side_of(s)
    cells = 0
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        board = s.board[m]
        count = s.count_at[m]
        count[:] = 0
        clear(board)
        for i in range(s.population[m]):
            slot = s.living[m, i]
            square = s.x[m, slot] * side + s.y[m, slot]
            count[square] += 1
            if count[square] == 1 or draw(s.seed[m], s.clock[m], SHOWN, slot, count[square]) == 0:
                prey = int(s.species[m, slot]) - s.gone.shape[1]
                board[s.x[m, slot] + HALO, s.y[m, slot] + HALO] = LETTERS[prey if prey >= 0 else ALIEN]
            if is_asked(s.species[m, slot], s.gone[m]):
                size = 2 * halve(s.ability[m, slot, VISION]) + 1
                cells += size * size
        repeat_around(board)
    return cells


@kernel
def copy_far_sight(board: Array, x: int, y: int, sight: int, window: Array, start: int) -> None:
    """Copy the squares up to `sight` around (x, y), column by column, into `window` from `start` on.

    For a sight that reaches beyond the halo: the window wraps as often as needed.
    """
    side = board.shape[0] - 2 * HALO
    size = 2 * sight + 1
    for column in range(size):
        squares = board[HALO + (x - sight + column) % side]
        for row in range(size):
            window[start + column * size + row] = squares[HALO + (y - sight + row) % side]


@kernel
def write_levels(ability: Array, levels: Array) -> None:
    """Rule 1. Write the rounded abilities of one alien."""
    for k in range(5):
        levels[k] = round_half_up(ability[k])


@kernel
def write_itself(s: State, m: int, slot: int, instances: int, index: RowIndex, observation: Any, row: int) -> None:
    """Write the row's unit and its own levels, hit points, sight and blur."""
    index.match[row] = m
    index.seat[row] = s.species[m, slot]
    index.unit[row] = slot
    observation.instance[row] = slot % instances
    observation.hp[row] = s.hp[m, slot]
    observation.sight[row] = halve(s.ability[m, slot, VISION])
    observation.blur[row] = halve(s.ability[m, slot, CLEVERNESS])
    write_levels(s.ability[m, slot], observation.levels[row])


@kernel
def write_sights(s: State, instances: int, index: RowIndex, observation: Sights) -> int:
    """Write a row for every living alien that is asked; return the number of rows."""
    rows = 0
    start = 0
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for i in range(s.population[m]):
            slot = s.living[m, i]
            if not is_asked(s.species[m, slot], s.gone[m]):
                continue
            write_itself(s, m, slot, instances, index, observation, rows)
            sight = observation.sight[rows]
            if sight <= HALO:
                left, top = s.x[m, slot] + HALO - sight, s.y[m, slot] + HALO - sight
                copy_in_chunks(s.board[m], top, left, 2 * sight + 1, observation.window, start)
            else:
                copy_far_sight(s.board[m], s.x[m, slot], s.y[m, slot], sight, observation.window, start)
            size = 2 * sight + 1
            observation.cells[rows] = size * size
            start += size * size
            rows += 1
    return rows


def see(settings: Settings, s: State, buffers: Buffers, cells: int) -> Observations:
    """Rule 3. Return what every living alien sees of the snapshot, in windows of `cells` squares together."""
    rows = write_sights(s, settings.instances, *buffers.arrays("move", cells=cells + CHUNK))
    return buffers.observations("move", rows, cells=cells)


@kernel
def blur_levels(seed: int, clock: int, question: int, ability: Array, levels: Array) -> None:
    """Rule 4. Write the four levels that an alien is shown of an enemy with these abilities, each blurred."""
    most = halve(ability[CLEVERNESS]) + 1
    for k in range(4):
        levels[k] = round_half_up(ability[k]) + draw(seed, clock, BLUR, question * 4 + k, most)


@kernel
def write_meetings(s: State, instances: int, index: RowIndex, observation: Meetings) -> int:
    """Write a row for every alien that is asked about an opponent now; return the number of rows."""
    slots = s.hp.shape[1]
    rows = 0
    for m in range(s.seed.size):
        if s.meetings[m] == 0:
            continue
        for i in range(s.population[m]):
            slot = s.living[m, i]
            other = s.opponent[m, slot]
            if other == NOBODY or not is_asked(s.species[m, slot], s.gone[m]):
                continue
            write_itself(s, m, slot, instances, index, observation, rows)
            levels = observation.enemy[rows]
            blur_levels(s.seed[m], s.clock[m], int(slot) * slots + int(other), s.ability[m, other], levels)
            rows += 1
    return rows


def meetings(settings: Settings, s: State, buffers: Buffers) -> Observations:
    """Rule 4. Return the observations of all aliens with an opponent in this wave."""
    return buffers.observations("meet", write_meetings(s, settings.instances, *buffers.arrays("meet")))
