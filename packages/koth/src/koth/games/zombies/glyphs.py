"""Zombies in letters, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.games.default_glyphs import Glyph
from koth.games.zombies.state import BODY, PLAYER, ZOMBIE
from koth.seat_labels import seat_letters

LEGEND = {"A": "a player, by its bot's letter", "z": "a zombie", "#": "a body"}


def glyphs(frame: Mapping[str, Any], match_info: Mapping[str, Any]) -> tuple[int, int, list[Glyph]]:
    """Return width, height, and a glyph per actor, the most important last: x, y, letter, colour.

    A colour is a seat (its bot's colour) or "dim", "ground", "green", "red", "yellow", "blue", "white".
    """
    columns = (frame[name].tolist() for name in ("kind", "seat", "x", "y"))
    found: dict[int, list[Glyph]] = {BODY: [], ZOMBIE: [], PLAYER: []}
    for kind, seat, x, y in zip(*columns, strict=True):
        if kind == PLAYER:
            found[kind].append((x, y, seat_letters(seat)[-1], seat))
        elif kind in found:
            found[kind].append((x, y, "#" if kind == BODY else "z", "dim" if kind == BODY else "green"))
    return frame["side"], frame["side"], found[BODY] + found[ZOMBIE] + found[PLAYER]
