"""Bots asked by compiled code: nothing may come out otherwise than when they are asked one by one."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.bots.bot import Bot
from koth.bots.calls import ADDRESS, CALL, Call, clock_time, queue_time, take_answer
from koth.bots.clock import Queue, tells_queues
from koth.bots.command import Command
from koth.bots.exchange import AVAILABLE, ROOM, Exchange, _address, _Form
from koth.bots.panel import Panel
from koth.bots.process import BotProcess, Limits
from koth.bots.wires import HEADER, Answer, FramesWire
from koth.game import FAULT, Asks, Batch, Budgets, Field, Question, no_answers
from koth.games import GAMES
from koth.games import load as load_game
from koth.match import Result, play
from tests.bots.arena import GAME, PATIENT, SEED, SETTINGS, good_bot, json_bot, python_bot

pytestmark = pytest.mark.skipif(not (AVAILABLE and tells_queues()), reason="bots are asked one by one here")

SHAPES = Question(
    "shapes",
    view={"seen": Field("u1", (2,))},
    answer={"move": Field("i1"), "fight": Field("b1"), "points": Field("f4", (3,)), "weight": Field("f8")},
    most=9,
)


def play_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bots: list[Bot], **options: Any) -> list[Result]:
    """The same match twice, with compiled code and without it: their replays must be the same."""
    results, replays = [], []
    for name in ("compiled", "one by one"):
        if name == "one by one":
            monkeypatch.setattr("koth.bots.panel.AVAILABLE", False)
        replay = tmp_path / f"{name}.jsonl.gz"
        results.append(play(GAME, SETTINGS, bots, SEED, replay=replay, budgets=PATIENT, **options))
        replays.append(replay.read_bytes())
    assert replays[0] == replays[1]
    return results


def heard_slowly(monkeypatch: pytest.MonkeyPatch) -> list[set[BotProcess]]:
    """Collects who is waited for by `Panel` itself."""
    waited: list[set[BotProcess]] = []
    listen = Panel._listen

    def note(panel: Panel, waiting: set[BotProcess], *rest: Any, **options: Any) -> None:
        waited.append(set(waiting))
        listen(panel, waiting, *rest, **options)

    monkeypatch.setattr(Panel, "_listen", note)
    return waited


SAYS_MORE = """
for q in questions():
    say(stay(q))
    if q["clock"] == 3:
        say(stay(q))
    if q["clock"] == 5:
        say("no JSON")
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
    assert [len(result.records["good"].times) for result in results] == [21, 21]


def test_hardly_anybody_is_asked_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the start, and when this machine is busy."""
    waited = heard_slowly(monkeypatch)
    replay = tmp_path / "replay.jsonl.gz"
    play(GAME, SETTINGS, [good_bot(tmp_path), json_bot(tmp_path, "for q in questions(): say(stay(q))")], SEED,
         replay=replay, budgets=PATIENT)  # fmt: skip
    assert 1 <= len(waited) < 12


@pytest.mark.parametrize("seconds", [0.005, 0.05])
def test_thinking_takes_as_long_as_it_takes(seconds: float, tmp_path: Path) -> None:
    """Less than the patience of the compiled code, and more."""
    source = f"for q in questions():\n    time.sleep({seconds}); say(stay(q))"
    result = play(GAME, SETTINGS, [json_bot(tmp_path, source), good_bot(tmp_path)], SEED, budgets=PATIENT, turns=12)
    times = [spent for _, spent in result.records["bad"].times]
    assert len(times) == 12
    for spent in times:
        assert seconds <= spent.wall
        assert 0 <= spent.cpu <= spent.wall + 0.01
        assert spent.charged >= seconds * 0.9


CHATTY = """
for q in questions():
    sys.stderr.write(("%d\\n" % q["clock"]) + "x" * {size}); sys.stderr.flush()
    say(stay(q))
"""


@pytest.mark.parametrize("size", [0, 600_000], ids=["a word", "more than a pipe holds"])
def test_stderr_is_read_by_turn(size: int, tmp_path: Path) -> None:
    bot = json_bot(tmp_path, CHATTY.replace("{size}", str(size)))
    record = play(GAME, SETTINGS, [bot, good_bot(tmp_path)], SEED, budgets=PATIENT, turns=10).records["bad"]
    assert record.faults == {}
    assert max(spent.wall for _, spent in record.times) < 5
    if not size:
        assert record.stderr == b"".join(b"%d\n" % turn for turn in range(10))
        assert [turn for turn, _ in record.marks] == list(range(10))


def test_a_bot_is_late_by_its_work_on_all_cores(tmp_path: Path) -> None:
    """What an answer cost is looked at even if it came at once."""
    source = """
for q in questions():
    end = time.process_time() + 0.012 * (q["clock"] > 4)
    while time.process_time() < end: pass
    say(stay(q))
