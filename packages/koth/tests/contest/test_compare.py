"""Two bots compared in the same matches: the same seats, rivals, dice and seeds for both."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from koth.contest import match_runner
from koth.contest.compare import Comparison, ComparisonState, Side
from koth.contest.contest import Contest
from koth.contest.run import TRIES, Callbacks
from koth.contest.schedule import schedule_around_first
from koth.contest.seating import TableFormat
from koth.contest.store import Store
from koth.contest.workers import on_this_machine
from koth.engine.secret import Secret
from koth.game import TimeControl
from koth.sandbox.failures import ArenaError
from koth.session.local import InlineBot
from koth.standings.difference import Difference

SMALL = {"players": 2, "vision": 2, "shoot_range": 2, "density": 0.01}
EXECUTOR = partial(on_this_machine, 1)
SEEN: list[tuple[str, int, int]] = []
"""Name, seat and seed of every match that was played."""


def stays(observations: Any, match_info: Any) -> dict[str, Any]:
    SEEN.append((match_info["names"][match_info["seat"]], match_info["seat"], match_info["seed"]))
    return {}


def shoots(observations: Any, match_info: Any) -> dict[str, Any]:
    return {"action": [9] * len(observations), "target": [0] * len(observations)}


@pytest.fixture
def comparison(tmp_path: Path) -> Iterator[Callable[..., Comparison]]:
    """A function that makes a comparison of two bots; its stores are closed after the test."""
    rivals = [InlineBot("left", stays), InlineBot("right", stays)]
    with ExitStack() as stack:

        def made(one: InlineBot, other: InlineBot, matches: int, **more: Any) -> Comparison:
            def side(bot: InlineBot) -> Side:
                contest = Contest(
                    game="zombies",
                    ruleset="published",
                    overrides=SMALL,
                    secret=Secret.from_seed(5),
                    matches=matches,
                    bots=[bot, *rivals],
                    time_control=TimeControl(),
                    **more,
                )
                return Side(contest, stack.enter_context(closing(Store(tmp_path / bot.name))))

            return Comparison((side(one), side(other)))

        yield made


def test_the_compared_bot_sits_at_every_table_on_changing_seats() -> None:
    pairings = schedule_around_first(5, 8, 3, TableFormat(3, 3))
    tables = [pairing.seats for pairing in pairings]
    assert len(tables) == 24
    assert all(0 in seats and len({*seats}) == 3 for seats in tables)
    assert {seats.index(0) for seats in tables[::3]} == {0, 1, 2}
    assert {seats.index(0) for seats in tables[:3]} == {0, 1, 2}
    assert {other for seats in tables for other in seats} == {0, 1, 2, 3, 4, 5}
    assert [pairing.seed_group for pairing in pairings[:4]] == [1, 1, 1, 2]
    everybody = schedule_around_first(2, 3, 3, TableFormat(3))
    assert [pairing.seats for pairing in everybody] == [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    for rivals in (0, 2):
        assert [match.seats for match in schedule_around_first(rivals, 2, 3, TableFormat(1))] == [(0,), (0,)]


def test_bots_that_do_the_same_see_the_same(comparison: Callable[..., Comparison]) -> None:
    SEEN.clear()
    both = comparison(InlineBot("one", stays), InlineBot("other", stays), 5)
    looked: list[ComparisonState] = []
    both.play(EXECUTOR, Callbacks(), looked.append)
    one, other = ({item for item in SEEN if item[0] == name} for name in ("one", "other"))
    assert {item[1:] for item in one} == {item[1:] for item in other}
    assert len({item[1:] for item in one}) == 5
    difference = both.seen.difference
    assert difference is not None
    assert (difference.same, difference.value, difference.sign) == (5, 0, 0)
    assert len(looked) == 1
    assert not both.seen.over  # five boards are too few for a verdict
    files = [[row.scores["left"] for row in side.store.matches()] for side in both.sides]
    assert files[0] == files[1]


def test_it_ends_when_there_is_a_verdict(comparison: Callable[..., Comparison]) -> None:
    both = comparison(InlineBot("one", stays), InlineBot("other", stays), 40)
    both.play(EXECUTOR, Callbacks(), lambda seen: None)
    assert (both.looks.blocks, both.seen.blocks, both.seen.over) == ((12, 22, 40), 12, True)
    assert both.seen.difference is not None
    assert both.seen.difference.is_alike


def test_a_game_for_one_is_compared(comparison: Callable[..., Comparison]) -> None:
    both = comparison(InlineBot("one", stays), InlineBot("other", stays), 3, seats=1)
    both.play(EXECUTOR, Callbacks(), lambda seen: None)
    assert both.seen.difference is not None
    assert (both.seen.difference.same, both.seen.difference.blocks) == (3, 3)


def test_an_unplayed_match_prevents_no_verdict(
    comparison: Callable[..., Comparison], monkeypatch: pytest.MonkeyPatch
) -> None:
    play, blocks = match_runner.play, []

    def failing(*args: Any) -> Any:
        if args[4].match == 5:
            raise ArenaError("the sandbox would not start")
        return play(*args)

    def better(scores: Any, *_: Any) -> Any:
        blocks.append(len(scores))
        return SimpleNamespace(sign=1)

    monkeypatch.setattr(match_runner, "play", failing)
    monkeypatch.setattr(Difference, "of", better)
    both = comparison(InlineBot("one", stays), InlineBot("other", stays), 40)
    both.play(EXECUTOR, Callbacks(), lambda seen: None)
    assert (blocks, both.seen.blocks, both.seen.over) == ([11], 11, True)
    assert [(item.match, item.tries) for item in both.seen.unplayed] == [(5, TRIES)] * 2


def test_an_interrupt_keeps_the_last_state(comparison: Callable[..., Comparison]) -> None:
    both = comparison(InlineBot("one", stays), InlineBot("other", stays), 40)

    def stop(row: Any) -> None:
        if row.number == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        both.play(EXECUTOR, Callbacks(stop), lambda seen: None)
    assert both.seen.difference is None
    both.look_now()
    assert both.seen.difference is not None
    assert both.seen.blocks == 3
    assert not both.seen.over


def test_replays_lie_with_their_side_and_are_twins(comparison: Callable[..., Comparison]) -> None:
    both = comparison(InlineBot("one", stays), InlineBot("two", stays), 2, replays="answers")
    both.play(EXECUTOR, Callbacks(), lambda seen: None)
    files = [sorted((side.store.folder / "replays").iterdir()) for side in both.sides]
    assert [file.name for file in files[0]] == [file.name for file in files[1]]
    assert len(files[0]) == 2
    for one, two in zip(*files, strict=True):
        assert gzip.decompress(one.read_bytes()).replace(b'"one"', b'"two"') == gzip.decompress(two.read_bytes())
