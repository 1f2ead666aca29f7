"""The page on bots that misbehave: its commands are run here, and what they print is what it says.

python -m tests.diagnostics.test_misbehaving      writes what is printed into the page
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.game import FAULT_KINDS

PAGE = Path(__file__).parents[4] / "docs" / "misbehaving.md"
BLOCK = re.compile(r"<!-- block: ([\w-]+) -->\n```\w+\n(.*?)```\n", re.DOTALL)
OUTPUT = re.compile(r"<!-- output: ([\w-]+) -->\n```text\n(.*?)```\n", re.DOTALL)
COMMANDS = ("check", "why", "endings", "debug")
MEASURED = re.compile(r"\d+(\.\d+)?(?= (s|ms|MB)\b)")
"""Figures that differ from machine to machine."""
EACH = re.compile(r" \([^()]* for each of \d+\)(?= of 1000 ms)")
"""What is told of slow answers only."""


def kinds() -> str:
    return "".join(f"{kind:<8} {about.meaning}\n" for kind, about in FAULT_KINDS.items())


@cache
def printed() -> dict[str, str]:
    """What the page's commands print, by block."""
    blocks = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    outputs = {"kinds": kinds()}
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "clumsy"
        folder.mkdir()
        (folder / "main.py").write_text(blocks["program"])
        (folder / "koth.toml").write_text(blocks["manifest"])
        os.chdir(place)
        try:
            for name in COMMANDS:
                for line in blocks[name].splitlines():
                    program, *arguments = shlex.split(line)
                    assert program == "koth"
                    result = CliRunner().invoke(cli, arguments)
                    assert result.exit_code == (1 if name == "check" else 0), result.output
                    outputs[name] = _tidy(result.stdout, place)
        finally:
            os.chdir(home)
    return outputs


def _tidy(text: str, place: str) -> str:
    """Without the places where things lie on this machine."""
    text = text.replace(os.path.realpath(place) + "/", "").replace(place + "/", "")
    return re.sub(r"('[^']*/koth'|\S*/koth) (?=why|view|debug|new)", "koth ", text)


def steady(text: str) -> str:
    """With nothing that was measured."""
    return MEASURED.sub("#", EACH.sub("", text))


@pytest.mark.parametrize("name", [*COMMANDS, "kinds"])
def test_the_page_says_what_is_printed(name: str) -> None:
    told = dict(OUTPUT.findall(PAGE.read_text(encoding="utf-8")))
    assert steady(told[name]) == steady(printed()[name])


def test_every_block_is_known() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name, _ in BLOCK.findall(text)] == ["manifest", "program", *COMMANDS]
    assert [name for name, _ in OUTPUT.findall(text)] == [*COMMANDS, "kinds"]


def write_page() -> None:
    """Write the outputs into the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name, output in printed().items():
        pattern = re.compile(rf"(<!-- output: {name} -->\n```text\n).*?(```\n)", re.DOTALL)
        text = pattern.sub(lambda found, output=output: found[1] + output + found[2], text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_page()
