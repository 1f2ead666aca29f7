"""Bad bots as real processes that speak JSON lines: recorded by kind, their players stay, the match goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.game import Observations, TimeControl
from koth.match import Hosting, Watching, play
from koth.session.conversation import Limits
from koth.session.local import InlineBot
from tests.session.arena import (
    GAME,
    HASTY,
    PATIENT,
    SEED,
    SETTINGS,
    Quiet,
    bad_match,
    boards,
    good_bot,
    json_bot,
    left_running,
    match,
)

SMALL = Limits(message=1 << 14, question=1 << 16, messages=200, stderr=1 << 16)
"""Floods come sooner."""

ONCE = {
    "not ready but talking": ("read(); say('Hello, I am a bot!'); time.sleep(60)", {"garbage": 1}, 0),
    "an answer instead of ready": ("read(); say({'ask': 1}); sys.exit()", {"unasked": 1, "crash": 1}, 0),
    "crash at turn 4": ("for q in questions(): say(stay(q)) if q['clock'] < 3 else 1 / 0", {"crash": 1}, 4),
    "exits after its answer": ("for q in questions(): say(stay(q)); q['clock'] == 2 and sys.exit()", {"crash": 1}, 4),
    "killed": ("for q in questions(): say(stay(q)) if q['clock'] < 3 else os.kill(os.getpid(), 9)", {"crash": 1}, 4),
    "closes stdout after its answer": ("for q in questions(): say(stay(q)); "
                                       "q['clock'] == 2 and (os.close(1), time.sleep(60))", {"closed": 1}, 4),
    "too much on stderr": ("for q in questions(): os.write(2, b'x' * 100000); time.sleep(60)", {"flood": 1}, 1),
    "too many unasked lines": ("for q in questions(): say('\\n'.join(['{\"ask\": 99}'] * 300)); time.sleep(60)",
                               {"unasked": 201, "flood": 1}, 1),
    "too much before a question": ("read(); say('{\"ready\": true}\\n' + 'x' * 20000); time.sleep(60)",
                                   {"flood": 1}, 1),
}  # fmt: skip
"""Source, faults, and the turn of the fault by which it is gone."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ONCE)
def test_gone_for_the_match(name: str, tmp_path: Path, quiet: Quiet) -> None:
    source, faults, turn = ONCE[name]
    record, turns = bad_match(json_bot(tmp_path, source), tmp_path, quiet, limits=SMALL)
    assert record.faults == faults
    fatal = list(record.fault_reports.values())[-1]
    assert fatal.turn == turn
    gone = [line.turn for line in turns for ask in line.questions if 0 in ask.get("gone", [])]
    assert gone == [line.turn for line in turns if line.questions and line.turn >= turn]


LATE = {
    "hangs at turn 4": "for q in questions(): say(stay(q)) if q['clock'] < 3 else time.sleep(60)",
    "half a line, then nothing": (
        "for q in questions(): say(stay(q)) if q['clock'] < 3 else (os.write(1, b'{\"ask\"'), time.sleep(60))"
    ),
    "ignores SIGTERM": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "for q in questions(): say(stay(q)) if q['clock'] < 3 else time.sleep(60)"
    ),
    "reads no more": "read(); say({'ready': True}); [say(stay(read())) for _ in range(3)]; time.sleep(60)",
    "waits in a child": ("for q in questions(): say(stay(q)) if q['clock'] < 3 else subprocess.run(['sleep', '60'])"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LATE)
def test_late_three_times_in_a_row(name: str, tmp_path: Path, quiet: Quiet) -> None:
    record, turns = bad_match(json_bot(tmp_path, LATE[name]), tmp_path, quiet, HASTY)
    assert record.faults == {"late": 3}
    assert record.fault_reports["late"].turn == 4
    assert "late 3 times in a row: ended for this match" in record.fault_reports["late"].text
    assert ('output has no end of line, a "\\n": {"ask"' in record.fault_reports["late"].text) == name.startswith(
        "half"
    )
    gone = [line.turn for line in turns for ask in line.questions if 0 in ask.get("gone", [])]
    assert gone == [line.turn for line in turns if line.questions and line.turn > 5]


def test_a_first_message_that_does_not_say_it_is_ready_is_shown(tmp_path: Path, quiet: Quiet) -> None:
    record, _ = bad_match(json_bot(tmp_path, ONCE["not ready but talking"][0]), tmp_path, quiet, limits=SMALL)
    assert record.fault_reports["garbage"].text.endswith(": Hello, I am a bot!")


def test_not_ready_in_time(tmp_path: Path) -> None:
    bad = json_bot(tmp_path, "time.sleep(60)")
    result, _ = match([bad, InlineBot("good", lambda observations, match_info: {})], tmp_path, TimeControl(start=0.3))
    assert result.records["bad"].faults == {"late": 1}
    assert result.records["bad"].fault_reports["late"].text == "not ready within 0.3 s: it slept for 3 s"
    assert result.records["bad"].fault_reports["late"].turn == 0


def test_an_end_that_a_child_hides_is_a_crash(tmp_path: Path, quiet: Quiet) -> None:
    source = "for q in questions(): subprocess.Popen(['sleep', '60']); sys.exit(7)"
    record, _ = bad_match(json_bot(tmp_path, source), tmp_path, quiet, HASTY)
    assert record.faults == {"crash": 1}
    assert record.fault_reports["crash"].end == "exit status 7"


