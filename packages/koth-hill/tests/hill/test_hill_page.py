"""The page on the hill is true: its commands run, and it has every state and every command."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click

from koth_hill.cli.commands import hill_group
from tests.cli.program import SMALL, Koth
from tests.docs.pages import BLOCK, DOCS

TEXT = (DOCS / "hill.md").read_text(encoding="utf-8")


def test_the_commands_run_in_order(koth: Koth, tmp_path: Path) -> None:
    lines = [line for _, language, text in BLOCK.findall(TEXT) if language == "sh" for line in text.splitlines()]
    assert lines
    for line in lines:
        program, *words = shlex.split(line, comments=True)
        assert program == "koth"
        done = koth(*words, *(SMALL if words[1] == "init" else ()))
        assert done.code == 0, f"{line}: {done.err}"


def test_every_command_is_told() -> None:
    group = hill_group
    assert isinstance(group, click.Group)
    assert [name for name in group.commands if not re.search(rf"koth hill {name}\b", TEXT)] == []
