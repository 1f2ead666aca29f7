"""The page on writing a bot: every block of it runs, and its messages are those of a match that is played here.

python -m tests.games.aliens.test_docs      writes what is played into the page
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
from koth.games.aliens import bot as api
from koth.games.aliens.state import Settings
from koth.match import Result, play

PAGE = Path(__file__).parents[3] / "docs" / "aliens.md"
BLOCK = re.compile(r"<!-- block: ([\w-]+) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)
GAME = load("aliens")
TWO = Settings(instances=2, prey=1, rounds=60)
SEED = 1
"""Of the match that the messages are from."""
WRITTEN = {"commands", "class", "manifest", "program", "inline"}
"""The blocks that are not the outcome of a match."""


def block(name: str) -> str:
    """The text of one block of the page."""
    found = {key: text for key, _, text in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}
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


def a_match(path: Path, log: list[str] | None = None) -> Result:
    """A short match of this bot with the sample rock; its lines go to the log, if there is one."""
    bots, errors = find(GAME, [str(path), "@rock"], Interpreters())
    assert not errors
    if log is not None:
        bots[0] = OverheardBot(**{f.name: getattr(bots[0], f.name) for f in fields(Bot)}, log=log)
    return play(GAME, TWO, bots, SEED, ruleset="published")


@cache
def conversation() -> tuple[str, ...]:
    """All lines between koth and the page's program in one match."""
    log: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "west"
        folder.mkdir()
        (folder / "bot.py").write_text(block("program"), encoding="utf-8")
        (folder / "koth.toml").write_text(block("manifest"), encoding="utf-8")
        result = a_match(folder, log)
    assert result.records["west"].faults == {}
    return tuple(log)


def messages() -> dict[str, str]:
    """What the page shows of the conversation: the first of each kind."""
    log = conversation()
    found = {"hello": log[0], "ready": log[1], "bye": log[-1]}
    for question in ("points", "move", "meet"):
        at = next(k for k, line in enumerate(log) if f'"question":"{question}"' in line)
        found[question], found[f"{question}-answer"] = log[at], log[at + 1]
    return found


def inline_output() -> str:
    """What the program on arrays prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block("inline"), "inline.py", "exec"), {"__name__": "inline"})
    return out.getvalue()


def test_every_block_is_known() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = [name for name, _, _ in BLOCK.findall(text)]
    assert len(names) == len(set(names)) == text.count("```") / 2
    assert set(names) == WRITTEN | messages().keys() | {"inline-output"}


def test_messages_are_those_of_a_match() -> None:
    for name, text in messages().items():
        assert block(name) == text
        assert isinstance(json.loads(text), dict)


def test_arrays_print_what_the_page_says() -> None:
    assert block("inline-output") == inline_output()


def test_the_class_plays(tmp_path: Path) -> None:
    (tmp_path / "hunter.py").write_text(block("class"), encoding="utf-8")
    assert a_match(tmp_path / "hunter.py").records["hunter"].faults == {}


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    viewed: list[Path] = []
    monkeypatch.setattr("koth.viewer.server.serve", lambda path, **_: viewed.append(path))
    for line in block("commands").splitlines():
        program, *arguments = shlex.split(line)
        assert program == "koth"
        result = CliRunner().invoke(cli, [*arguments, *(["--set", "rounds=30"] if "run" in arguments else [])])
        assert result.exit_code == 0, result.output
    assert viewed == [Path("first")]
    assert (tmp_path / "my_bot" / "bot.py").is_file()


def test_all_of_the_api_is_told() -> None:
    text = PAGE.read_text(encoding="utf-8")
    public = [name for name in vars(api.Alien) if not name.startswith("_")]
    public += ["in_direction", "random_move", *api.Move.__members__]
    assert [name for name in public if not re.search(rf"`[^`]*\b{name}\b[^`]*`", text)] == []


def test_faults_and_samples_are_told() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [kind for kind in FAULTS[1:] if f"`{kind}`" not in text] == []
    rows = re.findall(r"^\| `(\w+)` \| .{20,} \|$", text.split("## The samples")[1], re.MULTILINE)
    assert sorted(rows) == sorted(path.stem for path in sample_paths("aliens") if path.parent.parent.name == "aliens")


def rewrite() -> None:
    """Put what is played into the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name, content in {**messages(), "inline-output": inline_output()}.items():
        text = re.sub(
            rf"(<!-- block: {name} -->\n```\w+\n).*?```\n",
            lambda found, content=content: found[1] + content + "```\n",  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    rewrite()
