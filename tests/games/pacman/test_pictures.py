"""The game in letters, and what the picture says a bot sees."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.games.pacman import GAME, glyphs
from koth.games.pacman.state import GONE, PACMAN, Settings, State
from koth.testing import Case, RandomAnswers
from koth.testing.pictures import sights_agree
from koth.viewer.server import static_files
from tests.games.pacman.boards import board, see

BOARD = """
    +---+   +---+
    | A   .   b |
    +   +---+   +
    | o   i  %B |
    +   +   +   +
    | .   .   C |
    +---+   +---+
    B ghost
"""


def letters(s: State) -> list[str]:
    width, height, found = glyphs.glyphs(GAME.frame(Settings(), s, 0), GAME.match_info(Settings(), s, 0, 0))
    lines = [[" "] * width for _ in range(height)]
    for x, y, letter, _ in found:
        lines[y][x] = letter
    return ["".join(line) for line in lines]


def test_letters_show_walls_items_ghosts_and_pieces() -> None:
    assert letters(board(BOARD)) == [
        "███ ███",
        "█A · &█",
        "█ ███ █",
        "█o & b█",
        "█     █",
        "█· · C█",
        "███ ███",
    ]


def test_colours_are_those_of_seats_and_kinds() -> None:
    s = board(BOARD)
    *_, found = glyphs.glyphs(GAME.frame(Settings(), s, 0), GAME.match_info(Settings(), s, 0, 0))
    colours = {(x, y, letter): colour for x, y, letter, colour in found}
    assert (colours[1, 1, "A"], colours[5, 3, "b"], colours[5, 5, "C"]) == (0, 1, 2)
    assert (colours[5, 1, "&"], colours[3, 3, "&"], colours[1, 3, "o"]) == ("red", "blue", "white")


def test_who_left_the_board_has_no_letter() -> None:
    s = board(BOARD)
    s.status[0, 2] = GONE
    assert not any("C" in line for line in letters(s))


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("settings", "seats", "seed"),
    [(Settings(), 4, 1), (Settings(side=8, ghosts=1), 2, 2), (Settings(ghost_sight=2), 3, 3)],
    ids=["standard", "small", "short-sighted"],
)
def test_the_picture_lifts_the_fog_where_a_bot_sees(settings: Settings, seats: int, seed: int) -> None:
    """In the middle of matches, for everybody on the board, alive and dead, and in a small maze."""
    batch, policy = Batch(GAME, settings, seats, [seed]), RandomAnswers([seed], seats)
    while batch.observations is not None and batch.turn < 40:
        batch.answer(policy(batch.observations))
        if batch.turn % 8:
            continue
        frame = GAME.frame(settings, batch.state, 0)
        match_info = GAME.match_info(settings, batch.state, 0, 0)
        for seat in range(seats):
            in_letters = glyphs.visible_squares(frame, seat, match_info)
            squares = {(y // 2) * match_info["side"] + x // 2 for x, y in in_letters if x % 2 and y % 2}
            assert squares == {square for square, seen in enumerate(seen_by(settings, batch.state, seat)) if seen}
    sights_agree(Case(GAME, settings, seats, seed=seed, turns=40))


def seen_by(settings: Settings, s: State, seat: int) -> list[int]:
    """1 for every square that a piece is shown when it is asked, waiting or not, over or not."""
    now = s._replace(over=np.zeros_like(s.over), waits=np.zeros_like(s.waits))
    observations = see(settings, now, int(s.status[0, seat]))
    seen = np.zeros(s.item[0].size, int)
    for number, rows in observations.of_match(0):
        if number == seat and s.status[0, seat] != GONE:
            seen[rows.fields["square"]] = 1
    assert seen.any() == (s.status[0, seat] != GONE)
    return seen.tolist()


def test_a_frame_knows_who_lives() -> None:
    frame = GAME.frame(Settings(), board(BOARD), 0)
    assert frame["alive"] == [1, 0, 1]
    assert frame["status"].tolist() == [PACMAN, PACMAN - 1, PACMAN]


EATS = """
import {gridOf} from "./grid.js";
import {Player} from "./play.js";
const points = {pellet_points: 7, power_points: 50, fruit_points: 100};
const hello = {side: 4, walls: "0".repeat(16), turns: 9, invincible: 3, ...points};
const player = new Player(hello, gridOf);
const told = [];
for (const [col, seen] of [[0, [[0, 1, "o"], [0, 2, "O"]]], [1, [[0, 2, "O"]]], [2, []]]) {
  player.see({row: 0, col, self: "X", seen});
  told.push([player.status().headline, player.status().rows[0][1]]);
}
console.log(JSON.stringify(told));
"""


@pytest.mark.needs("node")
def test_a_person_is_told_the_points_of_these_settings(tmp_path: Path) -> None:
    for file in (
        *(Path(glyphs.__file__).with_name(name) for name in ("play.js", "draw.js")),
        static_files()["grid.js"],
    ):
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "eats.js").write_text(EATS)
    done = subprocess.run(["node", "eats.js"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        ["You are Pac-Man", "0 points"],
        ["You are Pac-Man", "7 points"],
        ["Invincible: 3", "57 points"],
    ]
