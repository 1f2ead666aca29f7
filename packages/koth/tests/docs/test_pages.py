"""The pages on writing a bot are true: every block of them runs or is played, and they are complete."""

from __future__ import annotations

import json
import shlex
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.discovery.samples import sample_paths
from koth.games import GAMES
from tests.docs.pages import BLOCK, HEADING, SAMPLE, Page

PAGES: dict[str, Page] = {game: import_module(f"tests.docs.test_{game}").PAGE for game in GAMES}
"""By game; each has a module of its own beside this one."""
every_page = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())


def test_all_pages_look_alike() -> None:
    headings = {name: HEADING.findall(page.text()) for name, page in PAGES.items()}
    assert len(headings["zombies"]) == 5
    assert headings == dict.fromkeys(PAGES, headings["zombies"])


@every_page
def test_every_block_is_known(page: Page) -> None:
    names = page.blocks()
    assert len(names) == len(set(names)) == page.text().count("```") / 2
    assert set(names) == page.written | page.play().keys()


@every_page
def test_what_was_played_stands_on_the_page(page: Page) -> None:
    for name, content in page.play().items():
        assert page.block(name) == content, f"python -m tests.docs {page.game.name}"
    for _, language, text in BLOCK.findall(page.text()):
        if language == "json":
            assert isinstance(json.loads(text), dict)


@pytest.mark.slow
@every_page
def test_the_commands_run(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    viewed: list[Path] = []
    monkeypatch.setattr("koth.cli.view.serve", lambda path, *_, **__: viewed.append(path))
    for line in "".join(page.block(name) for name in page.commands).splitlines():
        program, command, *words = shlex.split(line)
        assert program == "koth"
        result = CliRunner().invoke(cli, [command, *words, *(page.shorter if command == "run" else ())])
        assert result.exit_code == 0, result.output
    assert viewed == [Path("first")]
    assert (tmp_path / "my_bot" / "bot.py").is_file()


@every_page
def test_the_api_is_told(page: Page) -> None:
    assert page.untold(page.api) == []


@every_page
def test_the_times_are_those_of_the_game(page: Page) -> None:
    time_control = page.game.time_control
    text = " ".join(page.text().split())
    assert f"**{time_control.question:g} second a question**" in text
    if time_control.bank:
        assert f"**bank of {time_control.bank:g} seconds for the whole match**" in text
    assert ("Thinking in another bot's turn is charged" in text) == time_control.paid_thinking
    if time_control.first:
        assert f"{time_control.first:g} more for the first one" in text
    else:
        assert f"**{time_control.start:g} seconds to start**" in text


@every_page
def test_every_sample_is_told_with_its_scores(page: Page) -> None:
    rows = [name for name, _ in SAMPLE.findall(page.text().split("## The samples\n")[1])]
    name = page.game.name  # samples for the JVM lie elsewhere, and stand on the JVM's own page
    assert sorted(rows) == sorted(path.stem for path in sample_paths(name) if path.parent.parent.name == name)


@every_page
def test_the_table_is_in_order_and_the_default_field_has_the_strongest(page: Page) -> None:
    rows = SAMPLE.findall(page.text().split("## The samples\n")[1])
    scores = [float(figures.split("|")[0].replace(",", "")) for _, figures in rows]
    assert scores == sorted(scores, reverse=True)
    assert rows[0][0] in page.game.default_entrants
