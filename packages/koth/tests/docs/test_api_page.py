"""The page on koth from Python is true: its blocks run in order, as one script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS

BLOCKS = re.findall(r"```python\n(.*?)```", (DOCS / "api.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
def test_the_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in BLOCKS:
        exec(block, names)
    said = capsys.readouterr().out
    assert "1 of 4: {'grazer'" in said
    assert said.count("match ") >= 1
    assert names["again"].missing == 0
    assert names["checked"].ok
