"""The page on isolation tells all there is to tell."""

from __future__ import annotations

from pathlib import Path

from koth.bots.sandbox.isolation import LEVELS
from koth.bots.sandbox.levels import PROMISES
from koth.bots.sandbox.policy import MEGABYTE, Policy
from koth.bots.sandbox.users import ONE, OWN

PAGE = (Path(__file__).parents[2] / "docs" / "isolation.md").read_text(encoding="utf-8")


def test_levels_and_promises() -> None:
    for level in LEVELS:
        assert f"| `{level}` |" in PAGE
    for text in PROMISES.values():
        assert f"\n* {text}" in PAGE


def test_figures() -> None:
    policy = Policy()
    told = " ".join(PAGE.split())
    assert f"{policy.memory // MEGABYTE} MB of memory in all" in told
    assert f"{policy.tasks} threads, {policy.open_files} open files" in told
    assert f"({OWN} and the number of its process; where a container has no such users, {ONE})" in told
