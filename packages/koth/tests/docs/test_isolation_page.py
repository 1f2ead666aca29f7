"""The pages on isolation are complete."""

from __future__ import annotations

from pathlib import Path

from koth.engine.settings import LARGEST_OBSERVATIONS as SHOWN
from koth.files.bounded_read import LARGEST_FILE
from koth.replay.gzip_members import LARGEST_MEMBER, LONGEST_LINE
from koth.sandbox.isolation import LEVELS
from koth.sandbox.levels import PROMISES
from koth.sandbox.policy import MEGABYTE, STACK, TEMPORARY_FILES, SandboxPolicy
from koth.sandbox.users import ONE, OWN

DOCS = Path(__file__).parents[4] / "docs"
PAGE = "".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("isolation", "isolation-in-detail"))


def test_levels_and_promises() -> None:
    for level in LEVELS:
        assert f"| `{level}` |" in PAGE
    rows = {row.split(" | ")[0]: row.count(" | ") for row in PAGE.split("\n| ")}
    for text in PROMISES.values():
        assert rows[text] == len(LEVELS), text


def test_figures() -> None:
    policy = SandboxPolicy()
    assert f"the first stack of a program grows to {STACK // MEGABYTE} MB" in " ".join(PAGE.split())
    replay = (LARGEST_FILE >> 30, LARGEST_MEMBER >> 20, LONGEST_LINE >> 20)
    assert "A replay has {} GB at most, a member {} MB of text, a line {} MB".format(*replay) in " ".join(
        PAGE.split()
    )
    assert f"more than {SHOWN >> 20} MB at a time" in " ".join(PAGE.split())
    told = " ".join(PAGE.split())
    assert f"{policy.memory // MEGABYTE} MB of memory in all" in told
    assert f"{policy.temporary // MEGABYTE} MB and {TEMPORARY_FILES:,} files and folders" in told
    assert f"{policy.tasks} threads, {policy.open_files} open files" in told
    assert f"({OWN} plus a random number; {ONE} in containers without such users)" in told
