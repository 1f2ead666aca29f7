"""The course of matches with real bots: their output in pieces or at once, their stderr, and a stopped koth."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from koth.game import TimeControl
from koth.match import Result
from koth.protocol.frames import FramesProtocol
from koth.replay.reader import Replay
from koth.sandbox.descendants import descendants
from koth.session.bot import Bot
from koth.session.conversation import Limits
from koth.session.cpu_clock import NANO, CpuClock, has_cpu_clocks
from koth.session.resources import WORK, ResourceWatch
from koth.session.seats import SeatedBot
from tests.session.arena import good_bot, json_bot, python_bot, result_of

pytestmark = pytest.mark.skipif(not has_cpu_clocks(), reason="this system does not report CPU times of processes")


def play_twice(tmp_path: Path, bots: list[Bot]) -> list[Result]:
    """The same match twice: the replays must be the same."""
    results, replays = [], []
    for name in ("first", "second"):
        replay = tmp_path / f"{name}.jsonl.gz"
        results.append(result_of(bots, replay=replay))
        replays.append(replay.read_bytes())
    assert replays[0] == replays[1]
    return results


SAYS_MORE = """
for q in questions():
    more = {3: [json.dumps(stay(q))], 5: ["no JSON"]}.get(q["clock"], [])
    say("\\n".join([json.dumps(stay(q)), *more]))  # at once: what comes later may come after the next question
"""
IN_PIECES = """
for q in questions():
    text = json.dumps(stay(q))
    sys.stdout.write(text[:20]); sys.stdout.flush()
    time.sleep(0.002 * (q["clock"] % 3))
    say(text[20:])
"""
FAULTY = """
for q in questions():
    if q["clock"] == 4:
        say({"ask": q["ask"] + 7, "moves": {}})
    if q["clock"] == 6:
        say({"ask": q["ask"] - 1, "moves": {}})
    say({"ask": q["ask"], "moves": {}} if q["clock"] % 2 else stay(q, note={"turn": q["clock"]}))
"""
ENDS = """
for q in questions():
    if q["clock"] == 7:
        sys.exit(3)
    say(stay(q))
"""
RAISES = """
class Bad:
    def do_turn(self, context):
        return context.game_clock // (context.game_clock % 4)
"""


@pytest.mark.parametrize("source", [SAYS_MORE, IN_PIECES, FAULTY, ENDS], ids=["more", "pieces", "faulty", "ends"])
def test_bots_in_json_fare_the_same_again(source: str, tmp_path: Path) -> None:
    results = play_twice(tmp_path, [json_bot(tmp_path, source), good_bot(tmp_path)])
    assert results[0].records["bad"].faults == results[1].records["bad"].faults
    assert results[0].records["good"].faults == {}


def test_bots_in_frames_fare_the_same_again(tmp_path: Path) -> None:
    results = play_twice(tmp_path, [python_bot(tmp_path, RAISES), good_bot(tmp_path)])
    assert results[0].records["bad"].faults == results[1].records["bad"].faults
    assert set(results[0].records["bad"].faults) == {"error", "illegal"}
    turns = Replay(tmp_path / "first.jsonl.gz").turns()
    asked = sum(1 in record["who"][:, 0] for turn in turns for record in turn.questions)
    assert asked > 12
    assert [len(result.records["good"].times) for result in results] == [asked, asked]


@pytest.mark.parametrize("seconds", [0.005, 0.05])
def test_waiting_takes_as_long_as_it_takes(seconds: float, tmp_path: Path) -> None:
    """Less than it takes to be looked at, and more."""
    source = f"for q in questions():\n    time.sleep({seconds}); say(stay(q))"
    result = result_of([json_bot(tmp_path, source), good_bot(tmp_path)], turns=12)
    times = [spent for _, spent in result.records["bad"].times]
    assert len(times) == 12
    for spent in times:
        assert spent.charged >= 0
        assert seconds <= spent.wall


CHATTY = """
for q in questions():
    sys.stderr.write(("%d\\n" % q["clock"]) + "x" * {size}); sys.stderr.flush()
    say(stay(q))
