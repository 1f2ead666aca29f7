"""Ways to be broken in which a game's API has a say, as a Python class of every game: only the broken bot is hit."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.game import TimeControl
from koth.games import GAMES
from tests.trials import play_beside_rival, trial

HEAD = """
turns = []

def step():
    turns.append(1)

def dig():
    dig()
"""

WAYS = {
    "crashes when it is made": ("1 / 0", "pass", {"crash", "error"}),
    "throws at its third turn": ("pass", "len(turns) > 2 and 1 / 0", {"error"}),
    "digs for ever": ("pass", "dig()", {"error"}),
    "hoards": ("pass", "while True: turns.append(bytearray(1 << 24))", {"error", "memory", "crash"}),
    "answers something else": ("pass", "return object()", {"illegal", "error"}),
}
"""What is done when it is made and each turn, and the faults that may come of it."""


@pytest.mark.slow_but
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", GAMES)
def test_broken(name: str, way: str, tmp_path: Path) -> None:
    bad_class = trial(name).bad_class
    assert bad_class, f"tests/games/{name}/trial.py has no class that is to be broken"
    made, turn, kinds = WAYS[way]
    source = HEAD + bad_class.replace("MADE", made).replace("TURN", turn)
    (tmp_path / "broken.py").write_text(source, encoding="utf-8")
    time_control = TimeControl(start=20, question=20, late_in_a_row=1)
    result = play_beside_rival(name, tmp_path / "broken.py", tmp_path / "bots", time_control)
    faults = result.records["broken"].faults
    assert faults, result.records["broken"].stderr
    assert set(faults) <= kinds, result.records["broken"].fault_reports
    assert result.records["rival"].faults == {}, result.records["rival"].fault_reports
