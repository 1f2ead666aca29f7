"""Bots on the JVM draw for their authors as Python's do."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.protocol.drawings import MOST_DRAWINGS
from tests.build.jvm.arena import SMALL, bots_at, fight, java, written

pytestmark = pytest.mark.needs("javac")

TURN = """
    koth.jvm.Debug.mark(context.getX(), context.getY(), "m\\u00fc\\"");
    koth.jvm.Debug.line(1, 2, 3.5, 4);
    koth.jvm.Debug.note("hello");
    for (int i = 0; i < 100000 && context.getGameClock() == 1; i++) koth.jvm.Debug.text(i, 0, i, "red");
    return Move.STAY;
"""


def test_a_java_bot_draws_and_only_so_much(tmp_path: Path) -> None:
    (bot,) = bots_at(written(tmp_path / "bot", {"Artist.java": java("Artist", TURN)}))
    record = fight([bot], turns=3).records[bot.name]
    assert record.faults == {}
    (_, first, lost), (_, second, why), (_, third, _) = record.drawings
    assert lost == ""
    assert len(first) == 2 * SMALL.players
    assert 0 < len(third) <= len(first)
    assert first[0]["text"] == 'mü"'
    assert first[1] == {"line": [1.0, 2.0, 3.5, 4.0]}
    assert len(second) == MOST_DRAWINGS
    assert why.startswith("not all drawn")
    assert record.notes == [(turn, "hello") for turn in (1, 2, 3)]
