"""The page on studies is true: its study runs, shortened, and it names every key and file."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from koth_studies.plan import CONTEST_KEYS, AuthorCommand, StudyGame, StudyOptions, TurnLimits
from tests.cli.conftest import koth as koth
from tests.cli.program import Koth
from tests.docs.pages import DOCS

TEXT = (DOCS / "studies.md").read_text(encoding="utf-8")
EXAMPLES = DOCS.parent / "examples" / "studies"


def test_its_study_runs_and_its_mender_is_refused_and_mends(koth: Koth, tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert tomllib.loads(block) == tomllib.loads((EXAMPLES / "scripts.toml").read_text())
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    (command,) = re.findall(r"```sh\nkoth (.*)\n```", TEXT)
    text, _, _ = block.partition("[games.pacman]")
    for long, short in (
        ("rounds = 3", "rounds = 2\njobs = 1"),
        ("repetitions = 3", ""),
        ("matches = 6", "matches = 1"),
    ):
        text = text.replace(long, short)
    (tmp_path / "examples" / "scripts.toml").write_text(text.replace("matches = 1", "matches = 1\nmax_turns = 40"))
    done = koth(*command.replace("examples/studies", str(tmp_path / "examples")).split(), "--json")
    assert done.code == 0, done.err
    mender = [row for row in json.loads(done.out)["rounds"] if row["bot"] == "mender"]
    assert [row["version"] for row in mender] == [0, 0, 2]
    assert "min() arg is an empty sequence" in mender[1]["check_problem"]
    series = tmp_path / "examples" / "scripts" / "zombies" / "1"
    for place in (series / "authors" / "mender" / "arena").iterdir():
        assert place.name in TEXT
    for place in (series / "1").iterdir():
        assert place.name in (*TEXT.split("`"), "climber", "gambler", "mender", "bots.json", "round.json")


def test_it_names_every_key() -> None:
    kinds: tuple[Any, ...] = (StudyOptions, TurnLimits, AuthorCommand, StudyGame)
    keys = {field.name for kind in kinds for field in fields(kind)} - {"progress"}
    assert {key for key in {*keys, *CONTEST_KEYS} if f"`{key}`" not in TEXT} == set()
