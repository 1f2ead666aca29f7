"""The page for hosts is true: its bots play, as its commands say."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from koth.cli import cli
from tests.docs.pages import BLOCK, DOCS

TEXT = (DOCS / "host.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: ([\w./]+) -->\n```\w+\n(.*?)```\n", TEXT, re.DOTALL))
BLOCKS = {name: text for name, _, text in BLOCK.findall(TEXT)}


def test_many_bots_of_one_program_import_what_they_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    for line in BLOCKS["many"].splitlines():
        done = CliRunner().invoke(cli, shlex.split(line)[1:])
        assert done.exit_code == 0, done.output
    told = json.loads(CliRunner().invoke(cli, ["standings", "many", "--json"]).stdout)
    faults = {line["bot"]: line["faults"] for line in told["standings"]}
    assert faults == {"Northwest": {}, "Left hand": {}, "Southeast": {}}


def test_a_knockout_ends_with_one_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(BLOCKS["knockout"], names)
    said = [line for line in capsys.readouterr().out.splitlines() if " -> " in line]
    assert [len(names["places"](count)) for count in (1, 2, 8)] == [1, 2, 8]
    assert names["places"](8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert len(said) == 3
    assert said[-1].endswith(names["players"][0])
