"""Time limits, banks, strikes, voids and stopped bots, with real bots in real matches."""

from __future__ import annotations

import io
import json
import pickle
import re
import select
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from koth.adapter import bot_adapter
from koth.contest.contest import Contest
from koth.contest.results import Unplayed
from koth.contest.run import TRIES, run
from koth.contest.store import Store
from koth.contest.timing import machine_load
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.batch import Batch
from koth.engine.secret import Secret
from koth.game import Answers, Observations, TimeControl
from koth.games import GAMES
from koth.games import load as load_game
from koth.match import BotReport, Hosting, InlineBot, Result, Watching, play
from koth.protocol.bot_protocol import JsonProtocol, Used
from koth.protocol.frames import HEADER, FramesProtocol
from koth.sandbox.command import Overloaded
from koth.sandbox.supervised_process import _Spawner
from koth.session.clock import ChargedClock
from koth.session.conversation import Conversation, ConversationEvent, ConversationState, Replied
from koth.session.cost import NO_COST, Cost
from koth.session.cpu_clocks import NANO, has_run_delay, now
from koth.session.marks import Mark
from koth.session.process import BotProcess
from koth.session.referee import Referee
from koth.session.seats import SeatedBot
from tests.contest.small import small_contest, still
from tests.sandbox.zoo import isolation
from tests.session.arena import GAME, PATIENT, SEED, SETTINGS, good_bot, json_bot, python_bot

pytestmark = pytest.mark.skipif(not has_run_delay(), reason="this system does not say how long threads wait")


