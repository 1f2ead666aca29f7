"""The tutorials are true: their commands run, their bots play, the last one beats one of the three best samples."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.games import GAMES
from tests.docs.pages import DOCS
from tests.docs.tutorials import Tutorial

every_game = pytest.mark.parametrize("tutorial", list(map(Tutorial, GAMES)), ids=lambda tutorial: tutorial.game)


@every_game
def test_every_block_is_known(tutorial: Tutorial) -> None:
    assert list(tutorial.blocks) == ["commands", "measure", "measured"]
    assert list(tutorial.files) == ["step2/bot.py", "step3/bot.py", "step4/bot.py"]
    assert tutorial.text.count("```") == 2 * (3 + 3)


@every_game
def test_it_ends_beyond_one_of_the_three_best_samples(tutorial: Tutorial) -> None:
    (beaten,) = re.findall(r"beating `(\w+)`$", tutorial.text.splitlines()[0])
    rank = ("first", "second", "third")[tutorial.ranking().index(beaten)]
    assert f"`{beaten}` is the {rank} of the [samples]" in tutorial.text
    page = (DOCS / f"{tutorial.game}.md").read_text(encoding="utf-8")
    assert f"goes from nothing to beating the {rank}." in " ".join(page.split())
    scores = tutorial.measured
    assert set(scores) == {word.lstrip("@") for word in tutorial.contest if word.startswith(("@", "step"))}
    assert scores["step4"] > scores[beaten]
    assert scores["step4"] == max(score for name, score in scores.items() if name.startswith("step"))


@pytest.mark.slow
@every_game
def test_its_commands_and_bots_play(tutorial: Tutorial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    viewed: list[Path] = []
    monkeypatch.setattr("koth.cli.view.serve", lambda path, *_, **__: viewed.append(path))
    tutorial.write_bots(tmp_path)
    for words in tutorial.commands:
        shorter = ["--max-turns", "10"] if words[0] == "run" else []
        result = CliRunner().invoke(cli, [*words, *shorter])
        assert result.exit_code == 0, result.output
    assert viewed == [Path("first")]
    table = 4 if tutorial.game == "metalman" else 1  # a table is played from every seat
    result = CliRunner().invoke(cli, [*tutorial.contest, "--json", "--matches", str(table), "--max-turns", "25"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["standings"]
    assert set(tutorial.measured) <= {row["bot"] for row in rows}
    assert [row["bot"] for row in rows if row["faults"]] == []
