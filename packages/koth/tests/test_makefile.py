"""The Makefile's own decisions."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_demo_opens_its_page_in_a_terminal(tmp_path: Path, is_terminal: bool) -> None:
    words, python = tmp_path / "words", tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\necho "$@" > {words}\n')
    python.chmod(0o755)
    (tmp_path / "ready").touch()
    terminal, other_end = pty.openpty()
    try:
        out = other_end if is_terminal else subprocess.DEVNULL
        subprocess.run(["make", "-s", "demo", f"VENV={tmp_path}"], cwd=ROOT, stdout=out, check=True)
    finally:
        os.close(terminal)
        os.close(other_end)
    assert ("--view" in words.read_text().split()) is is_terminal


def test_make_alone_lists_every_target() -> None:
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = {line.split()[0] for line in done.stdout.splitlines()}
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", "")
    (phony,) = re.findall(r"^.PHONY: (.*)$", makefile, re.MULTILINE)
    assert listed == set(phony.split())
