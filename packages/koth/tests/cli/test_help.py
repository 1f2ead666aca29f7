"""The text of `--help`, word for word: `KOTH_UPDATE=1 pytest` of this file writes it again."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from koth import __version__
from koth.cli import cli
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


def test_every_command_has_a_line_in_the_overview(koth: Koth) -> None:
    overview = koth("--help").out
    for name, command in cli.commands.items():
        assert f"  {name} " in overview
        assert command.short_help
        assert command.short_help.split(".")[0] in " ".join(overview.split())


def test_no_command_is_a_request_for_help(koth: Koth) -> None:
    done = koth()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: ")


def test_version(koth: Koth) -> None:
    assert koth("--version").out == f"koth, version {__version__}\n"