"""


@pytest.mark.parametrize("size", [0, 600_000], ids=["a word", "more than a pipe holds"])
def test_stderr_is_read_by_turn(size: int, tmp_path: Path) -> None:
    bot = json_bot(tmp_path, CHATTY.replace("{size}", str(size)))
    record = result_of([bot, good_bot(tmp_path)], turns=10).records["bad"]
    assert record.faults == {}
    assert max(spent.wall for _, spent in record.times) < 5
    if not size:
        assert record.stderr == b"".join(b"%d\n" % turn for turn in range(10))
        assert [turn for turn, _ in record.turn_offsets] == list(range(1, 11))


def test_a_bot_is_late_by_its_work_on_all_cores(tmp_path: Path) -> None:
    """The cost of an answer counts even if it came at once."""
    source = """
for q in questions():
    end = time.process_time() + 0.06 * (q["clock"] > 4)
    while time.process_time() < end: pass
    say(stay(q))
"""
    time_control = TimeControl(start=30, question=0.04, late_in_a_row=3)
    record = result_of([json_bot(tmp_path, source), good_bot(tmp_path)], time_control).records
    assert record["bad"].faults["late"] == 3
    assert record["bad"].fault_reports["late"].turn >= 4


# --- whose resources are measured


def test_only_bots_that_worked_are_measured_and_idle_ones_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []
    used = iter([0, WORK - 1, WORK, WORK + 1, WORK + 1])
    moments = iter([NANO, NANO, NANO, NANO, 21 * NANO // 10])
    seat = SeatedBot(0, good_bot(tmp_path).command(1), FramesProtocol({}), Limits())
    seat.conversation.hello({})
    seat.process.clock = CpuClock(os.getpid)
    monkeypatch.setattr("koth.session.resources.now", lambda: next(moments))
    monkeypatch.setattr(seat.process, "find_excess", lambda: measured.append(1) or "")
    monkeypatch.setattr(seat.process.clock, "read", lambda: next(used))
    watch = ResourceWatch({0: seat})
    for looks in (1, 1, 2, 2, 3):
        assert list(watch.find_excesses()) == []
        assert len(measured) == looks


# --- koth itself is stopped

SLEEPER = """
for q in questions():
    time.sleep(0.4)
    say(stay(q))
"""
STOPPED_GAME = """
import sys
from pathlib import Path
from koth.game import TimeControl
from koth.match import Hosting, Watching, play
from tests.session.arena import GAME, SEED, SETTINGS, good_bot, json_bot, SETTINGS
folder = Path(sys.argv[1])
bots = [json_bot(folder, Path(sys.argv[2]).read_text()), good_bot(folder)]
time_control = TimeControl(start=60, question=1.0)
print("ready", flush=True)
records = play(GAME, SETTINGS, bots, SEED, Hosting(time_control=time_control), Watching(max_turns=6)).records
print(sorted(records["bad"].faults), sorted(records["good"].faults), flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False], ids=["with its bots", "alone"])
def test_no_bot_is_late_because_koth_was_stopped(whole: bool, tmp_path: Path) -> None:
    """As by the lid of a laptop, or by Ctrl-Z: twice, for longer than a question may take."""
    source = tmp_path / "sleeper.py"
    source.write_text(SLEEPER)
    home = tmp_path / "bots"
    home.mkdir()
    argv = [sys.executable, "-c", STOPPED_GAME, str(home), str(source)]
    here = Path(__file__).parents[2]  # which has `tests`
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=here) as koth:
        assert koth.stdout.readline() == "ready\n"
        for _ in range(2):
            time.sleep(0.5)
            stopped = [koth.pid, *descendants(koth.pid)] if whole else [koth.pid]
            for pid in stopped:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGSTOP)
            time.sleep(1.5)
            for pid in stopped:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGCONT)
        assert koth.stdout.readline() == "[] []\n"
