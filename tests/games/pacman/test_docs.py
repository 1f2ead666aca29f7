"""The page on writing a bot: every block of it runs, and its messages are those of a match that is played here.

python -m tests.games.pacman.test_docs      writes what is played into the page
"""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from koth.bots.folder import Bot, Interpreters, load, sample_names, sample_path
from koth.bots.wires import Reply
from koth.cli import cli
from koth.contest.practice import build
from koth.game import FAULTS
from koth.games.pacman import GAME
from koth.games.pacman.state import Settings
from koth.match import play

PAGE = Path(__file__).parents[3] / "docs" / "pacman.md"
BLOCK = re.compile(r"<!-- block: ([\w-]+) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)
SMALL = Settings(side=6, ghosts=1, power_pellets=1, fruit=1)
SEED = 4
"""Of the match that the messages are from."""


def block(name: str) -> str:
    """The text of one block of the page."""
    found = {key: text for key, _, text in BLOCK.findall(PAGE.read_text())}
    return found[name]


class Overheard:
    """A wire whose messages are written down: `>` what the bot is told, `<` what it says."""

    def __init__(self, wire: Any, log: list[str]) -> None:
        self._wire = wire
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)

    def _told(self, data: bytes) -> bytes:
        self._log.append(">" + data.decode())
        return data

    def hello(self, facts: Any) -> bytes:
        return self._told(self._wire.hello(facts))

    def ask(self, asks: Any) -> bytes:
        return self._told(self._wire.ask(asks))

    def bye(self) -> bytes:
        return self._told(self._wire.bye())

    def hear(self, message: bytes) -> Any:
        self._log.append("<" + message.decode() + "\n")
        meaning = self._wire.hear(message)
        if isinstance(meaning, Reply):
            self._told(meaning.data)
        return meaning


@dataclass(frozen=True)
class OverheardBot(Bot):
    """A bot whose conversation is written down."""

    log: list[str] = field(default_factory=list)

    def open_wire(self, game: Any, settings: Any, seats: int) -> Any:
        return Overheard(super().open_wire(game, settings, seats), self.log)


def overheard(path: Path, name: str) -> list[str]:
    """All lines between koth and a bot in one short match."""
    bot = load(GAME, path, Interpreters(), name)
    log: list[str] = []
    spied = OverheardBot(**{f.name: getattr(bot, f.name) for f in fields(Bot)}, log=log)
    result = play(GAME, SMALL, [spied], SEED, ruleset="published")
    assert result.records[name].faults == {}, result.records[name].stderr
    return log


@cache
def played() -> dict[str, str]:
    """The blocks of the page that come out of matches."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bot.py").write_text(block("program"))
        log = overheard(Path(folder), "eastward")
    assert log[-1] == ">Q\n"
    ask = next(k for k, line in enumerate(log) if line == "<E\n" and "o" in log[k - 3]) - 3
    spoken = overheard(sample_path("pacman", "json_greedy"), "json_greedy")
    return {
        "walls": log[0][1:],
        "ask": log[ask][1:],
        "answer": "".join(line[1:] for line in log[ask + 1 : ask + 4]),
        "hello": spoken[0][1:],
        "json-ask": spoken[2][1:],
        "json-answer": spoken[3][1:],
    }


def test_every_block_is_known() -> None:
    text = PAGE.read_text()
    names = [name for name, _, _ in BLOCK.findall(text)]
    assert len(names) == len(set(names)) == text.count("```") / 2
    assert set(names) == {"commands", "again", "turned", "program", "manifest", "command", *played()}


@pytest.mark.parametrize("name", ["walls", "ask", "answer", "hello", "json-ask", "json-answer"])
def test_messages_are_those_of_a_match(name: str) -> None:
    assert block(name) == played()[name]
    if "json" in name:
        assert isinstance(json.loads(block(name)), dict)


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    viewed: list[Path] = []
    monkeypatch.setattr("koth.viewer.server.serve", lambda path, **_: viewed.append(path))
    for line in (block("commands") + block("again") + block("turned")).splitlines():
        program, *arguments = shlex.split(line)
        assert program == "koth"
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
    assert viewed == [Path("first")]


def test_the_manifest_and_the_command_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "koth.toml").write_text(block("manifest"))
    (folder / "command.txt").write_text(block("command"))
    (folder / "bot.c").write_text("int main(void) { return 0; }\n")
    bot = load(GAME, folder, Interpreters())
    assert bot.options == {"coordinates": "col,row"}
    built, problem = build(bot, tmp_path / "built")
    assert not problem
    assert (built.folder / "bot").is_file()


def test_faults_and_samples_are_told() -> None:
    text = PAGE.read_text()
    assert [kind for kind in FAULTS[1:] if f"`{kind}`" not in text] == []
    rows = re.findall(r"^\| `(\w+)` \| .{20,} \| +[\d,–]+ \| +[\d,]+ \|$", text, re.MULTILINE)
    assert sorted(rows) == sample_names("pacman")


def rewrite() -> None:
    """Put what is played into the page."""
    text = PAGE.read_text()
    for name, content in played().items():
        text = re.sub(
            rf"(<!-- block: {name} -->\n```\w+\n).*?```\n",
            lambda found, content=content: found[1] + content + "```\n",  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
    PAGE.write_text(text)


if __name__ == "__main__":
    rewrite()
