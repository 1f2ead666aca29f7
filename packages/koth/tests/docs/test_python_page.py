"""The page on writing bots in Python is true: its commands run, its bot plays, its faults read as it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.game import Field, Observations, Question
from koth.games import load
from koth.protocol.bot_protocol import Answer
from koth.protocol.declared import Declared
from koth.protocol.returned import ReturnedProtocol
from tests.docs.pages import BLOCK, DOCS, a_match, write_bot
from tests.test_readme import koth
from tests.trials import quick, trial

TEXT = (DOCS / "python.md").read_text(encoding="utf-8")
BLOCKS = {name: text for name, _, text in BLOCK.findall(TEXT)}
SHOT = Question(
    "fire",
    observation={"x": Field("u1")},
    answer={"way": Field("u1", names=("north", "south")), "power": Field("u1", default=1, low=1, high=9)},
    max_rows=1,
)


def test_every_block_is_tried() -> None:
    assert (BLOCKS.keys(), TEXT.count("```")) == ({"commands", "program"}, 8)  # two are run by tests of drawings


@pytest.mark.slow
def test_the_commands_run(tmp_path: Path) -> None:
    for line in BLOCKS["commands"].splitlines():
        done = koth(" ".join([line, *(quick("pacman") if line.startswith("koth run") else ())]), tmp_path)
        assert done.returncode == 0, done.stderr


def test_the_bot_plays_by_its_class(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "mine", bot_py=BLOCKS["program"])
    assert load_bot(load("pacman"), bot, Interpreters()).protocol == "python"
    a_match(load("pacman"), trial("pacman").short, [bot, "@forager"], 7)


@pytest.mark.parametrize(
    ("returned", "kind"),
    [
        (None, "missing"),
        ({"way": "north"}, "missing"),
        ({"way": "north", "power": 12}, "illegal"),
        ("north", "illegal"),
    ],
)
def test_faults_are_told_as_it_says(returned: object, kind: str) -> None:
    protocol, zeros = ReturnedProtocol(Declared()), np.zeros(1, np.int32)
    protocol.hello({})
    protocol.ask(Observations(SHOT, zeros, zeros, zeros, {"x": np.zeros(1, np.uint8)}))
    answer = protocol.decode(json.dumps({"ask": 1, "returned": returned}).encode())
    assert isinstance(answer, Answer)
    ((told, text),) = answer.row_faults()
    assert (told, f"| `{kind}` | `{text}` |" in TEXT) == (kind, True)


def test_its_table_names_what_is_there() -> None:
    rows = re.findall(r"^\| [^|]+ \| `(\w+)` \| `", TEXT, re.MULTILINE)
    assert set(rows) == {"error", "missing", "illegal", "late", "crash"}
