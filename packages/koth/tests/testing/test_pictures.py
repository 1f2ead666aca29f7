"""The laws of pictures: what they find in a draw.js and a glyphs.py that break them; koth's own keep them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import SkipTest

import pytest

from koth.game import FrameSpec
from koth.games import GAMES, load
from koth.testing import Case, check, pictures
from koth.testing.pictures import (
    letters_keep_the_fog,
    pictures_are_drawn,
    pictures_keep_the_fog,
)

ROOM: dict[str, dict[str, Any]] = {
    "zombies": {"players": 4, "density": 0.005},
    "aliens": {"instances": 3, "prey": 3, "space": 12},
    "pacman": {},
    "metalman": {},
}
"""Settings with which there is somewhere that a bot does not see."""


def case_of(name: str, turns: int = 9) -> Case:
    game = load(name)
    settings = replace(next(iter(game.rulesets.values())), **ROOM[name])
    return Case(game, settings, game.contest_defaults.seats or max(2, game.seats.start), seed=7, turns=turns)


Picture = Callable[[str], None]


@pytest.fixture
def picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Picture:
    """Return what puts another text in place of the game's draw.js."""

    def put(code: str) -> None:
        (tmp_path / "draw.js").write_text(code)
        monkeypatch.setattr(pictures, "picture_file", lambda _: tmp_path / "draw.js")

    return put


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", GAMES)
def test_pictures_keep_their_laws_where_there_is_fog(name: str) -> None:
    case = case_of(name)
    pictures_are_drawn(case)
    letters_keep_the_fog(case)
    assert pictures_keep_the_fog(case) > 20, "nothing was tried"


def zombies_without_kinds() -> FrameSpec:
    """Fog that leaves the kinds of units as they are, and only their squares are hidden."""
    spec = load("zombies").frame_spec
    return replace(spec, units=[replace(spec.units[0], fields=["bullets", "reach"])])


LEAKS = {
    "zombies": zombies_without_kinds(),
    "metalman": replace(load("metalman").frame_spec, units=[]),
    "pacman": replace(load("pacman").frame_spec, squares={}),
}
"""Declarations of frames that forget something."""


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", LEAKS)
def test_what_a_declaration_forgets_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(name)
    monkeypatch.setattr(case.game, "frame_spec", LEAKS[name])
    with pytest.raises(AssertionError, match=r"draw\.js: turn \d+: through the eyes of seat \d, frame\.\w+"):
        pictures_keep_the_fog(case)


PLAIN = """
export const board = (match, frame) => ({width: frame.side, height: frame.side, wraps: true, reach: 1});
export function draw(ctx, {frame, stamp, sprite}) {
  const dot = sprite("dot", (c) => c.fillRect(0, 0, 1, 1));
  for (let i = 0; i < frame.x.length; i++) if (frame.kind[i]) stamp(dot, frame.x[i], frame.y[i]);
}
export const series = (frame) => ({score: frame.score});
export const actors = (frame) => Array.from(frame.x, (x, id) => ({id, x, y: frame.y[id], team: null}))
  .filter(({id}) => frame.kind[id]);
"""


@pytest.mark.needs("node")
def test_a_plain_picture_keeps_the_laws(picture: Picture) -> None:
    picture(PLAIN)
    pictures_are_drawn(case_of("zombies"))
    assert pictures_keep_the_fog(case_of("zombies")) > 10


UNDRAWN = [
    ("if (frame.kind[i])", "if (no.such)", r"turn 0: draw fails in line 5: no is not defined"),
    ("frame.x[i], frame.y[i]);", "frame.x[i], frame.z);", r"drawImage\(.*NaN"),
    ("c.fillRect(0, 0, 1, 1)", "c.fillStyle = undefined", r"ctx.fillStyle = undefined"),
    ("c.fillRect(0, 0, 1, 1)", "c.fillSquare(0, 0)", r"c.fillSquare is not a function"),
    ("frame.x.length; i++", "2; i++", r"draw puts nothing on the square \d+, \d+ of actor 2"),
    ("const dot =", "ctx.fillRect(99, 0, 1, 1); const dot =", r"off the board, at 99, 0: fillRect"),
    ("const dot =", "frame.kind[0] = 9; const dot =", r"a frame was changed"),
    ("y: frame.y[id]", "y: -1 - frame.y[id]", r"actors: 0 is off the board"),
    ("team: null", "team: 7", r"actors: 0 is of team 7"),
    ("score: frame.score", "score: [1]", r"series: score has 1 values, there are 2 teams"),
    ("const series", "const serie", r"there is no series"),
    ("export const board", "export const look = 1;\nexport const board", r"there is no look in a picture"),
    ("wraps: true", "wraps: Math.random() < 2", r"draw.js uses Math.random"),
    ("width: frame.side", "width: frame.side + 1", r"frame_spec's board has \d+ squares, the picture's \d+"),
    ("export const board", "export const board =", r"can't be run: .*SyntaxError"),
]
"""What is written instead of what, and what is said of it."""


@pytest.mark.needs("node")
@pytest.mark.parametrize(("right", "wrong", "words"), UNDRAWN, ids=[words for *_, words in UNDRAWN])
def test_what_is_wrong_with_a_picture_is_named(right: str, wrong: str, words: str, picture: Picture) -> None:
    assert right in PLAIN
    picture(PLAIN.replace(right, wrong))
    with pytest.raises(AssertionError, match=words):
        pictures_are_drawn(case_of("zombies"))


@pytest.mark.needs("node")
def test_what_lies_above_the_fog_is_seen_everywhere(picture: Picture) -> None:
    picture(PLAIN + "export const drawAboveFog = (ctx, {frame}) => ctx.fillRect(frame.x[0], frame.y[0], 1, 1);")
    pictures_keep_the_fog(case_of("zombies"))


@pytest.mark.parametrize(
    ("glyph", "words"),
    [
        ((99, 0, "z", "dim"), "at 99, 0 is off the board"),
        ((0, 0, "zz", "dim"), "'zz' at 0, 0 is not one printable character"),
        ((0, 0, "z", "pink"), "has the colour 'pink', not a seat or one of ground, dim"),
        ((0, 0, "z", 7), "has the colour 7"),
    ],
)
def test_letters_are_as_documented(glyph: Any, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = SimpleNamespace(glyphs=lambda frame, _: (frame["side"], frame["side"], [glyph]))
    monkeypatch.setattr(pictures, "glyphs_of", lambda _: letters)
    with pytest.raises(AssertionError, match=words):
        letters_keep_the_fog(case_of("zombies"))


def test_letters_that_show_through_fog_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from koth.games.zombies import glyphs

    def known(frame: Any, match_info: Any) -> Any:
        width, height, found = glyphs_before(frame, match_info)
        return width, height, [(x, y, letter, "ground") for x, y, letter, _ in found]

    glyphs_before = glyphs.glyphs
    monkeypatch.setattr(glyphs, "glyphs", known)
    with pytest.raises(AssertionError, match="only what everybody knows has the colour 'ground'"):
        letters_keep_the_fog(case_of("zombies"))


def test_without_node_the_laws_of_pictures_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    case = replace(case_of("pacman", turns=2), cap=600)
    with pytest.raises(SkipTest, match=r"no Node\.js on the PATH"):
        pictures_are_drawn(case)
    monkeypatch.setattr("koth.testing.laws.LAWS", (pictures_are_drawn, pictures_keep_the_fog))
    with pytest.warns(
        UserWarning, match=r"not tried: pictures_are_drawn, pictures_keep_the_fog: no Node\.js on the PATH"
    ):
        check(case.game, case.settings, case.seats, turns=2)
