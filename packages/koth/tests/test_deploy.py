"""The files of `deploy/`: the commands that they start are koth's, and koth takes their words."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from koth.cli.commands import cli

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
STARTED = {
    path.name: shlex.split(line)
    for path in sorted(DEPLOY.glob("systemd/*.service"))
    for line in re.findall(r"^ExecStart=(.*)$", re.sub(r"\$\(.*?\)", "today", path.read_text()), re.MULTILINE)
}
CONTAINED = re.findall(r"^    command: \[(.*)\]$", (DEPLOY / "compose.yaml").read_text(), re.MULTILINE)
COMMANDS = [
    *(shlex.split(words[-1]) if words[0] == "/bin/sh" else words for words in STARTED.values()),
    *(["koth", *(word.strip().strip('"') for word in text.split(","))] for text in CONTAINED),
]


def test_there_is_a_site_a_runner_and_a_backup() -> None:
    kinds = [next(word for word in words if word in ("serve", "run", "backup")) for words in COMMANDS]
    assert sorted(kinds) == ["backup", "run", "run", "serve", "serve"]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_koth_takes_the_words(words: list[str]) -> None:
    program = next(place for place, word in enumerate(words) if word.endswith("koth"))
    told = CliRunner().invoke(cli, [*words[program + 1 :], "--help"])
    assert (told.exit_code, told.output[:6]) == (0, "Usage:"), told.output
    assert CliRunner().invoke(cli, [*words[program + 1 :], "--no-such-word", "--help"]).exit_code == 2


def test_the_documents_install_existing_files() -> None:
    text = (DEPLOY.parent / "docs" / "deploy.md").read_text()
    for path in re.findall(r"deploy/[\w./]+\w", text):
        assert (DEPLOY.parent / path).exists() or list(DEPLOY.parent.glob(f"{path}*")), path
