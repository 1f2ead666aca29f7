"""Input and output of bots, and the filter for clean frames: nothing comes out otherwise than bot by bot."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from koth.game import TimeControl
from koth.match import Hosting, Result, Watching, play
from koth.protocol.frames import FramesProtocol
from koth.replay.reader import Replay
from koth.sandbox.descendants import descendants
from koth.session.bot import Bot
from koth.session.cpu_time import (
    NANO,
    ChargedClock,
    charged,
    clock_of,
    clock_time,
    has_run_delay,
    thread_times,
)
from koth.session.io_loop import IoLoop, add_up, is_incomplete
from koth.session.referee import EFFORT, Referee
from koth.session.session import BotSession, Limits
from tests.session.arena import GAME, PATIENT, SEED, SETTINGS, good_bot, json_bot, python_bot

pytestmark = pytest.mark.skipif(not has_run_delay(), reason="this system does not say how long threads wait")


def play_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bots: list[Bot]) -> list[Result]:
    """The same match twice, in bulk and bot by bot: their replays must be the same."""
    results, replays = [], []
    for name in ("usual", "bot by bot"):
        if name == "bot by bot":
            monkeypatch.setattr(Referee, "keep_answers", property(lambda _: True, lambda *_: None), raising=False)
        replay = tmp_path / f"{name}.jsonl.gz"
        results.append(play(GAME, SETTINGS, bots, SEED, Hosting(time_control=PATIENT, replay=replay)))
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
def test_bots_in_json_fare_the_same(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = play_both(tmp_path, monkeypatch, [json_bot(tmp_path, source), good_bot(tmp_path)])
    assert results[0].records["bad"].faults == results[1].records["bad"].faults
    assert results[0].records["good"].faults == {}


def test_bots_in_frames_fare_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = play_both(tmp_path, monkeypatch, [python_bot(tmp_path, RAISES), good_bot(tmp_path)])
    assert results[0].records["bad"].faults == results[1].records["bad"].faults
    assert set(results[0].records["bad"].faults) == {"error", "illegal"}
    turns = Replay(tmp_path / "usual.jsonl.gz").turns()
    asked = sum(1 in record["who"][:, 0] for turn in turns for record in turn.questions)
    assert asked > 12
    assert [len(result.records["good"].times) for result in results] == [asked, asked]


def test_hardly_any_bot_is_looked_at_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that speak frames: at the start, and while it is not known which of its threads does the work."""
    taken: list[int] = []
    take = Referee._take_output

    def note(referee: Referee, seat: int) -> None:
        taken.append(seat)
        take(referee, seat)

    monkeypatch.setattr(Referee, "_take_output", note)
    play(GAME, SETTINGS, [good_bot(tmp_path), json_bot(tmp_path, "for q in questions(): say(stay(q))")], SEED,
         Hosting(time_control=PATIENT))  # fmt: skip
    assert 1 <= taken.count(0) < 6
    assert taken.count(1) > 12


@pytest.mark.parametrize("seconds", [0.005, 0.05])
def test_thinking_takes_as_long_as_it_takes(seconds: float, tmp_path: Path) -> None:
    """Less than it takes to be looked at, and more; who waits for koth, or for a core, does not pay for that."""
    source = f"for q in questions():\n    time.sleep({seconds}); say(stay(q))"
    result = play(
        GAME,
        SETTINGS,
        [json_bot(tmp_path, source), good_bot(tmp_path)],
        SEED,
        Hosting(time_control=PATIENT),
        Watching(turns=12),
    )
    times = [spent for _, spent in result.records["bad"].times]
    assert len(times) == 12
    for spent in times:
        assert 0 <= spent.charged <= spent.wall + spent.cpu
        assert seconds <= spent.charged + spent.run_delay


CHATTY = """
for q in questions():
    sys.stderr.write(("%d\\n" % q["clock"]) + "x" * {size}); sys.stderr.flush()
    say(stay(q))
"""


@pytest.mark.parametrize("size", [0, 600_000], ids=["a word", "more than a pipe holds"])
def test_stderr_is_read_by_turn(size: int, tmp_path: Path) -> None:
    bot = json_bot(tmp_path, CHATTY.replace("{size}", str(size)))
    record = play(
        GAME, SETTINGS, [bot, good_bot(tmp_path)], SEED, Hosting(time_control=PATIENT), Watching(turns=10)
    ).records["bad"]
    assert record.faults == {}
    assert max(spent.wall for _, spent in record.times) < 5
    if not size:
        assert record.stderr == b"".join(b"%d\n" % turn for turn in range(10))
        assert [turn for turn, _ in record.marks] == list(range(1, 11))


def test_a_bot_is_late_by_its_work_on_all_cores(tmp_path: Path) -> None:
    """The cost of an answer counts even if it came at once."""
    source = """
for q in questions():
    end = time.process_time() + 0.06 * (q["clock"] > 4)
    while time.process_time() < end: pass
    say(stay(q))
"""
    time_control = TimeControl(start=30, question=0.04, late_in_a_row=3)
    record = play(
        GAME, SETTINGS, [json_bot(tmp_path, source), good_bot(tmp_path)], SEED, Hosting(time_control=time_control)
    ).records
    assert record["bad"].faults["late"] == 3
    assert record["bad"].fault_reports["late"].turn >= 4


