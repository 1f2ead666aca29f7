"""Remarks on the habits of a Pac-Man bot, for its author."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from koth.game import Array, Observations
from koth.games.pacman.state import EAST, NORTH, ORDERS, SEES_GHOST, SEES_PACMAN, SOUTH, STAY, WEST, Settings

TURNED = {NORTH: WEST, WEST: NORTH, EAST: SOUTH, SOUTH: EAST}
"""The direction in which a bot that swaps row and column sees what lies in a direction."""


AGAINST = 20
"""The number of steps against the same wall that is no accident."""


class Habits:
    """A test of whether a bot reads squares as sent, or with row and column swapped.

    A bot that swaps them reads the walls of another square, and mistakes east for south. So its moves are free on
    that square and blocked on its own, and go to food that is not there.
    """

    def __init__(self, settings: Settings, protocol: str, options: Mapping[str, Any]) -> None:
        self._order = options.get("coordinates") or settings.coordinates
        self._lines = protocol == "text"
        self._tried: dict[tuple[int, int], tuple[int, int]] = {}
        """By square and move: whether there is a wall, and whether there would be one with row and column swapped."""
        self._food = [0, 0, 0]
        """Moves to food; away from food that would lie ahead with row and column swapped; away from other food."""
        self._against = 0
        """Steps in a row against one wall."""
        self._last = (-1, -1)
        self._most = (0, 0)
        """The most steps in a row against one wall, and whether a wall would be there with row and column swapped."""

    def take(self, observations: Observations, answer: Mapping[str, Array], match_info: Mapping[str, Any]) -> None:
        """Record one question and its answer."""
        move, side, walls = int(answer["move"][0]), match_info["side"], match_info["walls"]
        squares = observations.fields["square"].tolist()
        shown = dict(zip(squares, observations.fields["content"].tolist(), strict=True))
        own = squares[0]
        row, col = divmod(own, side)
        if move == STAY or shown[own] == SEES_GHOST:
            return
        here, turned = (int(walls[square], 16) >> move & 1 for square in (own, col * side + row))
        self._tried[own, move] = here, turned
        self._against = (self._against + 1 if self._last == (own, move) else 1) if here else 0
        self._last, self._most = (own, move), max(self._most, (self._against, turned))
        around = ((row - 1) % side, col), (row, (col + 1) % side), ((row + 1) % side, col), (row, (col - 1) % side)
        food = [0 < shown.get(r * side + c, 0) < SEES_PACMAN for r, c in around]
        if any(food) and not here:
            self._food[0 if food[move] else 1 if food[TURNED[move]] else 2] += 1

    def remarks(self) -> list[str]:
        """Return the remarks."""
        turned, (times, wall) = ORDERS[1 - ORDERS.index(self._order)], self._most
        against = f"it walked into the same wall {times} times in a row"
        cure = f'say coordinates = "{turned}" in its koth.toml, or --set coordinates={turned} for all'
        for sign in self._signs() if self._lines else ():
            return [f"it seems to read squares as {turned}, and is sent {self._order}: {sign}; if so, {cure}"]
        if times >= AGAINST and self._lines and not wall:
            there = "there would be none with row and column swapped"
            return [f"{against}; {there}: if it reads squares as {turned}, {cure}"]
        if times >= AGAINST:
            return [f"{against}: a square's digit is the sum of its walls, north 1, east 2, south 4, west 8"]
        return []

    def _signs(self) -> Iterator[str]:
        """Yield the remark that row and column are swapped. By chance it appears for one bot in a hundred."""
        here, there = (sum(pair == wanted for pair in self._tried.values()) for wanted in ((0, 1), (1, 0)))
        if there >= 6 and there >= 8 * here:
            yield f"{there} of its moves were blocked, but free with row and column swapped; {here} were the reverse"
        right, wrong, other = self._food
        if wrong >= 8 and wrong >= 6 * right and wrong > 2 * other:
            yield f"{wrong} times it passed food as if row and column were swapped, {right} times it took food"
