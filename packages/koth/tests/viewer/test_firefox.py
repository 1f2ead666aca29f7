"""Another browser: exported matches of every game, and a contest with a match being played, in Firefox."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from koth.games import load
from koth.replay.reader import Replay
from koth.viewer.export import export
from koth.viewer.summary import last_turn
from tests.viewer.firefox import Firefox
from tests.viewer.recording import record

pytestmark = pytest.mark.needs("firefox-esr")

SHADES = """((board) => new Set(new Uint32Array(
    board.getContext("2d").getImageData(0, 0, board.width, board.height).data.buffer)).size
)(document.querySelector("#board"))"""


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    browser = Firefox(tmp_path_factory.mktemp("profile"), 1366, 768)
    yield browser
    errors = browser.errors()
    browser.close()
    assert errors == []


@pytest.mark.slow
def test_an_exported_match_plays(firefox: Firefox, tmp_path: Path) -> None:
    name, game = "zombies", load("zombies")
    seats = game.contest_defaults.seats or max(2, game.seats.start)
    path = tmp_path / f"{name}.koth.gz"
    record(path, game, next(iter(game.rulesets.values())), [f"bot {seat}" for seat in range(seats)], 30)
    last = [turn.turn for turn in Replay(path).turns()][-1]
    page = tmp_path / f"{name}.html"
    page.write_text(export(path))
    firefox.goto(f"{page.as_uri()}#turn=2&speed=60&eyes=1")
    firefox.until("document.querySelector('#turn b')?.textContent === '2'")
    firefox.until("document.querySelector('td.eye [aria-pressed=true]') !== null")
    assert firefox.evaluate(SHADES) > 4
    firefox.press(" ")
    firefox.until(f"document.querySelector('#turn b').textContent === '{last:,}'")
    firefox.until("document.querySelectorAll('#charts figure').length > 0")


@pytest.mark.slow
def test_a_contest_and_a_match_being_played(
    firefox: Firefox, view: Callable[[Path], str], run: Path, replay: Path, tmp_path: Path
) -> None:
    part = tmp_path / "match-0.koth.gz.part"
    data = replay.read_bytes()
    part.write_bytes(data[: len(data) // 2])
    (tmp_path / "match-1.koth.gz").write_bytes((run / "replays" / "match-1.koth.gz").read_bytes())
    address = view(tmp_path)
    firefox.goto(address)
    firefox.until("document.querySelectorAll('#matches tbody tr').length === 2")
    early = last_turn(part)
    firefox.goto(f"{address}#match=match-0&live=5")
    assert early is not None
    firefox.until(f"document.querySelector('#turn b')?.textContent === '{early - 5}'")
    part.write_bytes(data)
    part.rename(tmp_path / "match-0.koth.gz")
    firefox.until("document.querySelector('#turn b').textContent === '300'")
