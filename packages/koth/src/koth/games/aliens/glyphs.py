"""Aliens in letters, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.games.aliens.state import PREY, PREY_LETTERS
from koth.games.default_glyphs import Glyph
from koth.seat_labels import seat_letters

LEGEND = {"A": "an alien, by its bot's letter"} | dict(zip(PREY_LETTERS, PREY, strict=True))


def glyphs(frame: Mapping[str, Any], match_info: Mapping[str, Any]) -> tuple[int, int, list[Glyph]]:
    """Return width, height, and a glyph per living instance, the most important last: x, y, letter, colour.

    A colour is a seat (its bot's colour) or "dim". Prey are at the bottom, the most able aliens on top.
    """
    seats = len(frame["alive"]) - len(PREY)
    columns = (frame[name].tolist() for name in ("species", "x", "y", "hp", "total"))
    found: list[tuple[int, Glyph]] = []
    for species, x, y, hp, total in zip(*columns, strict=True):
        if hp > 0 and species < seats:
            found.append((total, (x, y, seat_letters(species)[-1], species)))
        elif hp > 0:
            found.append((0, (x, y, PREY_LETTERS[species - seats], "dim")))
    found.sort(key=lambda ranked: ranked[0])
    return frame["side"], frame["side"], [glyph for _, glyph in found]


def columns(frame: Mapping[str, Any], names: list[str]) -> tuple[list[str], dict[str, list[float]]]:
    """Return the standings of a frame, prey included: names, and the score and number alive of each species."""
    return [*names, *frame["prey"]], {"score": frame["score"], "alive": frame["alive"]}
