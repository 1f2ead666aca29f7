"""Every way to be merely broken, as a Python class: only the broken bot is hit.

A game's API has a say in few of them: the others are tried with one API of a game's own, and with the declared one.
"""

from __future__ import annotations

from dataclasses import replace
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

HASTY = TimeControl(start=20, question=0.3, first=1, late_in_a_row=1)

HEAD = """
import os, signal, sys, threading, time
turns = []

def step():
    turns.append(1)

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

TOP
"""

WAYS = {
    "crashes at import": ("1 / 0", "pass", "pass", {"crash"}),
    "is no Python": ("class", "pass", "pass", {"crash"}),
    "crashes when it is made": ("", "1 / 0", "pass", {"crash", "error"}),
    "throws at its third turn": ("", "pass", "len(turns) > 2 and 1 / 0", {"error"}),
    "exits": ("", "pass", "sys.exit(3)", {"crash"}),
    "exits at once": ("", "pass", "os._exit(3)", {"crash"}),
    "kills itself": ("", "pass", "os.kill(os.getpid(), 9); time.sleep(60)", {"crash", "late"}),
    "hangs": ("", "pass", "while True: pass", {"late"}),
    "sleeps": ("", "pass", "time.sleep(60)", {"late"}),
    "stops itself": ("", "pass", "os.kill(os.getpid(), signal.SIGSTOP); time.sleep(60)", {"late"}),
    "is late by a little": ("", "pass", "len(turns) > 1 and burn(0.5)", {"late"}),
    "digs for ever": ("def dig(): dig()", "pass", "dig()", {"error"}),
    "hoards": ("hoard = []", "pass", "while True: hoard.append(bytearray(1 << 24))", {"error", "memory", "crash"}),
    "answers something else": ("", "pass", "return object()", {"illegal", "error"}),
    "prints for ever": ("", "pass", "while True: print('x' * 10000)", {"flood", "late"}),
    "talks into the wire": (
        "",
        "pass",
        "os.write(4, b'\\xff' * 20)",
        {"garbage", "unasked", "late", "crash", "flood"},
    ),
    "floods the wire": ("", "pass", "while True: os.write(4, b'\\xff' * 10000)", {"flood", "garbage", "unasked"}),
    "closes everything": ("", "pass", "os.closerange(0, 100)", {"crash", "closed", "late"}),
    "asks nobody": ("", "pass", "threading.Event().wait()", {"late"}),
}
"""What is done at import, when it is made and each turn, and the faults that may come of it.

(Who is the first process of a sandbox can neither kill nor stop itself.)
"""


OF_THE_API = {"crashes when it is made", "throws at its third turn", "digs for ever", "answers something else"}
WHOLE = ("zombies", "pacman")
"""Games with which everything is tried: one with its own API, and one whose API follows from declarations."""


@pytest.mark.parametrize(
    ("name", "way"),
    [(name, way) for name in GAMES for way in WAYS if name in WHOLE or way in OF_THE_API],
)
def test_broken(name: str, way: str, tmp_path: Path) -> None:
    game, field, isolation = load_game(name), trial(name), choose_level()
    assert field.bad_class, f"tests/games/{name}/trial.py has no class that is to be broken"
    top, made, turn, kinds = WAYS[way]
    source = HEAD.replace("TOP", top) + field.bad_class.replace("MADE", made).replace("TURN", turn)
    (tmp_path / "broken.py").write_text(source, encoding="utf-8")
    rival = load_bot(game, find_sample(name, field.rival), Interpreters(), "rival")
    found = load_bot(game, tmp_path / "broken.py", Interpreters())
    cast = [build(bot, tmp_path / "bots", isolation)[0] for bot in (found, rival)]
    time_control = HASTY if "late" in kinds else replace(HASTY, question=20)
    result = play(game, field.settings, cast, 5, Hosting(time_control=time_control, isolation=isolation))
    faults = result.records["broken"].faults
    assert faults, result.records["broken"].stderr
    assert set(faults) <= kinds, result.records["broken"].fault_reports
    assert set(result.records["rival"].faults) <= {"late"}, result.records["rival"].fault_reports
    assert set(result.scores) >= {"broken", "rival"}
