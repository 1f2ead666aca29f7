"""A match as a picture: the game's own letters, as `koth watch` shows them, as text or drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from koth.errors import KothError, choices
from koth.game import Array
from koth.learn.environment import Environment
from koth.viewer.letters import Glyph, Ink, board_lines, colour_of
from koth.viewer.terminal import picture_of

MODES = ("rgb_array", "ansi", "human")
GROUND = (16, 20, 24)
EDGE, LEAST, MOST = 480, 8, 24
"""Pixels of a picture's longer edge, about; of a square at least and at most."""
BLOCK = "█"
TRIANGLES, ARROWS, CROSS = "▲▶▼◀", "↑→↓←", "×"
"""Letters that Pillow's font lacks."""


def checked(mode: str | None) -> str | None:
    """A render mode that there is. Raises KothError."""
    if mode is not None and mode not in MODES:
        raise KothError(f"there is no render mode {mode!r}{choices(mode, MODES)}")
    return mode


def rendered(env: Environment, mode: str | None, match: int = 0) -> Any:
    """What `render` returns in this mode; `human` prints the text, without a mode there is nothing."""
    if mode == "rgb_array":
        return drawn(env, match)
    if mode == "ansi":
        return text_of(env, match)
    if mode == "human":
        print(text_of(env, match))
    return None


def seen(env: Environment, match: int) -> tuple[int, int, Sequence[Glyph]]:
    """Width, height and the glyphs of one match as it stands."""
    frame = env.game.frame(env.settings, env.state, match)
    match_info = env.game.match_info(env.settings, env.state, match, 0)
    width, height, glyphs = picture_of(env.game.name).glyphs(frame, match_info)
    return width, height, glyphs


def text_of(env: Environment, match: int = 0) -> str:
    """The board in letters."""
    width, height, glyphs = seen(env, match)
    return "\n".join(board_lines(width, height, glyphs, 2 * width, height, Ink(0)))


def drawn(env: Environment, match: int = 0) -> Array:
    """uint8[height, width, 3]: the board's letters in their colours, the seats' as in the terminal."""
    width, height, glyphs = seen(env, match)
    size = min(max(EDGE // max(width, height), LEAST), MOST)
    picture = np.empty((height, size, width, size, 3), np.uint8)
    picture[:] = GROUND
    for x, y, letter, colour in glyphs:
        ink = shape_of(letter, size)[..., None]
        picture[y, :, x] = GROUND + ink * (np.array(colour_of(colour)) - GROUND)
    return picture.reshape(height * size, width * size, 3)


@cache
def shape_of(letter: str, size: int) -> Array:
    """float64[size, size]: how much of each pixel a letter covers (Pillow's own font)."""
    if letter == BLOCK:
        return np.ones((size, size))
    from PIL import Image, ImageDraw, ImageFont  # only who draws needs it

    image = Image.new("L", (size, size))
    draw, middle = ImageDraw.Draw(image), size / 2
    if letter in TRIANGLES + ARROWS:
        foot = size - 1 if letter in TRIANGLES else middle
        draw.polygon([(size - 1, foot), (0, foot), (middle, 0)], 255)
        draw.line([(middle, 0), (middle, size)], 255, max(1, size // 8))
        return np.rot90(np.asarray(image), -((TRIANGLES + ARROWS).index(letter) % 4)) / 255
    text = "x" if letter == CROSS else letter
    draw.text((middle, middle), text, 255, ImageFont.load_default(size), anchor="mm")
    return np.asarray(image) / 255
