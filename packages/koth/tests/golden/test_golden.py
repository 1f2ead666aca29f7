"""Every golden is what the rules play today."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.games import GAMES
from tests.golden import __main__ as command
from tests.golden import paths, play_again, read_case

MOST_TURNS = 30


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_golden_is_played_again(path: Path) -> None:
    """`make golden` rewrites it; a changed golden needs a line in the changelog."""
    assert play_again(path) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_golden_is_short_enough_to_read(path: Path) -> None:
    assert read_case(path).turns <= MOST_TURNS
    assert len(path.read_bytes()) < 40_000


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_two_goldens(game: str) -> None:
    assert len(paths(game)) >= 2


def test_check_finds_a_golden_that_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original = paths()[0]
    changed = tmp_path / original.name
    text = original.read_text(encoding="utf-8")
    changed.write_text(text.replace("\nturn 2\n", "\nturn 3\n"), encoding="utf-8")
    assert command.main(["--check", str(original)]) == 0
    assert command.main(["--check", str(changed)]) == 1
    assert capsys.readouterr().out == f"{original.name}: differs\n"
    assert command.main([str(changed)]) == 0
    assert changed.read_text(encoding="utf-8") == text
