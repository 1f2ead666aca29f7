"""Ways to be broken in which a game's API has a say, as a Python class of every game: only the broken bot is hit."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.contest.preflight import build
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample
from koth.game import TimeControl
from koth.games import GAMES
from koth.games import load as load_game
from koth.match import Hosting, play
from koth.sandbox.levels import choose_level
from tests.trials import trial

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
    game, field, isolation = load_game(name), trial(name), choose_level()
    assert field.bad_class, f"tests/games/{name}/trial.py has no class that is to be broken"
    made, turn, kinds = WAYS[way]
    source = HEAD + field.bad_class.replace("MADE", made).replace("TURN", turn)
    (tmp_path / "broken.py").write_text(source, encoding="utf-8")
    rival = load_bot(game, find_sample(name, field.rival), Interpreters(), "rival")
    found = load_bot(game, tmp_path / "broken.py", Interpreters())
    cast = [build(bot, tmp_path / "bots", isolation)[0] for bot in (found, rival)]
    time_control = TimeControl(start=20, question=20, late_in_a_row=1)
    result = play(game, field.settings, cast, 5, Hosting(time_control=time_control, isolation=isolation))
    faults = result.records["broken"].faults
    assert faults, result.records["broken"].stderr
    assert set(faults) <= kinds, result.records["broken"].fault_reports
    assert result.records["rival"].faults == {}, result.records["rival"].fault_reports
    assert set(result.scores) >= {"broken", "rival"}
