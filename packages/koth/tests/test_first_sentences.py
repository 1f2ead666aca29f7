"""The first sentence of every module says, beginning with a noun, why the file exists."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BOTS = re.compile(r"(^|/)(bots|new|templates|skeleton|skeleton_plain|migrations)/")
"""Folders of files that are copied, run alone, or made by a program."""
RIDDLE = re.compile(r"^(What|Who|How)\b|\b([Tt]old|[Tt]ells?)\b")


def test_every_module_says_why_it_exists() -> None:
    listing = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    bad = []
    for name in listing.stdout.splitlines():
        text = (ROOT / name).read_text(encoding="utf-8")
        if text.strip() and not BOTS.search(name):
            first = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
            if not first or RIDDLE.search(first.splitlines()[0]):
                bad.append(f"{name}: {first}")
    assert bad == []
