"""A contest that stops when it is settled, and contests at tables of any size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.contest import run as running
from koth.contest.contest import Contest
from koth.contest.run import results_json, run
from koth.contest.store import Store
from koth.game import Budgets
from koth.match import Inline
from koth.secret import Secret
from koth.standings.until import Goal, Look
from tests.contest.folders import rows

SETTINGS = {"players": 2, "vision": 2, "shoot_range": 2, "density": 0.01}


def stays(asks: Any, facts: Any) -> dict[str, Any]:
    return {}


def contest_of(bots: int, games: int, **more: Any) -> Contest:
    field = [Inline(f"b{k}", stays) for k in range(bots)]
    return Contest("zombies", "published", SETTINGS, Secret.spread(5), games, field, Budgets(), **more)


def test_it_looks_after_whole_blocks_and_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[int, int]] = []

    def look(scores: Any, aggregate: str, bots: list[str], goal: Goal, times: int) -> Look:
        looked.append((len(scores), times))
        return Look(len(scores), len(scores) >= 24)

    monkeypatch.setattr(running, "look", look)
    contest = contest_of(2, 60, until=Goal())
    assert contest.looks(60) == [12, 24, 48, 60]
    store = Store(tmp_path / "out")
    end = run(contest, store)
    assert len(end.rows) == 24
    assert looked == [(12, 4), (24, 4)]
    assert end.look == Look(24, True)
    assert results_json(contest, end)["until"] == {"goal": "settled", "settled": True, "blocks": 24, "open": []}
    assert store.told_dice() == set(range(24))
    assert len(run(contest, store).rows) == 24  # gone on with, it sees the same
    store.close()


def test_equal_bots_end_as_not_settled(tmp_path: Path) -> None:
    store = Store(tmp_path / "out")
    end = run(contest_of(2, 13, until=Goal()), store)
    assert len(end.rows) == 13
    store.close()
    assert end.look is not None
    assert (end.look.settled, end.look.blocks) == (False, 13)
    assert "Not settled (top=1) after 13 blocks" in end.look.text("top=1")


def test_any_game_is_played_at_tables(tmp_path: Path) -> None:
    contest = contest_of(5, 3, table=2)
    assert contest.looks(8) == [8]
    for name in ("one", "other"):
        store = Store(tmp_path / name)
        end = run(contest, store)
        assert [len(row.scores) for row in end.rows] == [2] * 8
        store.close()
        games = {line.bot: line.games for line in end.standings.lines}
        assert set(games.values()) <= {3, 4}
        assert len(games) == 5
    assert rows(tmp_path / "one") == rows(tmp_path / "other")


def test_looks_at_tables_are_after_as_many_blocks_for_everybody() -> None:
    contest = contest_of(6, 60, table=3, until=Goal())
    assert contest.looks(120) == [24, 48, 96, 120]
    assert replace(contest, until=None).looks(120) == [120]
