"""`python -m koth.testing.blocks`: the least number of blocks that a game can declare, from recorded scores."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest

from koth.game import Array
from koth.standings.until import Looks
from koth.testing.blocks import (
    HELD,
    Measured,
    Pool,
    as_blocks,
    coverage,
    differ,
    first_blocks,
    least,
    main,
    measure,
    read_scores,
    separates_at,
    without_rare,
)


def pool(points: Array) -> Pool:
    """A column per bot, a row per block of one match."""
    return Pool(tuple("abcdefgh"[: points.shape[1]]), points, np.ones(points.shape, np.int64))


def written(folder: Path, text: str) -> Path:
    file = folder / "scores.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_matches_of_a_block_stand_together_and_empty_cells_are_bots_that_did_not_play(tmp_path: Path) -> None:
    found = Pool.of(read_scores(written(tmp_path, "block,x,y,z\n7,1,2,\n7,3,4,\n2,,5,6.5\n")))
    assert found.names == ("x", "y", "z")
    assert found.total.tolist() == [[0, 5, 6.5], [4, 6, 0]]
    assert found.matches.tolist() == [[0, 1, 1], [2, 2, 0]]


def test_centred_bots_are_equally_good() -> None:
    points = np.random.default_rng(1).exponential(5, (30, 3))
    tables = Pool(("a", "b", "c"), points, np.random.default_rng(2).integers(1, 4, points.shape))
    assert tables.centre().total.sum(axis=0) == pytest.approx([0, 0, 0])


def test_blocks_are_drawn_whole_so_that_luck_stays_shared() -> None:
    points = np.arange(50.0)[:, None] + np.array([0, 1000])
    contest = pool(points).contest(np.random.default_rng(1), 20)
    assert contest.count == 20
    assert contest.total[contest.bot == 1].tolist() == (contest.total[contest.bot == 0] + 1000).tolist()


@pytest.mark.parametrize("size", [2, 4])
def test_tables_give_each_bot_as_many_blocks_at_any_moment(size: int) -> None:
    seated = np.zeros((60, 6), np.int64)
    for block, sits in enumerate(itertools.islice(itertools.cycle(itertools.combinations(range(6), size)), 60)):
        seated[block, sits] = 1
    contest = Pool(tuple("abcdef"), seated.astype(float), seated).contest(np.random.default_rng(1), 40)
    assert (contest.played.tolist(), contest.count) == ([40] * 6, 240 // size)
    for count in range(contest.count):
        assert np.ptp(first_blocks(contest, count).played) <= 2


@pytest.mark.slow
def test_skewed_scores_need_more_blocks_than_even_ones() -> None:
    rng = np.random.default_rng(3)
    even, skewed = pool(rng.normal(5, 1, (200, 3))), pool(rng.lognormal(0, 1.5, (200, 3)))
    assert coverage(skewed, 0, 10, 1000, rng) < HELD < coverage(even, 0, 10, 1000, rng)


def test_equal_bots_are_separated_as_often_as_promised() -> None:
    """A bot whose few large scores are seldom seen, against steady ones: too often in few blocks."""
    points = np.full((100, 2), 5.0)
    points[:, 1] = np.random.default_rng(4).lognormal(0, 1.2, 100)
    found = measure(pool(points), 6, 200, 1)
    assert found.pairs == found.tables > 0.1
    assert not found.is_enough


def test_looks_see_the_first_blocks_and_spend_their_own_error() -> None:
    """The first bot is far better in the first 20 blocks only: the first look sees that, the table does not."""
    points = np.random.default_rng(6).normal(0, 1, (80, 2))
    points[:20, 0] += 9
    points[20:, 0] -= 3
    contest = as_blocks(points, np.ones(points.shape, np.int64))
    assert first_blocks(contest, 20).value.tolist() == points[:20].ravel().tolist()
    assert separates_at(Looks((20, 80)), contest, "mean")
    assert not separates_at(Looks((80,)), contest, "mean")


def test_bots_with_rare_events_are_left_out() -> None:
    """An event of one block in thirty is not seen in most contests: the others' lead would look steady."""
    points = np.random.default_rng(7).normal(5, 1, (60, 4))
    points[:, 2], points[:, 3] = 0, 0
    points[:2, 3] = 50
    found, left_out = without_rare(pool(points))
    assert (found.names, left_out) == (("a", "b", "c"), ["d"])
    assert differ(found).tolist() == (~np.eye(3, dtype=bool)).tolist()