"""
    budgets = Budgets(start=30, question=0.008, late_in_a_row=3)
    record = play(GAME, SETTINGS, [json_bot(tmp_path, source), good_bot(tmp_path)], SEED, budgets=budgets).records
    assert record["bad"].faults["late"] == 3
    assert record["bad"].troubles["late"].turn >= 3


# --- what the kernels read and write


def test_clocks_tell_the_same_as_files() -> None:
    scratch = np.zeros(16, np.int64)
    before = time.monotonic_ns()
    assert before <= clock_time(time.CLOCK_MONOTONIC, scratch) <= time.monotonic_ns()
    assert clock_time(99, scratch) == -1
    queue = Queue("/proc/thread-self/schedstat")
    first = queue.read()
    run, wait = queue_time(queue.file, scratch)
    last = queue.read()
    queue.close()
    assert first is not None
    assert last is not None
    assert first[0] <= run <= last[0]
    assert first[1] <= wait <= last[1]
    assert queue_time(-1, scratch) == (-1, -1)


def questions_of_all_games() -> Iterator[tuple[str, Asks]]:
    """Every question that some game asks in a few turns, of several seats."""
    for name in GAMES:
        game = load_game(name)
        settings = next(iter(game.rulesets.values()))
        batch = Batch(game, settings, max(4, game.seats.start) if game.convention.table is None else 4, [5])
        while batch.asks is not None and batch.turn < 3:
            yield name, batch.asks
            batch.answer(no_answers(batch.asks, batch.nobody_gone()))


def test_frames_are_written_as_the_wire_writes_them() -> None:
    plain = set()
    for game, asks in questions_of_all_games():
        questions = {asks.question.name: asks.question}
        spans = asks.spans(0)
        bots = {seat: BotProcess(Command(("none",), Path()), FramesWire(questions), Limits()) for seat in spans}
        form = _Form.of(asks)
        Exchange(list(bots.values()), Queue("/dev/null"))._open(
            asks, {bots[seat]: span for seat, span in spans.items()}, form
        )
        for seat, rows in asks.of_match(0):
            assert bytes(bots[seat].asked) == FramesWire(questions).ask(rows), (game, asks.question.name, seat)
        if form.row:
            plain.add((game, asks.question.name))
    assert plain == {("aliens", "points"), ("aliens", "meet"), ("metalman", "act")}


def test_arrays_that_are_not_what_they_are_said_to_be() -> None:
    none = np.zeros(2, np.int32)
    for wrong in (np.zeros((2, 2), np.int32), np.zeros((2, 3), np.uint8)):
        with pytest.raises(TypeError, match="question shapes: seen is "):
            _Form.of(Asks(SHAPES, none, none, none, {"seen": wrong}))


class Heard:
    """One bot's answer to the question `SHAPES`, read by the wire and by the kernel."""

    rows = 2

    def __init__(self) -> None:
        view = {"seen": np.zeros((self.rows, 2), np.uint8)}
        none = np.zeros(self.rows, np.int32)
        self.asks = Asks(SHAPES, none, none, none, view)
        self.wire = FramesWire({"shapes": SHAPES})
        self.wire.ask(self.asks)
        self.call = np.zeros(1, CALL)
        self.call[0] = Call(-1, -1, -1, 1, 0, 0, number=1, kind=1, first=0, last=self.rows)
        self.room = np.zeros(ROOM, np.uint8)

    @staticmethod
    def frame(payload: bytes, number: int = 1, kind: int = 1, rows: int = 2) -> bytes:
        return HEADER.pack(len(payload), number, kind, 0, rows) + payload

    def by_kernel(self, message: bytes) -> dict[str, np.ndarray[Any, Any]] | None:
        answers = no_answers(self.asks, np.zeros((1, 1), np.bool_))
        form = _Form.of(self.asks)
        form.answered[:, ADDRESS] = [*map(_address, answers.fields.values()), _address(answers.fault)]
        self.room[: len(message)] = np.frombuffer(message, np.uint8)
        self.call["got"] = len(message)
        if not take_answer(self.call[0], self.room, form.answered):
            assert answers.fields["move"].tolist() == [0, 0]
            return None
        return {**answers.fields, "fault": answers.fault}


def payload(points: float = 1.5, weight: float = 2.5, fight: int = 1, fault: int = 0) -> bytes:
    """The answer's arrays for two rows."""
    arrays = [
        np.array([3, 4], np.int8), np.array([fight, 0], np.uint8), np.array([[points, 0, -1], [0, 0, 7]], np.float32),
        np.array([0, weight], np.float64), np.array([0, fault], np.uint8),
    ]  # fmt: skip
    return b"".join(array.tobytes() for array in arrays)


def test_a_plain_answer_is_taken() -> None:
    taken = Heard().by_kernel(Heard.frame(payload(fight=9)))
    assert taken is not None
    assert taken["move"].tolist() == [3, 4]
    assert taken["fight"].tolist() == [True, False]
    assert taken["fight"].view(np.uint8).tolist() == [1, 0]
    assert taken["points"].tolist() == [[1.5, 0, -1], [0, 0, 7]]
    assert taken["weight"].tolist() == [0, 2.5]


@pytest.mark.parametrize(
    "message",
    [
        Heard.frame(payload(points=math.nan)),
        Heard.frame(payload(points=-math.inf)),
        Heard.frame(payload(weight=math.inf)),
        Heard.frame(payload(weight=math.nan)),
        Heard.frame(payload(fault=FAULT["error"])),
        Heard.frame(payload(fault=200)),
        Heard.frame(payload(), number=2),
        Heard.frame(payload(), kind=2),
        Heard.frame(payload(), rows=1),
        Heard.frame(payload() + b'{"note": 1}'),
        Heard.frame(payload()) + b"x",
        Heard.frame(payload()[:-1]),
    ],
)
def test_what_is_not_plain_is_not_taken(message: bytes) -> None:
    assert Heard().by_kernel(message) is None


@given(st.data())
def test_what_is_taken_is_what_the_wire_hears(data: st.DataObject) -> None:
    frame = bytearray(Heard.frame(payload(points=3e38, weight=1e300)))
    for _ in range(data.draw(st.integers(0, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    heard = Heard()
    taken = heard.by_kernel(bytes(frame))
    meaning = heard.wire.hear(bytes(frame))
    if taken is None:
        assert (
            not isinstance(meaning, Answer) or meaning.has_faults() or HEADER.unpack_from(frame)[0] != len(payload())
        )
    else:
        assert isinstance(meaning, Answer)
        assert not meaning.has_faults()
        for name, values in meaning.fields.items():
            assert np.array_equal(values, taken[name])
