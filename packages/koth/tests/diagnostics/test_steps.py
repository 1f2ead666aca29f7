"""koth debug in a terminal: it goes on from question to question as its author wants."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from koth.contest.job import Report
from koth.contest.schedule import ScheduledMatch
from koth.contest.store import Store
from koth.match import Hosting, Watching, play
from koth.session.faults import FaultReport
from koth.session.local import InlineBot
from tests.session.arena import GAME, SEED, SETTINGS, good_bot, json_bot


def typed(words: list[str], keys: bytes, folder: Path) -> str:
    """What a command prints in a terminal in which these keys are pressed."""
    leader, follower = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "koth", *words], cwd=folder, stdin=follower, stdout=subprocess.PIPE
        )
        os.write(leader, keys)
        out, _ = process.communicate(timeout=240)
    finally:
        os.close(leader)
        os.close(follower)
    assert process.returncode == 0
    return out.decode()


@pytest.mark.slow
def test_enter_goes_on_a_number_jumps_and_q_leaves(tmp_path: Path) -> None:
    path = tmp_path / "match.koth.gz"
    bot = good_bot(tmp_path)
    play(
        GAME,
        SETTINGS,
        [bot, InlineBot("still", lambda observations, match_info: {})],
        SEED,
        Hosting(ruleset="published", replay=path),
    )
    words = ["debug", str(path), "--bot", "good", "--source", str(bot.path), "--turn", "1"]
    text = typed(words, b"\n4\nq\n", tmp_path)
    assert [line.split(":")[0] for line in text.splitlines() if line.startswith("turn ")] == [
        "turn 1, question 1",
        "turn 2, question 2",
        "turn 4, question 4",
    ]
    assert "recorded otherwise" not in text
    text = typed(words, b"q\n", tmp_path)
    assert text.count("\nturn ") == 1


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), 9)"])
def test_what_is_recorded_of_a_fault_is_the_same_in_every_run(end: str, tmp_path: Path) -> None:
    """Whether koth notices the end of a bot while it waits or before it asks: the same rows."""
    rows: list[FaultReport] = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        source = f"for q in questions():\n    say(stay(q))\n    if q['clock'] == 2: {end}"
        bot = json_bot(folder, source)
        result = play(
            GAME,
            SETTINGS,
            [bot, InlineBot("still", lambda observations, match_info: {})],
            SEED,
            watching=Watching(max_turns=6),
        )
        store = Store(folder / "run")
        store.add(ScheduledMatch(1, 1, (0, 1), 1), {"bad": 0, "still": 1}, Report("", 1, result, {}, b"", "here"), 0)
        store.close()
        rows += result.records["bad"].fault_reports.values()
    assert len(rows) == 3
    told = [(t.kind, t.turn, t.text, t.asked, t.end, t.count, t.said) for t in rows]
    assert told[0] == told[1] == told[2]
