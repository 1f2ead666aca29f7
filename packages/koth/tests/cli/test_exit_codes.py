"""The exit codes are what the documentation says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from koth.cli import exit_codes
from koth.cli.commands import cli
from tests.cli.program import SMALL, Koth, bot_file

ROOT = Path(__file__).resolve().parents[4]
ROW = re.compile(r"^\| (\d+) \| (.*) \|$", re.M)


def test_the_page_has_every_exit_code() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    listed = {int(code) for code, _ in ROW.findall(page)}
    assert listed == {code for name, code in vars(exit_codes).items() if name.isupper()}


def test_the_page_names_every_command() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [name for name in cli.commands if f"`koth {name}" not in page] == []


def test_each_code_is_given(koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot_file(tmp_path, "good")
    bot_file(tmp_path, "bad", "import nothing_of_this_name\n")
    check = ("check", "--game", "zombies", "--max-turns", "2", *SMALL)
    assert koth(*check, "good.py").code == exit_codes.OK
    assert koth(*check, "bad.py").code == exit_codes.NO
    assert koth("list", "bad.exe", "--game", "zombies").code == exit_codes.NO
    assert koth(*check, "nobody.py").code == exit_codes.FAILED
    compared = koth(
        "compare", "good.py", "@runner", "--game", "zombies", "--matches", "2", "--max-turns", "2", *SMALL
    )
    assert compared.code == exit_codes.INCOMPLETE
    monkeypatch.setattr("koth.cli.lists.list_games", lambda as_json: 1 // 0)
    broken = koth("list")
    assert broken.code == exit_codes.BUG
    assert "ZeroDivisionError" in broken.err
    monkeypatch.setattr("koth.cli.lists.list_games", interrupted)
    assert koth("list").code == exit_codes.INTERRUPTED
    monkeypatch.setattr("koth.cli._print_failure", interrupted)
    assert koth("list", "nothing").code == exit_codes.INTERRUPTED  # interrupted while the refusal is printed


def interrupted(*words: object, **named: object) -> None:
    raise KeyboardInterrupt
