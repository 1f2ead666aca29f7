"""A contest that stops when it is settled, and contests at tables of any size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.contest import match_runner
from koth.contest import run as running
from koth.contest.contest import Contest
from koth.contest.run import TRIES, Callbacks, run
from koth.contest.seating import TableFormat
from koth.contest.store import Store
from koth.sandbox.failures import ArenaError
from koth.standings.paired import ALPHA
from koth.standings.until import Goal, Look
from tests.contest.folders import rows
from tests.contest.small import small_contest, still

SETTINGS = {"players": 2, "vision": 2, "shoot_range": 2, "density": 0.01}


def contest_of(bots: int, matches: int, **more: Any) -> Contest:
    return small_contest(still(*(f"b{k}" for k in range(bots))), matches, overrides=SETTINGS, **more)


def test_it_looks_after_whole_blocks_and_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[int, float]] = []

    def look(scores: Any, aggregate: str, bots: list[str], goal: Goal, least: int, alpha: float) -> Look:
        looked.append((len(scores), alpha))
        return Look(len(scores), len(scores) >= 24)

    monkeypatch.setattr(running, "look", look)
    contest = contest_of(2, 60, until=Goal())
    assert contest.looks(60) == [(12, pytest.approx(0.01)), (27, 0.0125), (60, pytest.approx(0.0275))]
    store = Store(tmp_path / "out")
    end = run(contest, store)
    assert len(end.rows) == 27
    assert looked == [(12, pytest.approx(0.01)), (27, 0.0125)]
    assert end.look == Look(27, True)
    told = {"goal": "settled", "settled": True, "blocks": 27, "open": []}
    assert end.look.as_json(str(contest.until)) == told
    assert store.revealed_groups() == set(range(1, 28))
    assert len(run(contest, store).rows) == 27  # gone on with, it sees the same
    store.close()


@pytest.mark.parametrize("settles", [True, False])
def test_a_match_that_always_fails_is_tried_three_times_and_prevents_no_verdict(
    settles: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it is looked: its block is left out, and the contest may stop without it."""
    play, tries, looked = match_runner.play, [], list[int]()

    def failing(*args: Any) -> Any:
        if args[4].match == 5:
            tries.append(5)
            raise ArenaError("the sandbox would not start")
        return play(*args)

    def look(scores: Any, *_: Any) -> Look:
        looked.append(len(scores))
        return Look(len(scores), settles)

    monkeypatch.setattr(match_runner, "play", failing)
    monkeypatch.setattr(running, "look", look)
    store = Store(tmp_path / "out")
    end = run(contest_of(2, 60, until=Goal()), store)
    store.close()
    assert looked == ([11] if settles else [11, 26, 59])
    assert end.look == Look(looked[-1], settles)
    assert len(tries) == TRIES == 3
    assert [(item.match, item.tries) for item in end.unplayed] == [(5, TRIES)]


def test_a_block_of_which_a_match_failed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a look there are whole tables only, each played from every seat."""
    play = match_runner.play

    def failing(*args: Any) -> Any:
        if args[4].match == 5:
            raise ArenaError("the sandbox would not start")
        return play(*args)

    def look(scores: Any, *_: Any) -> Look:
        assert sorted(scores.block.tolist()) == [block for block in (1, 2, 4) for _ in range(2)]
        return Look(3, True)

    monkeypatch.setattr(match_runner, "play", failing)
    monkeypatch.setattr(running, "look", look)
    monkeypatch.setattr(Contest, "form", property(lambda contest: TableFormat(2, 2)))
    contest = contest_of(2, 8, until=Goal())
    store = Store(tmp_path / "out")
    assert run(contest, store).look == Look(3, True)
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
    contest = contest_of(5, 3, seats=2)
    assert contest.looks(8) == [(8, ALPHA)]
    for name in ("one", "other"):
        store = Store(tmp_path / name)
        end = run(contest, store)
        assert [len(row.scores) for row in end.rows] == [2] * 8
        store.close()
        matches = {line.bot: line.matches for line in end.standings.lines}
        assert set(matches.values()) <= {3, 4}
        assert len(matches) == 5
    assert rows(tmp_path / "one") == rows(tmp_path / "other")


def test_a_newcomer_after_ctrl_c_and_a_match_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Played matches count; of the others only the needed ones are played."""
    play = match_runner.play

    def failing(*args: Any) -> Any:
        if args[4].match == 2:
            raise ArenaError("the sandbox would not start")
        return play(*args)

    def stop(row: Any) -> None:
        if row.number == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(match_runner, "play", failing)
    store, begun = Store(tmp_path / "out"), contest_of(2, 12, seats=2)
    with pytest.raises(KeyboardInterrupt):
        run(begun, store, progress=Callbacks(stop))
    assert store.numbers() == [1, 3, 4]
    assert [item.match for item in store.unplayed_matches()] == [2]
    monkeypatch.setattr(match_runner, "play", play)
    contest = replace(contest_of(3, 12, seats=2), secret=begun.secret.branch(1), earlier=[begun.secret])
    end = run(contest, store)
    assert (end.missing, end.unplayed, store.count_planned()) == (0, [], len(end.rows))
    assert [row.stage for row in end.rows if row.number in (1, 3, 4)] == [0, 0, 0]
    assert len(end.rows) == contest.form.matches(3, 12) == 18
    assert end.scheduled == {"b0": 12, "b1": 12, "b2": 12}
    store.close()


def test_looks_at_tables_are_after_equal_blocks_for_all() -> None:
    contest = contest_of(6, 60, seats=3, until=Goal())
    assert [blocks for blocks, _ in contest.looks(120)] == [24, 54, 120]
    assert contest.looks(30) == [
        (24, pytest.approx(0.01)),
        (30, pytest.approx(0.04)),
    ]  # of a contest that went on with another field
    assert contest.looks(24) == [(24, ALPHA)]
    assert replace(contest, until=None).looks(120) == [(120, ALPHA)]
