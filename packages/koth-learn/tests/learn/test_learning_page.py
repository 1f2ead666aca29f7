"""The page on learning is true: its programs run, and print what it says."""

from __future__ import annotations

import contextlib
import io

import pytest

from tests.docs.pages import BLOCK, DOCS

TEXT = (DOCS / "learning.md").read_text(encoding="utf-8")
BLOCKS = {name: text for name, _, text in BLOCK.findall(TEXT)}
PROGRAMS = [name for name, language, _ in BLOCK.findall(TEXT) if language == "python"]
NEEDED = {"sb3": "sb3_contrib", "sb3_bot": "sb3_contrib"}
"""Libraries that some blocks need and no extra has."""


def test_every_block_is_tried() -> None:
    assert TEXT.count("```") == 2 * (len(BLOCKS) + TEXT.count("```console"))
    assert BLOCKS.keys() == {*PROGRAMS, "printed"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's, of its own exporter
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run(name: str) -> None:
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(BLOCKS[name], name, "exec"), {"__name__": "__main__"})
    if name == "first":
        assert said.getvalue() == BLOCKS["printed"]
