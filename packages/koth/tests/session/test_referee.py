"""Time limits, banks, strikes, voids and stopped bots, with real bots in real matches."""

from __future__ import annotations

import io
import json
import pickle
import re
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from koth.adapter import bot_adapter
from koth.contest.contest import Contest
from koth.contest.results import Unplayed
from koth.contest.run import TRIES, run
from koth.contest.store import Store
from koth.engine.batch import Batch
from koth.engine.secret import Secret
from koth.game import Answers, Observations, TimeControl
from koth.games import GAMES
from koth.games import load as load_game
from koth.match import BotReport, Hosting, Result, Watching, play
from koth.protocol.bot_protocol import JsonProtocol, Used
from koth.protocol.frames import HEADER, FramesProtocol
from koth.sandbox.command import Overloaded
from koth.sandbox.supervised_process import _Spawner
from koth.session.conversation import Conversation, ConversationState
from koth.session.cost import NO_COST, Cost
from koth.session.cpu_clock import CpuClock, has_cpu_clocks
from koth.session.local import InlineBot
from koth.session.process import BotProcess
from tests.contest.small import small_contest, still
from tests.sandbox.zoo import isolation
from tests.session.arena import GAME, SEED, SETTINGS, STILL, good_bot, json_bot, python_bot, result_of

pytestmark = pytest.mark.skipif(not has_cpu_clocks(), reason="this system does not report CPU times of processes")


