"""The page on bringing in a contest is true: its files make a game and its bots, and its commands play."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.docs.pages import BLOCK, DOCS
from tests.elsewhere import Elsewhere

TEXT = (DOCS / "bring-in-a-contest.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: ([\w./-]+) -->\n```\w+\n(.*?)```\n", TEXT, re.DOTALL))
BLOCKS = {name: text for name, _, text in BLOCK.findall(TEXT)}


@pytest.mark.slow
def test_the_contest_is_made_and_played(tmp_path: Path) -> None:
    place = Elsewhere(tmp_path)
    run(place, BLOCKS["make"])
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert place.run("-c", BLOCKS["engine"]).stdout == BLOCKS["engined"]
    for name in ("install", "play"):
        run(place, BLOCKS[name])
    told = json.loads(place.koth("standings", "contest", "--format", "json").stdout)["standings"]
    assert {line["bot"] for line in told} == {"Counter", "Cycle", "paper", "rocky", "copier"}
    assert not any(line["faults"] for line in told)
    means = {line["bot"]: line["score"] for line in told}
    assert means["Counter"] > means["rocky"] < 0


def run(place: Elsewhere, block: str) -> None:
    """Run the lines of a block of commands; pip's is done without a network."""
    for line in block.splitlines():
        program, *words = shlex.split(line)
        if program == "export":
            place.environment |= dict(word.split("=") for word in words)
            continue
        if program == "rm":
            for word in words:
                (place.folder / word).unlink()
        elif program == "pip":
            place.install(place.folder / words[-1])
        elif program == "python":
            place.run(*words)
        else:
            place.koth(*words)


def test_every_block_and_link_is_known() -> None:
    assert TEXT.count("```") == 2 * (len(FILES) + len(BLOCK.findall(TEXT)))
    for target in re.findall(r"\]\(([\w-]+\.md)", TEXT):
        assert (DOCS / target).exists(), target
