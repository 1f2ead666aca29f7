"""Bots' colours are distinct, also for people who see some colours alike, and from who is nobody's."""

from __future__ import annotations

import math
import re
from itertools import combinations

import numpy as np
import pytest

from koth.viewer.palette import COLOURS
from koth.viewer.server import static_files

EYES = {
    "all colours": np.eye(3),
    "no red": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "no green": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "no blue": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
"""What is seen of linear red, green and blue (Machado, Oliveira and Fernandes 2009, at full strength)."""
TO_LMS = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
TO_LAB = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])
NOBODYS = {"dark": ["#7f9a6a", "#cfd4da", "#5a646d"], "light": ["#a3b894", "#f4f5f7", "#f0eee9"]}
"""Zombies, ghosts, bodies."""


def table(name: str) -> list[tuple[float, ...]]:
    """The colours that the page has, as they stand in its source."""
    source = static_files()["colors.js"].read_text()
    (body,) = re.findall(rf"const {name} = \[(.*?)\n\];", source, re.S)
    return [tuple(map(float, part.split(", "))) for part in re.findall(r"\[([^\]]*)\]", body)]


def linear_of(light: float, chroma: float, hue: float) -> np.ndarray:
    lab = np.array([light, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))])
    return np.clip(np.linalg.inv(TO_LMS) @ (np.linalg.inv(TO_LAB) @ lab) ** 3, 0, 1)


def linear_of_hex(text: str) -> np.ndarray:
    part = np.array([int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def apart(one: np.ndarray, other: np.ndarray, eyes: np.ndarray) -> float:
    """Return the difference of two colours to these eyes (in Oklab, where black and white differ by 1)."""
    seen = [TO_LAB @ np.cbrt(TO_LMS @ np.clip(eyes @ colour, 0, 1)) for colour in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


def luminance(linear: np.ndarray) -> float:
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_drawings_have_the_pages_colours() -> None:
    for drawn, shown in zip(COLOURS, table("COLORS"), strict=True):
        assert np.abs(linear_of_hex("#{:02x}{:02x}{:02x}".format(*drawn)) - linear_of(*shown)).max() < 0.01


@pytest.mark.parametrize("paper", ["#ffffff", "#1a1f24", "#000006"])
def test_bots_stand_out_from_the_paper_of_both_themes(paper: str) -> None:
    """By 3 to 1, as WCAG 1.4.11 wants of graphics."""
    below = luminance(linear_of_hex(paper))
    for colour in table("COLORS"):
        dark, light = sorted([below, luminance(linear_of(*colour))])
        assert (light + 0.05) / (dark + 0.05) >= 2.99, colour


@pytest.mark.parametrize("eyes", EYES)
def test_bots_have_distinct_colours(eyes: str) -> None:
    colours = [linear_of(*colour) for colour in table("COLORS")]
    nearest = min((apart(a, b, EYES[eyes]), (i, j)) for (i, a), (j, b) in combinations(enumerate(colours), 2))
    assert nearest[0] > (0.1 if eyes == "all colours" else 0.0595), nearest


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_other_colours_differ_from_bots(theme: str) -> None:
    for place, colour in enumerate(table("COLORS")):
        for other in NOBODYS[theme]:
            assert apart(linear_of(*colour), linear_of_hex(other), EYES["all colours"]) > 0.1, (place, other)