def stays(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
    return {}


def record_of(folder: Path, source: str, time_control: TimeControl, turns: int = 8) -> BotReport:
    """Return the report of a JSON bot on a short match in which the other one stands still."""
    bot = json_bot(folder, source)
    result = play(
        GAME,
        SETTINGS,
        [bot, InlineBot("still", stays)],
        SEED,
        Hosting(time_control=time_control),
        Watching(max_turns=turns),
    )
    return result.records["bad"]


NO_WORK = """
for q in questions():
    say(stay(q))
"""
SLOW_AT = """
for q in questions():
    if q["clock"] in {at}:
        time.sleep(0.5)
    say(stay(q, note=q.get("left")))
"""


def test_the_bank_pays_for_slow_answers_until_it_is_empty(tmp_path: Path) -> None:
    time_control = TimeControl(start=30, question=0.2, bank=0.4)
    record = record_of(tmp_path, SLOW_AT.format(at=(2, 4)), time_control)
    assert record.faults.keys() == {"late"}
    assert record.fault_reports["late"].turn == 5
    text = "no answer within 0.2 s (66.7 ms for each of 3) and the 0.4 s of the bot's bank"
    assert record.fault_reports["late"].text.partition(";")[0] == text
    assert record.fault_reports["late"].charged >= 0.2


DRIPS = """
for q in questions():
    if q["clock"] == 2:
        sys.stdout.write(" " * 70000)
        for _ in range(8):
            sys.stdout.write(" "); sys.stdout.flush(); time.sleep(0.15)
    say(stay(q))
"""


def test_what_comes_byte_by_byte_is_in_the_bots_own_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while koth has to look at each piece: else a bot could keep it busy for nothing."""
    pieces = []
    next_event = Conversation.next_event

    def slow(bot: Conversation) -> ConversationEvent | None:
        if bot.turn == 3 and len(bot._rest) > 1 << 16 and b"\n" not in bot._rest:
            pieces.append(len(bot._rest))
            time.sleep(0.1)
        return next_event(bot)

    monkeypatch.setattr(Conversation, "next_event", slow)
    record = record_of(tmp_path, DRIPS, TimeControl(start=60, question=60), turns=4)
    assert record.faults == {}
    (wall,) = [spent.wall for turn, spent in record.times if turn == 3]
    assert wall >= 0.99 * 8 * 0.15  # marks are taken a moment after a bot wakes up
    assert len(pieces) >= 2


HANGS = """
import time
from koth.games.zombies.bot import Move

SECONDS = {seconds}

class Hangs:
    def do_turn(self, context):
        time.sleep(SECONDS.pop(context.game_clock, 0))
        return Move.STAY
"""
THINKS = """
for q in questions():
    if q["clock"] == 4:
        time.sleep(1.7)
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
    result = play(GAME, SETTINGS, bots, SEED, Hosting(time_control=time_control), Watching(max_turns=6))
    assert set(result.records["hangs"].faults) == {"late"}
    assert "; the bot was at hangs.py, line 9, in do_turn" in result.records["hangs"].fault_reports["late"].text
    assert result.records["thinks"].faults == {}
    assert thinking == [0]


def test_without_a_bank_each_is_late(tmp_path: Path) -> None:
    record = record_of(tmp_path, SLOW_AT.format(at=(2, 4)), TimeControl(start=30, question=0.2))
    assert record.faults.keys() == {"late"}
    assert record.fault_reports["late"].turn == 3
    assert record.fault_reports["late"].text.startswith("no answer within 0.2 s")


def test_where_the_statement_says_so_the_first_strike_ends_a_bot(tmp_path: Path) -> None:
    time_control = TimeControl(start=30, question=0.2, late_in_a_row=1)
    record = record_of(tmp_path, SLOW_AT.format(at=(2,)), time_control)
    assert record.faults == {"late": 1}
    assert "ended for this match" in record.fault_reports["late"].text
    assert len(record.times) == 3


def test_every_game_has_a_bank_unless_its_statement_forbids_it() -> None:
    for name in GAMES:
        time_control = load_game(name).time_control
        assert (time_control.bank > 0) == (time_control.late_in_a_row > 1)


def test_questions_hold_the_time_left(tmp_path: Path) -> None:
    """In JSON: nothing while nothing is used up, then what is left of bank and strikes."""
    told: list[Any] = []
    source = """
    for q in questions():
        time.sleep(1.5 * (q["clock"] == 2))
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


def test_contexts_hold_the_time_left(tmp_path: Path) -> None:
    source = """
    import sys, time
    from koth.games.zombies.bot import Move

    class Slow:
        def do_turn(self, context):
            print(context.game_clock, context.bank, context.strikes)
            if context.game_clock == 2 and context.id.number == 0:
                time.sleep(1.5)
            return Move.STAY
"""
    bot = python_bot(tmp_path, source)
    time_control = TimeControl(start=30, question=0.3, bank=4)
    result = play(
        GAME,
        SETTINGS,
        [bot, InlineBot("still", stays)],
        SEED,
        Hosting(time_control=time_control),
        Watching(max_turns=5),
    )
    written = result.records["bad"].stderr.decode().splitlines()  # where it was when its time was up, too
    lines = [line.split() for line in written if line[:1].isdigit()]
    assert {(bank, strikes) for clock, bank, strikes in lines if int(clock) <= 2} == {("4.0", "3")}
    assert all(0 < float(bank) <= 3.5 and strikes == "3" for clock, bank, strikes in lines if clock == "3")


def test_protocols_send_the_used_time() -> None:
    batch = Batch(GAME, SETTINGS, 2, [1])
    assert batch.observations is not None
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
    assert batch.observations is not None
    rows = dict(batch.observations.of_match(0))[0]
    frames = FramesProtocol(GAME.questions(SETTINGS, 2))
    frames.used = used
    received = bot_adapter.receive(io.BytesIO(frames.ask(rows)))
    assert received is not None
    call = bot_adapter.Call("", received[3], {}, {}, received[2])
    assert (call.bank, call.strikes, call.rows) == (used.bank, used.strikes, len(rows))


def test_more_computing_than_there_is_time_is_late_though_it_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its threads together held cores for longer than its budget, whatever the wall clock says."""
    receive = Conversation.receive

    def cost_on_many_cores(bot: Conversation, data: bytes, cost: Cost = NO_COST) -> None:
        if bot.state is ConversationState.THINKING:
            cost = cost._replace(cpu=31.0 if bot.turn == 3 else 0.0)
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
        bots = [InlineBot("still", stays), json_bot(tmp_path, "next(questions())"), InlineBot("too", stays)]
        play(GAME, SETTINGS, bots, SEED, Hosting(time_control=TimeControl(start=30)), Watching(max_turns=3))
    assert gone[-1] == [False, True, False]


# --- voids


SILENT = """
for q in questions():
    if q["clock"] == 2:
        time.sleep(60)
    say(stay(q))
"""


def kept(monkeypatch: pytest.MonkeyPatch, rate: float) -> None:
    """Let all bots be in a machine whose other processes keep them from their cores, and where time flies.

    A second of theirs is `rate` seconds in which they can't work.
    """

    def cost(clock: ChargedClock, end: Mark, answered: int) -> Cost:
        wall = (now() - clock._begin.at) / NANO
        return Cost(wall * (1 + rate), 0.0, wall * rate)

    monkeypatch.setattr(ChargedClock, "cost", cost)


def test_who_is_kept_for_ten_times_its_time_and_a_minute_puts_the_match_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(monkeypatch, 200.0)
    waited: list[float] = []
    bot = json_bot(tmp_path, SILENT)
    hosting = Hosting(time_control=TimeControl(start=30, question=5.0))
    watching = Watching(on_wait=lambda name, seconds: waited.append(seconds))
    with pytest.raises(Overloaded, match="for other processes of this machine") as told:
        play(GAME, SETTINGS, [bot, InlineBot("still", stays)], SEED, hosting, watching)
    assert (told.value.name, told.value.turn) == ("bad", 3)
    assert re.fullmatch(
        r"bad waited [\d.]+ of [\d.]+ s for other processes of this machine, at turn 3", str(told.value)
    )
    assert waited
    assert 1 < max(waited) < 60 + 200
    copy = pickle.loads(pickle.dumps(told.value))
    assert (str(copy), copy.name, copy.turn) == (str(told.value), "bad", 3)


def test_who_is_kept_is_charged_as_its_own_time_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot sleeps, under any load, and is late when its time is used up."""
    kept(monkeypatch, 5.0)
    record = record_of(tmp_path, SILENT, TimeControl(start=30, question=0.3), turns=4)
    assert record.faults["late"] >= 1


def test_voids_are_counted_per_bot_and_the_match_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = json_bot(tmp_path, NO_WORK)
    settings = {"players": 3, "vision": 2, "shoot_range": 2, "density": 0.02}
    secret = Secret.from_seed(7)
    field = [bot, InlineBot("still", stays)]
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
    assert 0 <= machine_load(times) <= 1


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
    monkeypatch.setattr("koth.session.machine_load.REPORTED_DELAY", 1.1)
    chosen = isolation("limits")
    spawner = _Spawner.by_libraries[()].process
    assert spawner is not None
    waited: list[float] = []

    def go_on(name: str, seconds: float) -> None:
        waited.append(seconds)
        spawner.send_signal(signal.SIGCONT)

    hosting = Hosting(time_control=TimeControl(start=1), isolation=chosen)
    bots = [json_bot(tmp_path, NO_WORK), InlineBot("still", stays)]
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
    result = play(
        GAME, SETTINGS, [bad, good_bot(tmp_path)], SEED, Hosting(time_control=time_control), Watching(max_turns=6)
    )
    assert result.records["good"].faults == {}
    for _, spent in result.records["bad"].times:
        assert spent.charged >= spent.cpu


def test_a_bots_load_on_others_does_not_bring_about_a_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a bot waits for is its rivals' doing: it waits on, and is not to blame."""
    kept(monkeypatch, 200.0)
    monkeypatch.setattr("koth.session.machine_load.cpu_between", lambda begin, end: 1000 * NANO)
    source = NO_WORK.replace("say(stay(q))", "time.sleep(1.5 * (q['clock'] == 2)); say(stay(q))")
    bots = [json_bot(tmp_path, source), good_bot(tmp_path)]
    result = play(
        GAME, SETTINGS, bots, SEED, Hosting(time_control=TimeControl(start=30, question=5)), Watching(max_turns=4)
    )
    assert result.records["bad"].faults == {}


# --- stopped bots

PONDERS = """
import threading

count = 0

def ponder():
    global count
    while True:
        count += 1
        time.sleep(0.001)

threading.Thread(target=ponder, daemon=True).start()
for q in questions():
    first = count
    say(stay(q, note=first - last if q["clock"] else 0))
    last = count
"""


@pytest.mark.parametrize("freeze", [True, False])
def test_bots_that_are_not_asked_are_stopped_if_it_is_wanted(
    freeze: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("koth.sandbox.isolation.cpu_cgroup_parent", lambda: None)  # else a cgroup would freeze it
    bot = json_bot(tmp_path, PONDERS)
    states: list[str] = []
    programs: list[BotProcess] = []
    start = BotProcess.start

    def start_and_note(program: BotProcess, *args: Any) -> str:
        programs.append(program)
        return start(program, *args)

    monkeypatch.setattr(BotProcess, "start", start_and_note)

    def looks(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        if int(observations.fields["clock"][0]) > 0:
            deadline = time.monotonic() + 30
            while (state := _state(programs[0].pid())) not in "TS" and time.monotonic() < deadline:
                time.sleep(0.005)
            states.append(state)
        return {}

    time_control = TimeControl(start=30, question=30, freeze=freeze)
    result = play(
        GAME,
        SETTINGS,
        [bot, InlineBot("looks", looks)],
        SEED,
        Hosting(time_control=time_control),
        Watching(max_turns=6),
    )
    assert result.records["bad"].faults == {}
    assert set(states) == ({"T"} if freeze else {"S"})


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_stopped_bots_end_with_the_match(tmp_path: Path) -> None:
    time_control = TimeControl(start=30, question=30, freeze=True)
    result = play(
        GAME, SETTINGS, [json_bot(tmp_path, NO_WORK), good_bot(tmp_path)], SEED, Hosting(time_control=time_control)
    )
    assert all(not record.faults for record in result.records.values())
    assert all(len(record.times) > 10 for record in result.records.values())


ASKS_A_LOT = """
import sys
sys.stdin.readline()
for line in sys.stdin:
    print("1,1\\n" * 50 + "N", flush=True)
    for _ in range(50): sys.stdin.readline()
"""
THINKS_ON = """
import os, sys, time
sys.stdin.readline()
for line in sys.stdin:
    time.sleep(0.1)
    os.write(1, b"N\\n")
"""


def test_who_has_answered_is_heard_while_another_ones_messages_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else one that thinks on after its answer would be charged for that, by as much as its rivals wrote."""
    pacman = load_game("pacman")
    settings = next(iter(pacman.rulesets.values()))
    bots = []
    for name, source in (("asks", ASKS_A_LOT), ("thinks", THINKS_ON)):
        home = tmp_path / name
        home.mkdir()
        (home / "koth.toml").write_text('protocol = "text"\ncommand = ["python", "main.py"]\n')
        (home / "main.py").write_text(source)
        bots.append(load_bot(pacman, home, Interpreters(), name))
    heard: list[bool] = []
    handle = Referee._handle

    def handle_later(referee: Referee, seat: SeatedBot, event: ConversationEvent) -> None:
        """Go on once the other bot's answer lies there."""
        handle(referee, seat, event)
        thinks = referee.seats[1]
        if isinstance(event, Replied) and thinks in referee._waiting:
            if not any(seat is thinks for seat, *_ in referee._outputs):
                assert select.select([thinks.process.stdout], [], [], 60)[0]
                referee._pump.looked_at = 0
            else:
                heard.append(True)

    monkeypatch.setattr(Referee, "_handle", handle_later)
    result = play(pacman, settings, bots, SEED, Hosting(time_control=PATIENT), Watching(max_turns=5))
    assert [record.faults for record in result.records.values()] == [{}, {}]
    assert heard
    assert all(heard)
