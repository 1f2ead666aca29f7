"""The sample bots: they play without a fault, the same way twice, and do what their first lines say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.adapter import bot_adapter
from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample, sample_names
from koth.engine.batch import Batch
from koth.game import FAULT
from koth.games import load
from koth.games.zombies import bot as api
from koth.games.zombies.state import MOVES, SHOOT, Settings
from koth.match import Hosting, Result, play
from koth.protocol.sparse import SparseField
from tests.games.zombies.boards import board, dice, empty, grid

GAME = load("zombies")
SMALL = Settings(players=5)
"""Five players a bot on the smallest board: nobody lasts long there."""
NAMES = [name for name in sample_names("zombies") if find_sample("zombies", name).parents[1].name != "jvm"]
PYTHON = [name for name in NAMES if find_sample("zombies", name).suffix == ".py"]


def samples(names: list[str]) -> list[Any]:
    """These names, as parameters; those in JavaScript need Node."""
    return [pytest.param(name, marks=[] if name in PYTHON else pytest.mark.needs("node")) for name in names]


def play_against_a_runner(name: str, replay: Path) -> Result:
    """A short match of two bots."""
    found = find_entrants(GAME, [f"@{name}", "rival=@runner"], Interpreters())
    bots, errors = found.bots, found.problems
    assert not errors
    return play(GAME, SMALL, bots, 7, Hosting(replay=replay))


def test_there_are_at_least_ten_in_python() -> None:
    assert len(PYTHON) >= 10
    assert set(GAME.default_entrants) <= set(PYTHON)
    assert len(set(GAME.default_entrants)) == 8


@pytest.mark.slow
@pytest.mark.parametrize("name", samples(NAMES))
def test_plays_without_a_fault_and_the_same_way_twice(name: str, tmp_path: Path) -> None:
    results = [play_against_a_runner(name, tmp_path / f"{k}.koth.gz") for k in range(2)]
    for result in results:
        assert {bot: record.faults for bot, record in result.records.items()} == {name: {}, "rival": {}}
        assert {bot: record.stderr for bot, record in result.records.items()} == {name: b"", "rival": b""}
    assert results[0].scores == results[1].scores
    assert (tmp_path / "0.koth.gz").read_bytes() == (tmp_path / "1.koth.gz").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_begins_with_its_idea(name: str) -> None:
    first = find_sample("zombies", name).read_text().splitlines()[0]
    assert first.startswith(('"""', "// "))
    assert len(first) > 40


@pytest.mark.parametrize("name", PYTHON)
def test_is_short_and_needs_nothing_but_random_and_the_api(name: str) -> None:
    lines = find_sample("zombies", name).read_text().splitlines()
    assert len(lines) <= 80
    imported = [line for line in lines if line.lstrip().startswith(("import ", "from "))]
    assert all(line.startswith(("from koth.games.zombies.bot import", "import random")) for line in imported)


class Call:
    """One question as koth's adapter passes it to the host."""

    bank, strikes = 0.0, 0

    def __init__(self, rows: Any) -> None:
        self.rows = len(rows)
        self.observation = {name: values.ravel().tolist() for name, values in rows.fields.items() if name != "window"}
        seen = SparseField.of(rows.fields["window"])
        start = [0, *np.cumsum(seen.counts).tolist()]
        self.observation["window"] = bot_adapter.Sparse(start, seen.places.tolist(), seen.numbers.tolist())
        self.out = {"action": [MOVES.index("STAY")] * self.rows, "target": [0] * self.rows}

    def failed(self, row: int, kind: int = FAULT["error"], text: str | None = None) -> None:
        raise AssertionError(text or "do_turn raised an exception")


def answers(name: str, arena: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each player of seat A does on this board: a move, or `shoot` and whom the view calls so.

    The arena stands in the middle of a board of 31 x 31, and this turn's zombie rises in its corner, out of sight.
    """
    actors = {(10 + x, 10 + y): word for y, row in enumerate(grid(arena)) for x, word in enumerate(row)}
    state = board(empty(31, actors), SMALL, seed=dice(31, (0, 0), {}))
    batch = Batch.from_state(GAME, SMALL, 2, state)
    match_info = {
        "names": [name, "stranger"],
        "seed": 1,
        "bank": 0,
        "strikes": 3,
        **GAME.match_info(SMALL, state, 0, 0),
    }
    host = api.Host(match_info, module_of(name, monkeypatch))
    call = Call(dict(batch.observations.of_match(0))[0])
    host.answer(call)
    return [describe(action, target) for action, target in zip(call.out["action"], call.out["target"], strict=True)]


def module_of(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The sample's module, loaded afresh."""
    spec = importlib.util.spec_from_file_location(name, find_sample("zombies", name))
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def describe(action: int, target: int) -> str:
    """`EAST`, `shoot z3`, `shoot #4`, `shoot A0`, `shoot nobody`."""
    if action != SHOOT:
        return MOVES[action]
    low, number = target & 255, target >> 8
    if not target:
        return "shoot nobody"
    if low < 3:
        return f"shoot {' z#'[low]}{number}"
    seat = low - 3
    return f"shoot {'AB'[seat]}{number - seat * SMALL.players}"


AWAY = {"NORTHWEST": "away", "WEST": "away", "SOUTHWEST": "away"}
"""The moves away from whoever stands to the east."""


@pytest.mark.parametrize(
    ("name", "arena", "does"),
    [
        ("stand_still", "A0 . z90", ["STAY"]),
        ("runner", "A0 . . . z90", ["away"]),
        ("runner", "A0 . . . B0", ["STAY"]),
        ("coward", "A0 . . . B0", ["away"]),
        ("gunner", "A0 . . . . z90", ["shoot z90"]),
        ("gunner", "A0 . . . . . z90", ["STAY"]),
        ("gunner", "A0:0 . z90", ["STAY"]),
        ("hermit", "A0 . . z90", ["STAY"]),
        ("hermit", "A0 . z90", ["shoot z90"]),
        ("hermit", "A0 . B0", ["STAY"]),
        ("herd", "A0 . . . A1", ["EAST", "WEST"]),
        ("herd", "A0 . z90 . . A1", ["shoot z90", "WEST"]),
        ("hunter", "A0 . . . B0", ["EAST"]),
        ("hunter", "A0 B0", ["shoot B0"]),
        ("hunter", "A0:0 B0", ["STAY"]),
        ("fox", "A0 B0", ["shoot B0"]),
        ("fox", "A0 . z90 B0", ["shoot z90"]),
        ("last_bullet", "A0 . . . . z90", ["STAY"]),
        ("last_bullet", "A0 . z90", ["away"]),
        ("last_bullet", "# # # #\n# A0:2 . z90\n# # # #", ["shoot z90"]),
        ("last_bullet", "# # # #\n# A0:1 . z90\n# # # #", ["shoot A0"]),
        ("last_bullet", "# # # #\n# A0:0 . z90\n# # # #", ["shoot nobody"]),
        ("wall_builder", "A0 . A1", ["STAY", "STAY"]),
        ("wall_builder", "A0:0 . B0 A1", ["STAY", "shoot B0"]),
        ("convoy", "A0 . . . . . A1", ["EAST", "EAST"]),
    ],
)
def test_does_what_it_says(name: str, arena: str, does: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    got = answers(name, arena, monkeypatch)
    assert [
        AWAY.get(move, move) if wanted == "away" else move for move, wanted in zip(got, does, strict=True)
    ] == does
