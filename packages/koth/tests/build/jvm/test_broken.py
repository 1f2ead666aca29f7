"""Ways to be broken in which a game's API or the wire has a say, on the JVM: only the broken bot is hit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from koth.contest.preflight import build
from koth.discovery.folder import load_bot, read_bots
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample
from koth.game import TimeControl
from koth.games import load as load_game
from koth.match import Hosting, play
from koth.sandbox.levels import choose_level
from koth.session.bot import Bot
from tests.build.jvm.arena import written
from tests.trials import trial

pytestmark = pytest.mark.needs("javac")

GAMES_ON_THE_JVM = ("aliens", "zombies")
HASTY = TimeControl(start=60, question=0.5, first=2, late_in_a_row=1)

OPEN = """
    static OutputStream wire() throws Exception {
      var make = FileDescriptor.class.getDeclaredConstructor(int.class);
      make.setAccessible(true);
      return new FileOutputStream(make.newInstance(4));
    }"""
"""The wire itself, taken from behind the adapter's back."""

CPU = "static final java.lang.management.ThreadMXBean CPU = java.lang.management.ManagementFactory.getThreadMXBean();"

WAYS = {
    "crashes when it is made": ("", "{ if (true) throw new IllegalStateException(); }", {"crash", "error"}),
    "throws at its third turn": ("if (turn > 2) throw new IllegalStateException();", "", {"error"}),
    "answers nothing": ("if (true) return null;", "", {"illegal"}),
    "is late by a little": ("while (CPU.getCurrentThreadCpuTime() < turn * 700_000_000L);", CPU, {"late"}),
    "digs for ever": ("dig();", "void dig() { dig(); }", {"crash"}),
    "talks into the wire": (
        "wire().write(new byte[] {5, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9});",
        OPEN,
        {"garbage", "unasked", "late", "crash", "flood"},
    ),
    "floods the wire": (
        "while (true) wire().write(new byte[100000]);",
        OPEN,
        {"flood", "garbage", "unasked", "late"},
    ),
    "closes the wire": ("wire().close();", OPEN, {"crash", "closed", "late"}),
}
"""What is done each turn, what else is in the class, and the faults that may come of it."""

SLY = '@SuppressWarnings("unchecked") static <E extends Throwable> void sly(Throwable e) throws E { throw (E) e; }'
"""Throws what the method is not allowed to throw."""


def source(game: str, number: int, way: str) -> str:
    """The class that is broken in this way."""
    turn, more, _ = WAYS[way]
    tried = f"turn++; try {{ if (turn > 1) {{ {turn} }} }} catch (Exception e) {{ Way{number}.<Error>sly(e); }}"
    places = {"NAME": f"Way{number}", "MORE": f"int turn; {more} {SLY}", "TURN": tried}
    java = trial(game).bad_java
    for place, text in places.items():
        java = java.replace(place, text)
    return java


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Bot]]:
    """By game and way; those of a game are compiled together."""
    found = {}
    for game in GAMES_ON_THE_JVM:
        folder = tmp_path_factory.mktemp(game)
        files = {f"Way{number}.java": source(game, number, way) for number, way in enumerate(WAYS)}
        written(folder, {**files, "koth.toml": "memory = 32\n"})
        bots = {
            bot.name: bot for bot in read_bots(load_game(game), folder, Interpreters(), isolation=choose_level()).bots
        }
        found[game] = {way: bots[f"Way{number}"] for number, way in enumerate(WAYS)}
    return found


OF_THE_API = ("crashes when it is made", "throws at its third turn", "answers nothing", "digs for ever")
"""Ways in which a game's own API has a say; the others are tried with one game."""


@pytest.mark.parametrize(
    ("name", "way"), [(name, way) for name in GAMES_ON_THE_JVM for way in (WAYS if name == "zombies" else OF_THE_API)]
)
def test_broken(name: str, way: str, broken: dict[str, dict[str, Bot]], tmp_path: Path) -> None:
    game, field, isolation = load_game(name), trial(name), choose_level()
    rival = load_bot(game, find_sample(name, field.rival), Interpreters(), "rival")
    bad = broken[name][way]
    cast = [build(bot, tmp_path / "bots", isolation)[0] for bot in (bad, rival)]
    kinds = WAYS[way][2]
    time_control = HASTY if "late" in kinds else replace(HASTY, question=30)
    result = play(game, field.settings, cast, 5, Hosting(time_control=time_control, isolation=isolation))
    faults = result.records[bad.name].faults
    assert faults, result.records[bad.name].stderr
    assert set(faults) <= kinds, result.records[bad.name].fault_reports
    assert set(result.records["rival"].faults) <= {"late"}, result.records["rival"].fault_reports
    assert set(result.scores) >= {bad.name, "rival"}
