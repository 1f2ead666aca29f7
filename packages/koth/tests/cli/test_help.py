"""The text of `--help`, word for word: `KOTH_UPDATE=1 pytest` of this file writes it again."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
import pytest

from koth import __version__
from koth.cli import cli
from koth.cli.commands import packages
from koth.services.options import GROUPS
from tests.cli.program import Koth

TEXTS = Path(__file__).with_name("help.txt")
UPDATE = os.environ.get("KOTH_UPDATE") == "1"


def words_of(group: click.Group) -> list[list[str]]:
    """Return the words of every command, those of groups in front of what is in them."""
    found: list[list[str]] = [[]]
    for name, command in group.commands.items():
        inner = words_of(command) if isinstance(command, click.Group) else [[]]
        found += [[name, *words] for words in inner]
    return found


def test_every_help_text(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERMINAL_WIDTH", "100")
    parts = []
    for words in words_of(cli):
        done = koth(*words, "--help")
        assert (done.code, done.err) == (0, "")
        parts.append(f"$ {' '.join(['koth', *words, '--help'])}\n{done.out}")
    text = "\n".join(parts)
    if UPDATE:
        TEXTS.write_text(text, encoding="utf-8")
    assert text == TEXTS.read_text(encoding="utf-8")


@pytest.mark.parametrize("names", [["hill", "study", "worker"], []])
def test_the_first_screen_has_every_command(koth: Koth, monkeypatch: pytest.MonkeyPatch, names: list[str]) -> None:
    commands = {name: click.Command(name, short_help="One of a package.") for name in names}
    monkeypatch.setattr(packages, "find_names", lambda: names)
    monkeypatch.setattr(packages, "load_command", commands.get)
    screen = koth("--help").out
    for name, command in [*cli.commands.items(), *commands.items()]:
        assert re.search(rf"^(.{{40}})?  {name} +{command.short_help}", screen, re.M), name
    assert ("hill, study, worker: in packages of their own" in screen) == (not names)
    assert len(screen.splitlines()) <= 24
    assert all(len(line) <= 80 for line in screen.splitlines())
    assert screen.index("koth run GAME") < screen.index("Run a contest:") < screen.index("Look:")


def test_the_options_stand_in_groups(koth: Koth) -> None:
    def groups(command: str) -> list[str]:
        return [line[:-1] for line in koth(command, "--help").out.splitlines() if re.match(r"[A-Z].*:$", line)]

    assert groups("run") == [*GROUPS, "Other options"]
    assert groups("warm") == ["Options"]
    text = koth("run", "--help").out
    assert text.index("When to stop:") < text.index("--until") < text.index("The bots:") < text.index("--exclude")


def test_no_command_is_a_request_for_help(koth: Koth) -> None:
    done = koth()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: ")


def test_version(koth: Koth) -> None:
    assert koth("--version").out == f"koth, version {__version__}\n"
