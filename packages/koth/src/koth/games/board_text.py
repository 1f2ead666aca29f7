"""A frame as lines of letters, whole or as far as a bot sees: for `koth debug` and `why`, and for golden files.

The letters are the game's own (`glyphs.py`), or the default ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from koth.frame import FrameSpec, visible_squares
from koth.game import Game
from koth.games import GameError, default_glyphs, home
from koth.games.default_glyphs import Glyph, board_size

Square = tuple[int, int]
GROUND = "ground"
"""The colour of what all bots know, visible or not, such as the walls of a maze that is sent at the start."""


def glyphs_of(game: str) -> Any:
    """Return the game's module `glyphs`, or the default one. Raises GameError."""
    name = f"{home(game).module}.glyphs"
    return default_glyphs if find_spec(name) is None else import_module(name)


def places_in_view(
    picture: Any, spec: FrameSpec, frame: Mapping[str, Any], seat: int, unit: int | None = None
) -> set[Square]:
    """Return the squares that a seat, or one unit of it, sees, as positions of letters."""
    places = getattr(picture, "places", lambda x, y: [(x, y)])
    rows, columns = visible_squares(spec, frame, seat, unit).nonzero()
    return {place for y, x in zip(rows.tolist(), columns.tolist(), strict=True) for place in places(x, y)}


def legend_text(picture: Any) -> str:
    """Return the meanings of the letters of this `glyphs` module, in a line."""
    legend: Mapping[str, str] = getattr(picture, "LEGEND", {})
    return "  ".join(f"{sign} {meaning}" for sign, meaning in legend.items())


def glyphs_on(picture: Any, frame: Mapping[str, Any], match_info: Mapping[str, Any]) -> tuple[int, int, list[Glyph]]:
    """Return a board's width, height and glyphs, with NumPy's numbers converted to Python's."""
    width, height, glyphs = picture.glyphs(frame, match_info)
    plain = [
        (int(x), int(y), sign, colour if isinstance(colour, str) else int(colour)) for x, y, sign, colour in glyphs
    ]
    return int(width), int(height), plain


def hide_unseen(glyphs: list[Glyph], seen: set[Square], seat: int, ground: str) -> list[Glyph]:
    """Return the glyphs on the squares that a seat sees; `ground` lies below the glyphs on each of these squares.

    A bot does not know which other bots see a square: points in their colours get its own colour.
    """
    known = [
        (x, y, letter, seat if letter == "·" and isinstance(colour, int) else colour)
        for x, y, letter, colour in glyphs
        if (x, y) in seen or colour == GROUND
    ]
    return [*((x, y, ground, GROUND) for x, y in seen), *known]


def board_text(
    game: Game,
    frame: Mapping[str, Any],
    match_info: Mapping[str, Any],
    seat: int | None = None,
    unit: int | None = None,
) -> list[str]:
    """Return the board of a frame as lines of letters; a frame without a board key by key.

    With a `seat`, only what its bot sees, if the game declares sight; with a `unit` of the seat, what this unit sees,
    cut to the squares around it.
    """
    try:
        picture = glyphs_of(game.name)
    except GameError:
        picture = default_glyphs
    if picture is default_glyphs and not all(board_size(frame)):
        return [f"{key}: {_plain(value)}" for key, value in frame.items()]
    width, height, glyphs = glyphs_on(picture, frame, match_info)
    ground: str = getattr(picture, "GROUND", ".")
    columns, rows, blank = list(range(width)), list(range(height)), ground
    spec = game.frame_spec
    if seat is not None and spec.has_sight:
        seen = places_in_view(picture, spec, frame, seat, unit)
        glyphs, blank = hide_unseen(glyphs, seen, seat, ground), " "
        if unit is not None and seen:
            columns, rows = _span({x for x, _ in seen}, width), _span({y for _, y in seen}, height)
    letters = {(x, y): letter for x, y, letter, _ in glyphs}
    return [" ".join(letters.get((x, y), blank) for x in columns).rstrip() for y in rows]


def _span(places: set[int], size: int) -> list[int]:
    """Return the shortest range of columns, or rows, that contains these places on a board that may wrap."""
    ordered = sorted(places)
    gaps = [(after - before, after) for before, after in pairwise([*ordered, ordered[0] + size])]
    widest, after = max(gaps)
    return [(after + k) % size for k in range(size - widest + 1)]


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value