# --- when clocks are read, and who is looked at


@contextlib.contextmanager
def waiting(io: IoLoop) -> Iterator[int]:
    """A program at seat 0 that waits; its CPU clock does not move, and says this."""
    scratch = np.zeros(16, np.int64)
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as program:
        schedstat = os.open(f"/proc/{program.pid}/schedstat", os.O_RDONLY)
        try:
            io.add(0, (-1, -1, -1), ChargedClock(lambda: program.pid), framed=True)
            io.table["cpu_clock"], io.table["schedstat"] = clock_of(program.pid), schedstat
            cpu = -1
            while cpu != (cpu := clock_time(clock_of(program.pid), scratch)) or cpu == 0:
                subprocess.run(["/bin/sleep", "0.05"], check=True)
            yield cpu
        finally:
            os.close(schedstat)


SEATS, EMPTY = np.zeros(1, np.int64), (np.zeros(0, np.uint8), np.zeros(2, np.int64))


def test_what_a_bot_waited_for_before_it_is_asked_is_none_of_its_answers() -> None:
    """Its times are read as it is asked, whatever they were at its last answer."""
    io = IoLoop(1)
    with waiting(io) as cpu:
        io.table["output_cpu"] = io.table["output_run"] = io.table["output_wait"] = -1
        io.send(SEATS, *EMPTY, {})
        bot = io.table[0]
        run, wait = thread_times(int(bot["schedstat"]), np.zeros(16, np.int64))
        assert (bot["asked_cpu"], bot["asked_run"], bot["asked_wait"]) == (cpu, run, wait)
    io.close()


def test_what_was_used_before_a_question_is_charged_to_it() -> None:
    """The bot sleeps otherwise. The next question is charged as usual."""
    io = IoLoop(1)
    with waiting(io):
        io.send(SEATS, *EMPTY, debts={0: 1.5})
        assert io.cost(0).charged >= io.cost(0).cpu >= 1.5
        io.settle(0)
        io.send(SEATS, *EMPTY, {})
        assert io.cost(0).cpu < 0.5
    io.close()


def test_what_a_bots_children_do_is_looked_at_though_its_own_thread_waited_all_the_time() -> None:
    """Its one thread waits for a core behind them, so that it seems to cost nothing."""
    io = IoLoop(1)
    with waiting(io):
        io.send(SEATS, *EMPTY, {})
        bot = io.table[0]
        bot["output_cpu"], bot["output_run"] = bot["asked_cpu"], bot["asked_run"]
        bot["output_at"], bot["output_wait"] = bot["asked_at"] + NANO, bot["asked_wait"] + NANO
        assert charged(*add_up(bot)) == 0
        for may_fork in (0, 1):
            bot["may_fork"] = may_fork
            assert is_incomplete(bot, 0.0) == may_fork
    io.close()


def test_only_bots_that_worked_are_measured() -> None:
    io, before = IoLoop(1), np.zeros(1, np.int64)
    with waiting(io) as cpu:
        before[0] = cpu - int(EFFORT * NANO)
        assert io.busy(SEATS, before, EFFORT) == [0]
        assert before[0] == cpu
        assert io.busy(SEATS, before, EFFORT) == []
        io.table["may_fork"] = 1  # its clock does not tell what those do that it has started
        assert io.busy(SEATS, before, EFFORT) == [0]
        io.table["may_fork"], io.table["schedstat"] = 0, -1  # nor that of one of many threads
        assert io.busy(SEATS, before, EFFORT) == [0]
    io.close()


def test_who_rests_is_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looked: list[int] = []
    session = BotSession(good_bot(tmp_path).command(1), FramesProtocol({}), Limits())
    monkeypatch.setattr(session.process, "excess", lambda: looked.append(1) or "")
    with Referee({0: session}, PATIENT) as referee, waiting(referee._io):
        for resting, looks in ((0.0, 1), (1e9, 1), (1e9, 1), (0.0, 2)):
            monkeypatch.setattr("koth.session.referee.LOOK_AT_IDLE_EVERY", resting)
            referee._watch()
            assert len(looked) == looks


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
records = play(GAME, SETTINGS, bots, SEED, Hosting(time_control=time_control), Watching(turns=6)).records
print(sorted(records["bad"].faults), sorted(records["good"].faults), flush=True)
"""


@pytest.mark.parametrize("whole", [True, False], ids=["with its bots", "alone"])
def test_no_bot_is_late_because_koth_was_stopped(whole: bool, tmp_path: Path) -> None:
    """As by the lid of a laptop, or by Ctrl-Z: three times for much longer than a question may take."""
    source = tmp_path / "sleeper.py"
    source.write_text(SLEEPER)
    home = tmp_path / "bots"
    home.mkdir()
    argv = [sys.executable, "-c", STOPPED_GAME, str(home), str(source)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True) as koth:
        assert koth.stdout is not None
        assert koth.stdout.readline() == "ready\n"
        for _ in range(3):
            time.sleep(0.5)
            stopped = [koth.pid, *descendants(koth.pid)] if whole else [koth.pid]
            for pid in stopped:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGSTOP)
            time.sleep(2.5)
            for pid in stopped:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGCONT)
        assert koth.stdout.readline() == "[] []\n"