def test_from_the_least_number_on_all_keep_their_promises() -> None:
    kept, broken = (
        {"held": 0.95, "tables": 0.05, "looks": 0.05, "pairs": 0.05},
        {"held": 0.95, "tables": 0.05, "looks": 0.05, "pairs": 0.06},
    )
    assert least([Measured(6, **kept), Measured(8, **broken), Measured(10, **kept), Measured(12, **kept)]) == 10
    assert least([Measured(6, **kept), Measured(8, **broken)]) is None


def test_it_prints_the_line_to_declare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("koth.testing.blocks.CANDIDATES", (6, 8))
    rows = np.random.default_rng(5).normal(5, 1, (20, 2)).tolist()
    file = written(tmp_path, "block,a,b\n" + "".join(f"{k},{a},{b}\n" for k, (a, b) in enumerate(rows)))
    assert main([str(file), "--contests", "200", "--seed", "2"]) == 0
    told = capsys.readouterr().out
    assert "drawn from 20 recorded ones (seed 2)" in told
    assert "rare events are likely to be missing in 20" in told
    assert "declare blocks=6\n" in told


@pytest.mark.parametrize(("aggregate", "exact"), [("median", "medians"), ("wins", "wins where a block is one match")])
def test_what_is_exact_needs_no_least_number(
    aggregate: str, exact: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, "block,a,b\n0,1,0\n1,0,1\n2,1,0\n")
    assert main([str(file), "--aggregate", aggregate]) == 0
    assert f"of {exact} are exact" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1 must be block,BOT,BOT"),
        ("bot,score\na,1\n", "line 1 must be block,BOT,BOT"),
        ("block,a,a\n0,1,2\n", "line 1 must be block,BOT,BOT"),
        ("block,a,b\n0,1\n", "line 2 has 2 cells, not 3"),
        ("block,a,b\n0,1,2\nx,1,2\n", "line 3: block must be a whole number"),
        ("block,a,b\n0,1,nan\n", "line 2: block must be a whole number, scores finite"),
        ("block,a,b\n0,1,many\n", "line 2: block must be a whole number, scores finite"),
        ("block,a\n0,1\n1,2\n", "at least 2 bots with 2 blocks each"),
        ("block,a,b\n0,1,2\n", "at least 2 bots with 2 blocks each"),
        ("block,a,b\n", "at least 2 bots with 2 blocks each"),
    ],
)
def test_files_that_are_no_scores(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(written(tmp_path, text))]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


def test_paths_and_numbers_that_can_not_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.csv")]) == 2
    assert "none.csv: No such file" in capsys.readouterr().err
    assert main([str(tmp_path)]) == 2
    assert "is not the folder of a run" in capsys.readouterr().err
    (tmp_path / "bytes.csv").write_bytes(b"block,\xff")
    assert main([str(tmp_path / "bytes.csv")]) == 2
    assert "not UTF-8" in capsys.readouterr().err
    assert main([str(tmp_path / "none.csv"), "--contests", "3"]) == 2
    assert "--contests must be 100 or more" in capsys.readouterr().err


def test_recorded_scores_of_the_games_can_be_read() -> None:
    files = sorted((Path(__file__).parents[4] / "benchmarks" / "scores").glob("*.csv"))
    assert files
    for file in files:
        with file.open(encoding="utf-8", newline="") as lines:
            head, *rows = csv.reader(lines)
        found = read_scores(file)
        assert (list(found.names), len(found)) == (sorted(head[1:]), len(rows))