def stays(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


def record_of(folder: Path, source: str, time_control: TimeControl, turns: int = 8) -> BotReport:
    """Return the report of a JSON bot on a short match in which the other one stands still."""
    bot = json_bot(folder, source)
    result = result_of([bot, STILL], time_control, turns=turns)
    return result.records["bad"]


NO_WORK = """
for q in questions():
    say(stay(q))
"""


HANGS = """
import time
from koth.games.zombies.bot import Move

SECONDS = {seconds}

class Hangs:
    def do_turn(self, context):
        end = time.process_time() + SECONDS.pop(context.game_clock, 0)
        while time.process_time() < end: pass
        return Move.STAY
"""
THINKS = """
for q in questions():
    end = time.process_time() + 1.7 * (q["clock"] == 4)
    while time.process_time() < end: pass
    say(stay(q))
"""


def test_a_late_bot_is_located_while_no_clock_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thinking, bots_seen = [], []
    location, ask = BotProcess.find_location, Conversation.ask

    def keep(bot: Conversation, *given: Any) -> bytes:
        bots_seen.append(bot)
        return ask(bot, *given)

    def look(program: BotProcess) -> str:
        thinking.append(sum(bot.state is ConversationState.THINKING for bot in set(bots_seen)))
        return location(program)

    monkeypatch.setattr(Conversation, "ask", keep)
    monkeypatch.setattr(BotProcess, "find_location", look)
    bots = [
        python_bot(tmp_path, HANGS.format(seconds={2: 1.5, 4: 60}), "hangs"),
        json_bot(tmp_path, THINKS, "thinks"),
    ]
    time_control = TimeControl(start=60, question=0.2, bank=2.0, late_in_a_row=1)
    result = result_of(bots, time_control, turns=6)
    assert set(result.records["hangs"].faults) == {"late"}
    assert "; the bot was at hangs.py, line 10, in do_turn" in result.records["hangs"].fault_reports["late"].text
    assert result.records["thinks"].faults == {}
    assert thinking == [0]


def test_every_game_has_a_bank_unless_its_statement_forbids_it() -> None:
    for name in GAMES:
        time_control = load_game(name).time_control
        assert (time_control.bank > 0) == (time_control.late_in_a_row > 1)


@pytest.mark.slow
def test_questions_hold_the_time_left(tmp_path: Path) -> None:
    """In JSON: nothing while nothing is used up, then what is left of bank and strikes."""
    told: list[Any] = []
    source = """
    for q in questions():
        end = time.process_time() + 1.5 * (q["clock"] == 2)
        while time.process_time() < end: pass
        sys.stderr.write(json.dumps([q["clock"], q.get("left")]) + "\\n")
        say(stay(q))
    """
    record = record_of(tmp_path, source, TimeControl(start=30, question=0.2, bank=9))
    told = [json.loads(line) for line in record.stderr.decode().splitlines()]
    assert record.faults == {}
    assert [left for clock, left in told if clock <= 2] == [None] * 3
    left = next(left for clock, left in told if clock == 3)
    assert left["strikes"] == 3
    assert 0 < left["bank"] <= 8.8


@pytest.mark.slow
def test_contexts_hold_the_time_left(tmp_path: Path) -> None:
    source = """
    import sys, time
    from koth.games.zombies.bot import Move

    class Slow:
        def do_turn(self, context):
            print(context.game_clock, context.bank, context.strikes)
            if context.game_clock == 2 and context.id.number == 0:
                end = time.process_time() + 1.5
                while time.process_time() < end: pass
            return Move.STAY
"""
    bot = python_bot(tmp_path, source)
    time_control = TimeControl(start=30, question=0.3, bank=4)
    result = result_of([bot, STILL], time_control, turns=5)
    written = result.records["bad"].stderr.decode().splitlines()  # where it was when its time was up, too
    lines = [line.split() for line in written if line[:1].isdigit()]
    assert {(bank, strikes) for clock, bank, strikes in lines if int(clock) <= 2} == {("4.0", "3")}
    assert all(0 < float(bank) <= 3.5 and strikes == "3" for clock, bank, strikes in lines if clock == "3")


def test_protocols_send_the_used_time() -> None:
    batch = Batch(GAME, SETTINGS, 2, [1])
    rows = dict(batch.observations.of_match(0))[0]
    match_info = {**GAME.match_info(SETTINGS, batch.state, 0, 0), "names": ["a", "b"], "bank": 2.0, "strikes": 3}
    lines: JsonProtocol = GAME.protocols["json"](SETTINGS, 2)
    frames = FramesProtocol(GAME.questions(SETTINGS, 2))
    lines.hello(match_info)
    assert "left" not in json.loads(lines.ask(rows))
    assert HEADER.unpack_from(frames.ask(rows))[3] == 0
    lines.used = frames.used = Used(0.75, 2)
    assert json.loads(lines.ask(rows))["left"] == {"bank": 1.25, "strikes": 1}
    used = HEADER.unpack_from(frames.ask(rows))[3]
    assert (used & 4095, used >> 12) == (8, 2)


@pytest.mark.parametrize("used", [Used(0.0, 0), Used(409.6, 15), Used(500.0, 16), Used(13_000.0, 100)])
def test_used_time_is_told_to_classes_whatever_it_comes_to(used: Used) -> None:
    batch = Batch(GAME, SETTINGS, 2, [1])
    rows = dict(batch.observations.of_match(0))[0]
    frames = FramesProtocol(GAME.questions(SETTINGS, 2))
    frames.used = used
    received = bot_adapter.receive(io.BytesIO(frames.ask(rows)))
    call = bot_adapter.Call("", received[3], {}, {}, received[2])
    assert (call.bank, call.strikes, call.rows) == (used.bank, used.strikes, len(rows))


def test_more_computing_than_there_is_time_is_late_though_it_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its threads together held cores for longer than its budget, whatever the wall clock says."""
    receive = Conversation.receive

    def cost_on_many_cores(bot: Conversation, data: bytes, cost: Cost = NO_COST) -> None:
        if bot.state is ConversationState.THINKING:
            cost = cost._replace(charged=31.0 if bot.turn == 3 else 0.0)
        receive(bot, data, cost)

    monkeypatch.setattr(Conversation, "receive", cost_on_many_cores)
    record = record_of(tmp_path, NO_WORK, TimeControl(start=30, question=30))
    assert record.faults == {"late": 1}
    assert record.fault_reports["late"].turn == 3
    assert (
        record.fault_reports["late"].text
        == "no answer within 30 s (10 s for each of 3) of computing time on all cores together"
    )
    assert len(record.times) == 8  # it goes on, and no answer is taken for another's


def test_no_seat_without_a_process_is_gone(tmp_path: Path) -> None:
    """Functions and people sit at other seats of the same match."""
    gone: list[list[bool]] = []
    record = Batch.answer

    def answer(batch: Batch, answers: Answers) -> None:
        gone.append(answers.gone[0].tolist())
        record(batch, answers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Batch, "answer", answer)
        bots = [STILL, json_bot(tmp_path, "next(questions())"), InlineBot("too", stays)]
        result_of(bots, TimeControl(start=30), turns=3)
    assert gone[-1] == [False, True, False]


# --- voids


SILENT = """
for q in questions():
    if q["clock"] == 2:
        time.sleep(60)
    say(stay(q))
"""


def look_often(monkeypatch: pytest.MonkeyPatch, *, asleep: bool) -> None:
    """Let each look find all bots asleep, or awake, and follow the last one fast."""
    monkeypatch.setattr("koth.session.referee.draw_look", lambda: 10_000_000)
    monkeypatch.setattr(CpuClock, "is_asleep", lambda clock: asleep)


def test_a_bot_without_a_core_for_ten_times_its_time_and_a_minute_makes_the_match_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_often(monkeypatch, asleep=False)
    waited: list[float] = []
    bot = json_bot(tmp_path, SILENT)
    hosting = Hosting(time_control=TimeControl(start=30, question=5.0))
    watching = Watching(on_wait=lambda name, seconds: waited.append(seconds))
    with pytest.raises(Overloaded, match="for other processes of this machine") as told:
        play(GAME, SETTINGS, [bot, STILL], SEED, hosting, watching)
    assert (told.value.name, told.value.turn) == ("bad", 3)
    assert re.fullmatch(
        r"bad waited [\d.]+ of [\d.]+ s for other processes of this machine, at turn 3", str(told.value)
    )
    assert 1 < min(waited) <= max(waited) < 61
    copy = pickle.loads(pickle.dumps(told.value))
    assert (str(copy), copy.name, copy.turn) == (str(told.value), "bad", 3)


@pytest.mark.parametrize("question", [0.2, 2.0])
def test_a_bot_that_sleeps_is_late_after_twice_its_time_and_3_s_at_least(
    question: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_often(monkeypatch, asleep=True)
    record = record_of(tmp_path, SILENT, TimeControl(start=30, question=question, late_in_a_row=1), turns=4)
    assert record.faults == {"late": 1}
    seconds = max(3, 2 * question)
    assert f"no answer within {question:g} s" in record.fault_reports["late"].text
    assert f": it slept for {seconds:g} s" in record.fault_reports["late"].text


def test_a_bot_that_sleeps_a_little_at_each_question_is_out_after_30_s_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_often(monkeypatch, asleep=True)
    source = "for q in questions():\n    time.sleep(0.2)\n    say(stay(q))"
    time_control = TimeControl(start=30, question=60, late_in_a_row=9)
    record = record_of(tmp_path, source, time_control, turns=200)
    assert record.faults == {"late": 1}
    assert "asleep for 30 s in all while it was asked: ended for this match" in record.fault_reports["late"].text
    assert len(record.times) > 3


def test_voids_are_counted_per_bot_and_the_match_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = json_bot(tmp_path, NO_WORK)
    settings = {"players": 3, "vision": 2, "shoot_range": 2, "density": 0.02}
    secret = Secret.from_seed(7)
    field = [bot, STILL]
    contest = Contest(
        game="zombies",
        ruleset="published",
        overrides=settings,
        secret=secret,
        matches=1,
        bots=field,
        time_control=TimeControl(start=30),
    )
    tries = iter([True, True, False])
    results: list[Result] = []
    asked: list[int] = []
    real = play

    def play_in_a_busy_machine(*args: Any, **options: Any) -> Result:
        if next(tries):
            raise Overloaded("busy", 0, 3, "bad")
        results.append(real(*args, **options))
        asked.append(len(results[-1].records["bad"].times))
        return results[-1]

    monkeypatch.setattr("koth.contest.match_runner.play", play_in_a_busy_machine)
    store = Store(tmp_path / "run")
    done = run(contest, store)
    (result,) = results
    assert ([row.void for row in done.rows], result.voids, done.unplayed) == ([2], {"bad": 2}, [])
    assert store.void_tries() == {"bad": 2}
    times = store.timings()
    store.close()
    assert times["bad"].questions == asked[0]
    assert 0 <= times["bad"].median <= times["bad"].worst <= times["bad"].charged <= times["bad"].wall + 1e-6


def test_a_match_that_the_load_spoils_again_and_again_is_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On record with the bot that was kept from its work; nobody has a fault or a score of it."""
    contest = small_contest(still("a", "still"), 1, secret=Secret.from_seed(7))

    def play_in_a_busy_machine(*args: Any, **options: Any) -> Result:
        raise Overloaded("busy", 0, 3, "a")

    monkeypatch.setattr("koth.contest.match_runner.play", play_in_a_busy_machine)
    store = Store(tmp_path / "run")
    done = run(contest, store)
    assert done.rows == []
    store.close()
    assert done.unplayed == [Unplayed(1, TRIES, str(Overloaded("busy", 0, 3, "a")), "a")]


def test_a_bot_is_not_charged_for_the_making_of_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor reported as late: koth's own processes, which make its sandbox, get no core for longer than its time."""
    monkeypatch.setattr("koth.session.referee.draw_look", lambda: 10_000_000)
    chosen = isolation("limits")
    spawner = _Spawner.by_libraries[()].process
    waited: list[float] = []

    def go_on(name: str, seconds: float) -> None:
        waited.append(seconds)
        spawner.send_signal(signal.SIGCONT)

    hosting = Hosting(time_control=TimeControl(start=1), isolation=chosen)
    bots = [json_bot(tmp_path, NO_WORK), STILL]
    spawner.send_signal(signal.SIGSTOP)
    try:
        record = play(GAME, SETTINGS, bots, SEED, hosting, Watching(max_turns=1, on_wait=go_on)).records["bad"]
    finally:
        spawner.send_signal(signal.SIGCONT)
    assert record.faults == {}
    assert record.start_seconds < 1 < max(waited)


def test_a_bot_that_hangs_is_late_and_voids_nothing(tmp_path: Path) -> None:
    record = record_of(tmp_path, SILENT, TimeControl(start=30, question=0.2), turns=4)
    assert record.faults["late"] >= 1


SPINS = """
import threading

def spin():
    while True:
        pass

for _ in range(12):
    threading.Thread(target=spin, daemon=True).start()
for q in questions():
    say(stay(q))
"""


def test_spinning_threads_void_nothing_and_stop_no_clock(tmp_path: Path) -> None:
    """Neither its own clock nor that of the bot beside it: what a bot does to others is load of the contest's."""
    bad = json_bot(tmp_path, SPINS)
    time_control = TimeControl(start=60, question=0.5)
    result = result_of([bad, good_bot(tmp_path)], time_control, turns=6)
    assert result.records["good"].faults == {}
