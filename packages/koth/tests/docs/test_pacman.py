"""The page on writing a Pac-Man bot."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pytest

from koth.contest.preflight import build
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.games import load
from koth.games.pacman.state import Settings
from tests.docs.pages import Line, Page, a_match, write_bot

SMALL = Settings(side=6, ghosts=1, power_pellets=1, fruit=1)
SEED = 4
"""Of the matches that the messages are from."""


def conversation(**files: str) -> list[Line]:
    """All that is said in a short match of a bot with these files."""
    log: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        a_match(PAGE.game, SMALL, [write_bot(Path(folder) / "my_bot", **files)], SEED, log)
    return log


@cache
def played() -> dict[str, str]:
    """The blocks that come out of matches: the beginning of each conversation."""
    said = conversation(bot_py=PAGE.block("program"))
    marked = [("< " if line.said else "> ") + line.text for line in said]
    turned = conversation(bot_py=PAGE.block("program"), koth_toml=PAGE.block("manifest"))
    spoken = conversation(bot_py=PAGE.block("json-program"), koth_toml=PAGE.block("json-manifest"))
    return {
        "walls": said[0].text,
        "ask": said[1].text,
        "transcript": "".join([*marked[:9], "...\n", *marked[-5:]]),
        "turned-ask": turned[1].text,
        "hello": spoken[0].text,
        "ready": spoken[1].text,
        "json-ask": spoken[2].text,
        "json-answer": spoken[3].text,
        "bye": spoken[-1].text,
    }


PAGE = Page(
    game=load("pacman"),
    written=frozenset({"commands", "check", "turned", "program", "manifest", "command"})
    | {"json-manifest", "json-program"},
    play=played,
    api=(
        "KOTH_SEED",
        "koth.toml",
        "command.txt",
        *"NESWXGPoOF?",
        "Q",
    ),
    commands=("commands", "check", "turned"),
)


def test_both_orders_name_the_same_squares() -> None:
    squares = [word[:-1].split(",") for word in PAGE.block("ask").split()]
    assert [word[:-1].split(",") for word in PAGE.block("turned-ask").split()] == [[col, row] for row, col in squares]


@pytest.mark.needs("cc")
def test_the_manifest_and_the_command_are_read(tmp_path: Path) -> None:
    bot = write_bot(
        tmp_path / "my_bot",
        koth_toml=PAGE.block("manifest"),
        command_txt=PAGE.block("command"),
        bot_c="int main(void) { return 0; }\n",
    )
    found = load_bot(PAGE.game, bot, Interpreters())
    assert found.options == {"coordinates": "col,row"}
    built, problem = build(found, tmp_path / "built")
    assert not problem
    assert (built.folder / "bot").is_file()
