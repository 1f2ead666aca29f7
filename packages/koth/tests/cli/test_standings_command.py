"""`koth standings`, in all its forms, of a run on disk."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from koth.testing.blocks import main as measure_blocks
from tests.cli.program import SMALL, Koth, bot_file


@pytest.fixture
def run(koth: Koth, tmp_path: Path) -> str:
    bot_file(tmp_path, "good")
    done = koth("run", "zombies", "good.py", "me=good.py", *SMALL, "--matches", "6", "--seed", "9", "--out", "out")
    assert done.code == 0, done.err
    assert "the same bot, byte for byte: good, me" in done.err
    assert "zombies: 6 matches, 6 for each of 2 bots" in done.err
    return "out"


@pytest.mark.slow
def test_every_form(run: str, koth: Koth) -> None:
    told = json.loads(koth("standings", run, "--format", "json").out)
    assert [line["bot"] for line in told["standings"]] == list(told["head_to_head"])
    assert sum(told["head_to_head"]["good"]["me"]) == 6
    assert told["same"] == [["good", "me"]]
    rows = list(csv.DictReader(io.StringIO(koth("standings", run, "--format", "csv").out)))
    assert [row["bot"] for row in rows] == [line["bot"] for line in told["standings"]]
    assert [float(row["score"]) for row in rows] == [line["score"] for line in told["standings"]]
    markdown = koth("standings", run, "--format", "markdown").out
    assert "| rank | bot | score | 95 % sure | first | behind the first | interval | matches | faults |" in markdown
    assert "* Score: the median of a bot's matches; rank: by score." in markdown
    plain = koth("standings", run).out
    assert "by score" not in plain
    assert "Score: the median of a bot's matches; rank: by score." in koth("standings", run, "--explain").out
    assert "Head to head" in plain
    assert "Byte for byte the same bot: good, me." in plain


def test_the_least_number_of_blocks_is_measured_with_the_aggregate_of_the_game(
    run: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert measure_blocks([str(tmp_path / run)]) == 0
    assert "medians are exact" in capfd.readouterr().out


def test_what_is_no_run(koth: Koth, tmp_path: Path) -> None:
    done = koth("standings", "nowhere")
    assert done.code == 2
    assert "nowhere is not the folder of a run" in done.err
