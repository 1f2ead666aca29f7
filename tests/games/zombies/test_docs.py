"""The page on writing a bot: every block of it runs, and its messages are those of a match that is played here.

python -m tests.games.zombies.test_docs      writes what is played into the page
"""

from __future__ import annotations

import contextlib
import io
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

from koth.bots.folder import Bot, Interpreters, find, sample_paths
from koth.cli import cli
from koth.game import FAULTS
from koth.games import load
from koth.games.zombies import bot as api
from koth.games.zombies.state import Settings
from koth.match import Result, play

PAGE = Path(__file__).parents[3] / "docs" / "zombies.md"
BLOCK = re.compile(r"<!-- block: ([\w-]+) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)
GAME = load("zombies")
TWO = Settings(players=2)
SEED = 9
"""Of the match that the messages are from."""


def block(name: str) -> str:
    """The text of one block of the page."""
    found = {key: text for key, _, text in BLOCK.findall(PAGE.read_text())}
    return found[name]


class Overheard:
    """A wire whose messages are written down, as lines."""

    def __init__(self, wire: Any, log: list[str]) -> None:
        self._wire = wire
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)

    def _sent(self, data: bytes) -> bytes:
        self._log.append(data.decode())
        return data

    def hello(self, facts: Any) -> bytes:
        return self._sent(self._wire.hello(facts))

    def ask(self, asks: Any) -> bytes:
        return self._sent(self._wire.ask(asks))

    def bye(self) -> bytes:
        return self._sent(self._wire.bye())

    def hear(self, message: bytes) -> Any:
        self._log.append(message.decode() + "\n")
        return self._wire.hear(message)


@dataclass(frozen=True)
class OverheardBot(Bot):
    """A bot whose conversation is written down."""

    log: list[str] = field(default_factory=list)

    def open_wire(self, game: Any, settings: Any, seats: int) -> Any:
        return Overheard(super().open_wire(game, settings, seats), self.log)


def write_bot(folder: Path, **files: str) -> Path:
    """A bot's folder with these files, `_` in their names standing for a dot."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def a_match(path: Path, log: list[str] | None = None) -> Result:
    """A short match of this bot with the sample runner; its lines go to the log, if there is one."""
    bots, errors = find(GAME, [str(path), "@runner"], Interpreters())
    assert not errors
    if log is not None:
        bots[0] = OverheardBot(**{f.name: getattr(bots[0], f.name) for f in fields(Bot)}, log=log)
    return play(GAME, TWO, bots, SEED, ruleset="published")


@cache
def conversation() -> tuple[str, ...]:
    """All lines between koth and the page's program in one match."""
    log: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = write_bot(Path(folder) / "north", bot_py=block("program"), koth_toml=block("manifest"))
        result = a_match(path, log)
    assert result.records["north"].faults == {}
    return tuple(log)


def messages() -> dict[str, str]:
    """What the page shows of the conversation: the first question that is answered with a shot and a move."""
    log = conversation()
    answers = [k for k, line in enumerate(log) if '"shoot"' in line and '"NORTH"' in line and '"moves":' in line[:40]]
    answer = next(k for k in answers if '"question"' not in log[k])
    return {"hello": log[0], "ready": log[1], "ask": log[answer - 1], "answer": log[answer], "bye": log[-1]}


def inline_output() -> str:
    """What the program on arrays prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block("inline"), "inline.py", "exec"), {"__name__": "inline"})
    return out.getvalue()


def played() -> dict[str, str]:
    """The blocks of the page that come out of matches."""
    return {**messages(), "inline-output": inline_output()}


def test_every_block_is_known() -> None:
    text = PAGE.read_text()
    names = [name for name, _, _ in BLOCK.findall(text)]
    assert len(names) == len(set(names)) == text.count("```") / 2
    known = {"commands", "again", "class", "manifest", "program", "inline", "inline-output"}
    assert set(names) == known | {"hello", "ready", "ask", "answer", "bye"}


@pytest.mark.parametrize("name", ["hello", "ready", "ask", "answer", "bye"])
def test_messages_are_those_of_a_match(name: str) -> None:
    assert block(name) == messages()[name]
    assert isinstance(json.loads(block(name)), dict)


def test_arrays_print_what_the_page_says() -> None:
    assert block("inline-output") == inline_output()


def test_the_class_plays(tmp_path: Path) -> None:
    result = a_match(write_bot(tmp_path / "careful", bot_py=block("class")))
    assert result.records["careful"].faults == {}
    assert result.scores["careful"] > 0


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    viewed: list[Path] = []
    monkeypatch.setattr("koth.viewer.server.serve", lambda path, **_: viewed.append(path))
    for line in (block("commands") + block("again")).splitlines():
        program, *arguments = shlex.split(line)
        assert program == "koth"
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
    assert viewed == [Path("first")]
    assert (tmp_path / "my_bot" / "bot.py").is_file()


def test_all_of_the_api_is_told() -> None:
    text = PAGE.read_text()
    public = [name for kind in (api.Context, api.PlayerId) for name in vars(kind) if not name.startswith("_")]
    public += ["number", "name", "in_direction", "random_move", "values", *api.Move.__members__]
    public += ["VISION_RANGE", "SHOOT_RANGE", "STARTING_BULLETS", "PLAYERS_PER_SPECIES"]
    assert [name for name in public if not re.search(rf"`[^`]*\b{name}\b[^`]*`", text)] == []


def test_faults_and_samples_are_told() -> None:
    text = PAGE.read_text()
    assert [kind for kind in FAULTS[1:] if f"`{kind}`" not in text] == []
    rows = re.findall(r"^\| `(\w+)` \| .{20,} \| +[\d,–]+ \| +[\d,]+ \|$", text, re.MULTILINE)
    assert sorted(rows) == sorted(
        path.stem for path in sample_paths("zombies") if path.parent.parent.name == "zombies"
    )


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
