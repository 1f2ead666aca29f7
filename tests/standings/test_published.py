"""A run beside a published table; head to head; equal bots."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.errors import KothError
from koth.standings.head import HeadToHead, same_bots
from koth.standings.intervals import Interval
from koth.standings.published import compared, read_table
from koth.standings.scores import Scores
from koth.standings.table import Standing


def line(bot: str, score: float, half: float | None = None) -> Standing:
    interval = Interval(note="few") if half is None else Interval(score - half, score + half)
    return Standing(1, bot, score, interval, 9, 9)


def test_a_table_is_read(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text('\ufeffPlace,Bot,Score\n1,Ann,"1,234.5"\n2,Bob,7\n\n', encoding="utf-8")
    assert read_table(file) == {"Ann": 1234.5, "Bob": 7}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_only_line_ends_end_the_lines_of_a_table(tmp_path: Path, end: str) -> None:
    file = tmp_path / "t.csv"
    lines = "bot,score", "A\u2028nn,1", '"B\x0bob",2', ""
    file.write_text(end.join(lines), encoding="utf-8", newline="")
    assert read_table(file) == {"A\u2028nn": 1, "B\x0bob": 2}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bot,score\na,x\n", "line 2: column 'score' has no number"),
        ("bot,score\na,nan\n", "line 2: column 'score' has no number"),
        ("bot,score\na" + "b" * 200_000 + ",1\n", "field larger than field limit"),
        ("bot,score\na,1\na,2\n", "line 3: 'a' is listed twice"),
        ("who,score\na,1\n", "no column is called bot or name"),
        ("bot,score\n", "it lists no bot"),
        ("", "there are: none"),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    with pytest.raises(KothError, match=words):
        read_table(file)
    with pytest.raises(KothError, match=r"nothing\.csv: No such file"):
        read_table(tmp_path / "nothing.csv")


def test_comparing() -> None:
    lines = [line("a", 10, 1.96), line("b", 8, 0.98), line("c", 5), line("d", 1)]
    found = compared(lines, {"A": 9, "b": 9.25, "c": 4, "x": 3})
    assert [each.as_json() for each in found.lines] == [
        {"bot": "a", "score": 10, "published": 9, "difference": 1, "within": True},
        {"bot": "b", "score": 8, "published": 9.25, "difference": -1.25, "within": False},
        {"bot": "c", "score": 5, "published": 4, "difference": 1, "within": None},
    ]
    assert [each.texts() for each in found.lines] == [
        ["a", "10", "9", "1", "yes"],
        ["b", "8", "9.25", "-1.25", "no"],
        ["c", "5", "4", "1", "no interval"],
    ]
    assert found.correlation == pytest.approx(0.5)
    assert (found.only_here, found.only_there) == (["d"], ["x"])
    assert compared(lines, {"a": 1, "b": 2}).correlation is None


def test_equal_scores_share_the_mean_of_their_ranks() -> None:
    found = compared([line("a", 10), line("b", 8), line("c", 5)], {"a": 9, "b": 9, "c": 4})
    assert found.correlation == pytest.approx(0.866, abs=1e-3)


def test_an_interval_that_is_open_on_one_side() -> None:
    lines = [Standing(1, bot, 5, Interval(low=4), 9, 9) for bot in ("a", "b")]
    assert [each.within for each in compared(lines, {"a": 1000, "b": 3}).lines] == [True, False]


def test_head_to_head() -> None:
    heads = HeadToHead.of(
        Scores.of([(0, {"a": 3.0, "b": 1.0}), (1, {"b": 2.0, "a": 2.0}), (2, {"a": 1.0, "c": 5.0})])
    )
    assert heads.between("a", "b") == (1, 1, 0)
    assert heads.between("b", "a") == (0, 1, 1)
    assert heads.between("b", "c") == (0, 0, 0)
    assert heads.as_json(["c", "a", "b"]) == {
        "c": {"a": [1, 0, 0]},
        "a": {"c": [0, 0, 1], "b": [1, 1, 0]},
        "b": {"a": [0, 1, 1]},
    }


def test_equal_bots_are_named() -> None:
    bots = [
        {"name": name, "hash": digest} for name, digest in (("a", "1"), ("b", "2"), ("c", "1"), ("d", ""), ("e", ""))
    ]
    assert same_bots(bots) == [["a", "c"]]
