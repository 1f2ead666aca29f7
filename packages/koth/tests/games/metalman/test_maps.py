"""Rule 1: maps from files, by name, and by seed."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from koth.engine.settings import choose
from koth.errors import SettingsError
from koth.game import Array
from koth.games.metalman import GAME, terrain
from koth.games.metalman.state import Settings


def reachable(squares: Array) -> Array:
    """Which squares can be walked to from the centre."""
    rows, columns = squares.shape
    reached = np.zeros(squares.shape, np.bool_)
    waiting = deque([(rows // 2, columns // 2)])
    while waiting:
        row, column = waiting.pop()
        if 0 <= row < rows and 0 <= column < columns and squares[row, column] and not reached[row, column]:
            reached[row, column] = True
            waiting += [(row + r, column + c) for r, c in ((-1, 0), (0, 1), (1, 0), (0, -1))]
    return reached


def fair(squares: Array) -> bool:
    """Whether start corners can't be told apart: by quarter turns, or by half turns if it is not a square."""
    turns = 1 if squares.shape[0] == squares.shape[1] else 2
    return np.array_equal(np.rot90(squares, turns), squares)


@pytest.mark.parametrize("name", terrain.names())
def test_shipped_maps(name: str) -> None:
    squares = terrain.load(name)
    assert fair(squares)
    assert np.array_equal(reachable(squares), squares > 0)
    assert (squares == terrain.HIGHGROUND).any()
    assert Settings(map=name).shape == squares.shape
    assert np.array_equal(GAME.initial_state(Settings(map=name), 4, [1, 2]).terrain[1], squares)


def test_the_default_map() -> None:
    squares = terrain.load(Settings().map)
    assert squares.shape == (19, 19)
    assert np.argwhere(squares == terrain.HIGHGROUND).tolist() == [[9, 9]]


@pytest.mark.parametrize("size", [3, 4, 5, 8, 13, 19, 20, 33])
def test_random_maps(size: int) -> None:
    maps = GAME.initial_state(Settings(map="random", size=size), 4, list(range(40))).terrain
    for squares in maps:
        assert fair(squares)
        reached = reachable(squares)
        assert np.array_equal(reached, squares > 0)
        assert all(reached[place] for corner in terrain.corners(size, size) for place in corner)
        assert squares[size // 2, size // 2] == terrain.HIGHGROUND
    if size >= 13:
        assert len({squares.tobytes() for squares in maps}) > 35
        assert 0.03 < (maps == terrain.WALL).mean() < 0.5


def test_a_random_map_is_its_seeds() -> None:
    settings = Settings(map="random")
    many = GAME.initial_state(settings, 4, [5, 6, 7]).terrain
    assert np.array_equal(GAME.initial_state(settings, 2, [6]).terrain[0], many[1])
    assert not np.array_equal(many[0], many[1])


def test_pockets_are_filled_and_start_squares_counted() -> None:
    squares = terrain.read("FFWFF\nFFWFF\nFFFFF\nFFFFW\nFFFFF")
    squares[4] = [1, 1, 1, 0, 1]  # the bottom right corner is shut in
    assert terrain.fill_pockets(squares) == 2
    assert squares[4].tolist() == [1, 1, 1, 0, 0]


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "small.txt"
    file.write_text("FFFF\nFWOF\nFFFF\n\n")
    settings = Settings(map=str(file))
    assert settings.shape == (3, 4)
    assert settings.map == "FFFF\nFWOF\nFFFF"
    file.unlink()
    again = Settings(**json.loads(json.dumps(asdict(settings))))
    assert again == settings
    assert np.array_equal(GAME.initial_state(again, 2, [1]).terrain[0], [[1, 1, 1, 1], [1, 0, 2, 1], [1, 1, 1, 1]])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("FFF\nFFF\nFXF", r"line 3, column 2: 'X' is not a terrain"),
        ("FFF\nFFf\nFFF", r"line 2, column 3: 'f' is not a terrain"),
        ("FFF\nFFFF\nFFF", r"line 2: 4 squares, but line 1 has 3"),
        ("FFF\n\nFFF", r"line 2: 0 squares, but line 1 has 3"),
        ("FF\nFF\nFF", r"line 1: 2 squares, must be 3 to 127"),
        ("FFF\nFFF", r"line 2: the map has 2 rows, must be 3 to 127"),
        ("", r"the map has 0 rows"),
        ("WFF\nFFF\nFFF", r"line 1, column 1: a wall where a spotter starts"),
        ("FWF\nFFF\nFFF", r"line 1, column 2: a wall where an assassin starts"),
        ("FFF\nFFF\nFFW", r"line 3, column 3: a wall where a spotter starts"),
        ("FFF\nWFF\nFFF", r"line 2, column 1: a wall where an assassin starts"),
    ],
)
def test_bad_maps(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text(text)
    with pytest.raises(SettingsError, match=reason):
        Settings(map=str(file))


def test_unknown_maps() -> None:
    with pytest.raises(SettingsError, match=r"did you mean classic\?"):
        Settings(map="clasic")
    with pytest.raises(SettingsError, match=r"No such file.*there are: random, arena, classic"):
        Settings(map="/nowhere/at/all.txt")
    with pytest.raises(SettingsError, match="not a text file"):
        Settings(map="a\0b")
    with pytest.raises(SettingsError, match="not a text file"):
        Settings(map="/dev/null")
    with pytest.raises(SettingsError, match="not a text file"):
        Settings(map="/")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("size", 2),
        ("size", 128),
        ("timer", 0),
        ("spotter_steps", -1),
        ("assassin_steps", 101),
        ("highground_sight", -1),
        ("spotter_sight", (2,)),
        ("assassin_sight", (1, -1)),
        ("assassin_sight", ("1", "x")),
        ("phases", "modern"),
    ],
)
def test_bad_settings(key: str, value: object) -> None:
    with pytest.raises(SettingsError, match=key):
        Settings(**{key: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("map", ["classic", "FFF\nFFF\nFFF"])
def test_a_size_is_for_random_maps_alone(map: str) -> None:
    with pytest.raises(SettingsError, match="size=15 needs map=random"):
        Settings(map=map, size=15)


def test_sights_as_text() -> None:
    assert choose(GAME, None, {"spotter_sight": "1,2,2"})[1].spotter_sight == (1, 2, 2)
