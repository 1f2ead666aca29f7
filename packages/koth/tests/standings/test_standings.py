"""The table: order, ranks, intervals, verdicts, and the sentences below it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koth.game import ContestDefaults
from koth.standings.scores import Scores
from koth.standings.table import Standing, Standings, standings
from koth.standings.text import bounds


def table(*games: dict[str, float], aggregate: str = "mean", least: int = 6) -> Standings:
    return standings(Scores.of(enumerate(games)), ContestDefaults(9, aggregate, blocks=least))


def by_bot(told: Standings) -> dict[str, Standing]:
    return {line.bot: line for line in told.lines}


def field(blocks: int, *means: float, spread: float = 1.0, seed: int = 0) -> list[dict[str, float]]:
    points = np.random.default_rng(seed).normal(0, spread, (blocks, len(means))) + means
    return [{f"b{k}": float(score) for k, score in enumerate(row)} for row in points]


def test_best_first_and_equal_scores_share_a_rank() -> None:
    told = table({"a": 1, "b": 5, "c": 3, "d": 3, "e": 0})
    assert [(line.rank, line.bot, line.score) for line in told.lines] == [
        (1, "b", 5), (2, "c", 3), (2, "d", 3), (4, "a", 1), (5, "e", 0),
    ]  # fmt: skip
    assert all(line.best is None and line.first is None for line in told.lines)


@pytest.mark.parametrize(("aggregate", "score"), [("median", 2.5), ("mean", 4), ("sum", 16)])
def test_aggregates(aggregate: str, score: float) -> None:
    (line,) = table({"a": 1}, {"a": 10}, {"a": 2}, {"a": 3}, aggregate=aggregate).lines
    assert line.score == score
    assert line.matches == 4


@pytest.mark.parametrize("aggregate", ["median", "mean", "sum"])
def test_separated_bots_have_a_rank_of_their_own(aggregate: str) -> None:
    told = table(*field(12, 30, 20, 10), aggregate=aggregate)
    assert [(line.rank, line.best, line.worst, line.first) for line in told.lines] == [
        (1, 1, 1, 1), (2, 2, 2, 0), (3, 3, 3, 0),
    ]  # fmt: skip
    assert [line.behind_first and line.behind_first.verdict for line in told.lines] == [
        None,
        "separated",
        "separated",
    ]


def test_ranks_that_the_matches_leave_open() -> None:
    told = table(*field(12, 20.1, 20, 0))
    assert [(line.rank, line.best, line.worst) for line in told.lines] == [(1, 1, 2), (2, 1, 2), (3, 3, 3)]
    assert [line.texts({})["sure"] for line in told.lines] == ["1-2", "1-2", "3"]
    assert [line.texts({})["first"].endswith(" %") for line in told.lines] == [True, True, False]
    assert told.lines[2].texts({})["first"] == "-"
    second = told.lines[1].behind_first
    assert second.verdict == "open"
    assert any(note.startswith("Not separated from the bot above: b1") for note in told.notes)


def test_chance_and_ranks_of_a_bot_agree() -> None:
    """Only bots that may be first have a chance, and one that must be is sure of it."""
    told = table(*field(12, 30, 20, 10))
    assert [line.texts({})["first"] for line in told.lines] == ["sure", "-", "-"]
    told = table(*field(12, 1.3, 0.7, 0.5, 0.4, 0, -1, seed=2))
    for line in told.lines:
        assert (line.best == 1) >= (line.first > 0)


def test_a_row_says_which_bot_it_waits_for() -> None:
    """b3 scores least, but in so different ways that it may be better than b0; b1 and b2 alone are surely worse."""
    points = np.random.default_rng(10).normal(0, [0.1, 0.1, 0.1, 60], (12, 4)) + np.array([30, 20, 10, 0])
    told = table(*({f"b{k}": float(score) for k, score in enumerate(row)} for row in points))
    gaps = [line.behind_first for line in told.lines[1:]]
    assert [gap and (gap.verdict, gap.reason) for gap in gaps] == [
        ("open", "waits for b3"), ("open", "waits for b3"), ("open", ""),
    ]  # fmt: skip
    assert len({gap and gap.matches for gap in gaps}) == 1
    assert gaps[0].text() == f"{gaps[0].points:.2f}, open: waits for b3 ({gaps[0].matches:,} more)"


def test_a_row_of_a_late_bot_says_why_a_better_one_is_separated() -> None:
    games = field(24, 30, 20, 10, spread=2.0, seed=3)
    for game in games[7:]:
        del game["b2"]
    games[0]["b2"] = 60.0
    told = by_bot(table(*games))
    better, late = told["b1"].behind_first, told["b2"].behind_first
    assert (better.verdict, late.verdict, late.reason) == ("separated", "open", "fewer matches")


def test_about_how_many_more_matches() -> None:
    told = table(*field(100, 0.25, 0, seed=4))
    gap = told.lines[1].behind_next
    assert gap.verdict == "open"
    assert 10 < gap.matches < 5000
    assert gap.text() == f"{gap.points:.2f}, open ({gap.matches:,} more)"
    assert told.explanations[-1] == "In brackets: about how many more matches of each bot it would take."


def test_too_few_matches() -> None:
    told = table(*field(5, 1, 2, 3))
    assert {line.interval.note for line in told.lines} == {"5 of 6 matches"}
    assert "No verdict before 6 matches of each bot: 1 more match." in told.notes


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=40),
    st.sampled_from(["mean", "sum", "median", "wins"]),
)
def test_no_number_contradicts_another(points: list[list[int]], aggregate: str) -> None:
    """The rank lies in its band, bands are those of the verdicts, and equal scores share everything."""
    rows = [dict(zip("abcd", map(float, row), strict=True)) for row in points]
    if aggregate == "wins":
        rows = [{bot: float(score > 1) for bot, score in row.items()} for row in rows]
    told = table(*rows, aggregate=aggregate, least=3)
    ranks = [line.rank for line in told.lines]
    assert ranks == sorted(ranks)
    for line in told.lines:
        assert line.best is None or line.worst is None or line.best <= line.rank <= line.worst
        if line.behind_first is not None and line.behind_first.verdict != "open":
            assert line.best > 1
            assert line.behind_first.points < 0
        assert line.narrow <= (line.interval.low is not None and line.interval.high is not None)
    if told.lines[0].first is not None:
        assert sum(line.first or 0 for line in told.lines) == pytest.approx(1)


def test_the_first_of_a_sum_is_first_whatever_the_numbers_of_matches() -> None:
    games = [{"a": 10.0 + k % 2, "b": 9.0 + k % 2} for k in range(10)] + [{"b": 9.5}, {"b": 9.5}]
    told = standings(Scores.of(enumerate(games)), ContestDefaults(9, "sum", blocks=6), 10)
    assert [(line.rank, line.bot, line.score, line.matches) for line in told.lines] == [
        (1, "a", 105, 10), (2, "b", 95, 12),
    ]  # fmt: skip
    assert told.lines[0].first == 1
    assert 90 < told.lines[0].interval.low < 105


def test_intervals_of_a_column_have_the_same_decimals() -> None:
    assert bounds(28.0, 38.0, 0) == ("28", "38")
    assert bounds(27.0, 35.0, 0) == ("27", "35")
    assert bounds(30.1, 30.9, 0) == ("30.10", "30.90")


def test_an_interval_is_shown_if_it_is_narrow() -> None:
    wide = [{"a": float(score)} for score in [0, 1, 9, 0, 5, 3, 0, 2]]
    (line,) = table(*wide).lines
    assert not line.narrow
    assert line.texts({})["interval"] == f"too wide ({line.missing:,} more)"
    (line,) = table(*({"a": 20.0 + k % 3} for k in range(12))).lines
    assert line.narrow
    assert line.texts({})["interval"] == "20.5 to 21.5"
    known = ContestDefaults(9, "mean", blocks=6, score_range=(0, 1))
    (line,) = standings(Scores.of((k, {"a": float(k % 4 == 0)}) for k in range(24)), known).lines
    assert line.narrow
    (line,) = standings(Scores.of((k, {"a": float(k == 4)}) for k in range(7)), known).lines
    assert line.interval.low is not None  # an open side ends where scores do
    assert 0 <= line.interval.low < line.interval.high <= 1


def test_tables_are_counted_in_blocks() -> None:
    games = [(block, {"a": float(block % 5), "b": 1.0}) for block in range(8) for _ in range(4)]
    told = standings(Scores.of(games), ContestDefaults(24, "median", seats=2, blocks=6))
    assert by_bot(told)["a"].blocks == 8
    assert by_bot(told)["a"].matches == 32
    assert by_bot(told)["b"].interval.note == "all 8 equal"
    assert told.explanations[0] == "Score: the median of a bot's block medians; rank: by score."
    assert any(text.startswith("A block is 4 matches") for text in told.explanations)
    assert any("99.2 %, by order statistics over 8 blocks" in text for text in told.explanations)


def test_groups_that_never_met() -> None:
    rng = np.random.default_rng(5)
    games = [(block, {"a": rng.normal(), "b": 9 + rng.normal()}) for block in range(20)]
    games += [(50 + block, {"c": 40 + rng.normal(), "d": 50 + rng.normal()}) for block in range(20)]
    told = standings(Scores.of(games), ContestDefaults(9, "mean", blocks=6))
    assert [(line.group, line.rank, line.best, line.worst, line.bot) for line in told.lines] == [
        (0, 1, 1, 1, "d"), (0, 2, 2, 2, "c"), (1, 1, 1, 1, "b"), (1, 2, 2, 2, "a"),
    ]  # fmt: skip
    assert told.lines[2].behind_next is None
    assert "Groups that never met are not compared; each has its own ranks." in told.notes


def test_there_is_a_rating_if_not_all_bots_met() -> None:
    """c scores as b does, but against weaker rivals."""
    rng = np.random.default_rng(6)
    games: list[tuple[int, dict[str, float]]] = []
    for block in range(0, 60, 3):
        games.append((block, {"a": float(rng.random() < 0.8), "b": 0.5}))
        games.append((block + 1, {"b": float(rng.random() < 0.8), "c": 0.5}))
        games.append((block + 2, {"c": float(rng.random() < 0.8), "d": 0.5}))
    told = by_bot(standings(Scores.of(games), ContestDefaults(9, "mean", blocks=6)))
    rated = [told[bot].rating or 0 for bot in "abcd"]
    assert rated == sorted(rated, reverse=True)
    assert sum(rated) / 4 == pytest.approx(1000)


def test_the_order_of_the_matches_does_not_matter() -> None:
    games = [(block, scores) for block, scores in enumerate(field(12, 3, 2, 1, seed=7)) for _ in range(2)]
    games += [(90 + block, {"b0": 1.0, "x": float(block)}) for block in range(4)]
    shuffled = [games[place] for place in np.random.default_rng(8).permutation(len(games))]
    reseated = [(block, dict(reversed(scores.items()))) for block, scores in shuffled]
    contest_defaults = ContestDefaults(9, "mean", blocks=6)
    table = standings(Scores.of(games), contest_defaults)
    assert table == standings(Scores.of(reseated), contest_defaults)
    assert table.lines[0].texts({"late": 1200})["faults"] == "1,200 late"


def test_no_bot_played() -> None:
    assert table().lines == []


def test_json() -> None:
    (line,) = table({"a": 1.5}).as_json({"a": {"late": 2, "crash": 1}})
    assert line["faults"] == {"crash": 1, "late": 2}
    assert (line["low"], line["high"], line["note"], line["best"]) == (None, None, "1 of 6 matches", None)
