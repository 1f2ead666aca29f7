"""Deaths of bots in every way do not affect other bots, which must have no fault."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.game import TimeControl
from koth.games import load as load_game
from koth.match import Hosting, Result, Watching, play
from koth.session.cpu_clock import is_ending, read_stat
from koth.session.process import BotProcess
from tests.sandbox.zoo import LEVELS, isolation

GAME = load_game("pacman")
SETTINGS = next(iter(GAME.rulesets.values()))
HONEST = """
import sys
sys.stdin.readline()
for line in sys.stdin:
    if line.strip() == "Q":
        break
    print("X", flush=True)
"""
DYING = """
import os, signal, sys, time
sys.stdin.readline()
asked = 0
for line in sys.stdin:
    if line.strip() == "Q":
        break
    asked += 1
    if asked == {question} and not {after}:
        {death}
    print("X", flush=True)
    if asked == {question} and {after}:
        {death}
"""
DEATHS = {
    "closes its output": ("os.close(1); time.sleep(60)", "closed"),
    "closes its input": ("os.close(0); time.sleep(60)", "late"),
    "closes all": ("[os.close(fd) for fd in (0, 1, 2)]; time.sleep(60)", "closed"),
    "exits": ("os._exit(3)", "crash"),
    "exits slowly": ("os.close(1); time.sleep(0.1); os._exit(3)", "crash"),
    "is killed": ("os.kill(os.getpid(), signal.SIGKILL)", "crash"),
    "ignores signals": (
        "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; os.close(1); time.sleep(60)", "closed"
    ),
}  # fmt: skip
"""What a bot does, and the fault it is."""


def match(folder: Path, level: str, source: str, dying: int, honest: int, turns: int) -> Result:
    """Play bots that die by this source beside honest ones; budgets as in the statement."""
    bots = []
    for number in range(dying + honest):
        name = f"dying{number}" if number < dying else f"honest{number}"
        home = folder / name
        home.mkdir()
        (home / "koth.toml").write_text('protocol = "text"\ncommand = ["python", "-S", "main.py"]\n')
        (home / "main.py").write_text(source if number < dying else HONEST)
        bots.append(load_bot(GAME, home, Interpreters(), name))
    time_control = TimeControl(start=60, question=1.0, first=30.0, late_in_a_row=1)
    return play(
        GAME,
        SETTINGS,
        bots,
        1,
        Hosting(time_control=time_control, isolation=isolation(level)),
        Watching(max_turns=turns),
    )


def check(result: Result, kind: str, last: int) -> None:
    """All that die are recorded for what they did, and nobody else has a fault.

    Who was eaten before had no more than `last` questions, and died of nothing else.
    """
    for name, record in result.records.items():
        if name.startswith("honest"):
            assert record.faults == {}, name
        elif name.startswith("dying") and (record.faults or len(record.times) > last):
            assert record.faults == {kind: 1}, (name, record.fault_reports)


@pytest.mark.slow
@pytest.mark.parametrize("level", [*LEVELS, "none"])
def test_six_that_close_their_output_and_sleep(level: str, tmp_path: Path) -> None:
    death, kind = DEATHS["closes its output"]
    check(match(tmp_path, level, DYING.format(death=death, question=20, after=True), 6, 4, 24), kind, 20)


def test_a_process_whose_first_thread_has_ended_is_not_ending() -> None:
    code = "import ctypes, threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    code += "print(flush=True)\nctypes.CDLL(None).pthread_exit(None)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            until = time.monotonic() + 60
            while read_stat(process.pid)[0] != b"Z":
                assert time.monotonic() < until
                time.sleep(0.005)
            assert not is_ending(process.pid)
            process.kill()
            while not is_ending(process.pid):
                assert time.monotonic() < until
                time.sleep(0.005)
        finally:
            process.kill()


@pytest.mark.slow_but
@pytest.mark.parametrize("death", DEATHS)
def test_every_way_to_die(death: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if death in ("exits", "is killed"):  # koth hears of the end late, and has no time to wait
        asked: set[BotProcess] = set()
        exit_code = BotProcess.exit_code

        def hear_late(process: BotProcess) -> int | None:
            if process in asked:
                return exit_code(process)
            asked.add(process)
            return None

        monkeypatch.setattr(BotProcess, "exit_code", hear_late)
        monkeypatch.setattr("koth.session.referee.EXIT_WAIT", 0.0)
    what, kind = DEATHS[death]
    check(match(tmp_path, "none", DYING.format(death=what, question=2, after=False), 4, 3, 5), kind, 1)