def test_lateness_in_all(tmp_path: Path, quiet: Quiet) -> None:
    """The place that it claims to be at is stored as text, whatever bytes it writes."""
    source = r"""
    os.write(2, b'Stack (most recent call first):\n  File "/bot/\xff.py", line 1 in f\n')
    for q in questions(): q['clock'] % 2 and burn(0.5); say(stay(q))
    """
    time_control = TimeControl(start=30, question=0.3, lateness=0.5)
    record, _ = bad_match(json_bot(tmp_path, source), tmp_path, quiet, time_control)
    assert record.faults == {"late": 2}
    assert (
        "; the bot was at \\udcff.py, line 1, in f; late at questions of 0.6 s in all"
        in record.fault_reports["late"].text
    )


def test_late_by_a_little_the_next_answer_counts(tmp_path: Path) -> None:
    """The late answer is for its own question, and never read as the next one's."""
    source = """
    for q in questions():
        if q["clock"] in (2, 5):
            burn(0.45)
        say({"ask": q["ask"], "moves": {p["number"]: "NORTH" if q["clock"] % 2 else "EAST" for p in q["players"]}})
    """

    def twin(observations: Observations, match_info: Any) -> dict[str, Any]:
        clock = int(observations.fields["clock"][0])
        return {} if clock in (2, 5) else {"action": 1 if clock % 2 else 3}

    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    result, replay = match([json_bot(tmp_path / "a", source), good_bot(tmp_path / "a")], tmp_path / "a", HASTY)
    same, wanted = match([InlineBot("bad", twin), good_bot(tmp_path / "b")], tmp_path / "b")
    assert result.records["bad"].faults == {"late": 2}
    assert boards(replay) == boards(wanted)
    assert result.scores == same.scores


def test_an_answer_begun_before_its_question_and_ended_after_it(tmp_path: Path, quiet: Quiet) -> None:
    source = """
    read()
    os.write(1, b'{"ready": true}\\n{"ask": 1, "moves": {"0": "NORTH", "1": "NORTH", "2": "NORTH"}}')
    question = read()
    os.write(1, b"\\n")
    while True:
        say(stay(question))
        question = read()
    """
    record, _ = bad_match(json_bot(tmp_path, source), tmp_path, quiet)
    assert record.faults == {"unasked": 1}
    assert record.fault_reports["unasked"].turn == 1


def test_what_it_writes_to_stderr_is_kept(tmp_path: Path, quiet: Quiet) -> None:
    source = """
    print("hello", file=sys.stderr)
    try:
        for q in questions():
            os.write(2, b"x" * 5000)
            say(stay(q))
    finally:
        print("good bye", file=sys.stderr)
    """
    record, _ = bad_match(json_bot(tmp_path, source), tmp_path, quiet, limits=Limits(kept=1000))
    assert record.faults == {}
    assert record.stderr.startswith(b"hello\nxxx")
    assert record.stderr.endswith(b"xxxgood bye\n")
    assert b"\n[... %d bytes left out ...]\n" % (5000 * len(quiet.rows) + 15 - 2000) in record.stderr


CHILD = """
def child():
    with open(os.environ["PIDS"], "a") as pids:
        pids.write(f"{os.getpid()}\\n")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for fd in (0, 1, 2):
        os.close(fd)
    while True:
        time.sleep(60)
"""
FORKS = {
    "a child": "os.fork() or child()",
    "a daemon": "os.fork() or (os.setsid(), os.fork() and os._exit(0), child())",
    "a daemon of another program": (
        "os.fork() or (os.setsid(), os.fork() and os._exit(0), "
        "os.execvp('sh', ['sh', '-c', 'echo $$ >> \"$PIDS\"; exec sleep 60']))"
    ),
}


@pytest.mark.parametrize("last", [1000, 3])
@pytest.mark.parametrize("name", FORKS)
def test_nothing_of_it_stays_behind(name: str, last: int, tmp_path: Path, quiet: Quiet) -> None:
    source = CHILD + (
        f"os.environ['PIDS'] = {str(tmp_path / 'pids')!r}\n"
        f"{FORKS[name]}\n"
        f"while not os.path.exists(os.environ['PIDS']): time.sleep(0.01)\n"
        f"for q in questions(): say(stay(q)) if q['clock'] < {last} else sys.exit()\n"
    )
    record, _ = bad_match(json_bot(tmp_path, source), tmp_path, quiet, TimeControl(start=30, question=1))
    assert record.faults == ({"crash": 1} if last == 3 else {})
    assert left_running(tmp_path) == []


def test_a_program_that_can_not_be_started(tmp_path: Path, quiet: Quiet) -> None:
    bad = replace(json_bot(tmp_path, ""), argv=("./nothing",))
    record, _ = bad_match(bad, tmp_path, quiet)
    assert record.faults == {"crash": 1}
    assert record.fault_reports["crash"].text == "./nothing could not be started: No such file or directory"


DEAF = """
say({"ready": True})
while True:
    for number in range(1, 60):
        say({"ask": number, "moves": {}})
        time.sleep(0.004)
"""


def test_who_answers_without_reading_fills_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its questions wait for it, but not for ever."""
    monkeypatch.setattr("koth.session.process.PIPE", 1 << 12)
    monkeypatch.setattr("koth.session.referee.MAX_UNREAD", 500)
    crowd, bots = replace(SETTINGS, players=20), [json_bot(tmp_path, DEAF), good_bot(tmp_path)]
    record = play(GAME, crowd, bots, SEED, Hosting(time_control=PATIENT), Watching(max_turns=20)).records["bad"]
    assert record.faults["closed"] == 1
    assert record.fault_reports["closed"].text == "the bot does not read its input: more than 500 bytes are unread"
    assert "late" not in record.faults
