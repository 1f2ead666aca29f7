"""The page for hosts is true: its bots play, as its commands say."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

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


def test_a_knockout_ends_with_one_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    *_, told = [CliRunner().invoke(cli, shlex.split(line)[1:]).stdout for line in BLOCKS["knockout"].splitlines()]
    semifinals, (final,) = (
        re.findall(rf"^{name}: .* - .*: (\w+)", told, re.MULTILINE) for name in ("semifinals", "final")
    )
    assert len(semifinals) == 2
    assert final in semifinals
