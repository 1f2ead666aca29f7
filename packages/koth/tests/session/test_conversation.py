"""The conversation with a bot as transcripts: bytes and costs go in, events come out. No process, no clock."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.game import Field, Observations, Question, TimeControl
from koth.protocol.bot_protocol import Answer, BotProtocol, Ended, Fault, JsonProtocol, Message
from koth.protocol.declared import Declared
from koth.protocol.encoded_rows import EncodedRows
from koth.protocol.frames import BYE, HEADER, HELLO, FramesProtocol
from koth.session.conversation import (
    BOM,
    Closed,
    Conversation,
    ConversationEvent,
    ConversationState,
    Faulted,
    Late,
    Limits,
    Violated,
)
from koth.session.cost import NO_COST, Cost
from koth.session.time_control import TimeAccount

MOVE = Question("move", {"seen": Field("u1")}, {"move": Field("i1", names=("stay", "north", "south"))}, max_rows=1)
ONE = np.zeros(1, np.int32)
ROWS = EncodedRows(Observations(MOVE, ONE, ONE, ONE, {"seen": np.array([7], np.uint8)}))
LIMITS = Limits(message=200, question=1000, messages=8)
QUICK, SLOW = Cost(0.05, 0.1), Cost(5.0, 5.1)
BANKED = TimeControl(start=10, question=1, bank=2, late_in_a_row=3)


def lines() -> JsonProtocol:
    return JsonProtocol(Declared())


def started(protocol: BotProtocol | None = None, time_control: TimeControl = BANKED) -> Conversation:
    """A bot that has been sent the match info."""
    bot = Conversation(protocol or lines(), LIMITS)
    bot.account = TimeAccount(time_control)
    bot.hello({"bank": time_control.bank, "strikes": time_control.late_in_a_row})
    return bot


def test_byte_order_marks_are_taken_off_at_once() -> None:
    """Were they taken off one by one, each with a copy of the rest, this line would take hours."""
    bot = asked()
    bot.limits = Limits(message=1 << 26, question=1 << 27, messages=8)
    (answer,) = events(bot, BOM * (1 << 24) + b'{"ask": 1, "move": "north"}\n')
    assert isinstance(answer, Answer)


def idle(protocol: BotProtocol | None = None, time_control: TimeControl = BANKED) -> Conversation:
    """A bot that is ready."""
    bot = started(protocol, time_control)
    framed = isinstance(bot.protocol, FramesProtocol)
    assert events(bot, HEADER.pack(0, 0, HELLO, 0, 0) if framed else b'{"ready": true}\n') == []
    assert bot.state is ConversationState.IDLE
    return bot


def asked(protocol: BotProtocol | None = None, time_control: TimeControl = BANKED, turn: int = 1) -> Conversation:
    """A bot that has an open question."""
    return ask(idle(protocol, time_control), turn)


def ask(bot: Conversation, turn: int = 2) -> Conversation:
    bot.begin((0, 1), turn)
    bot.ask(ROWS)
    return bot


def events(bot: Conversation, data: bytes, cost: Cost = QUICK) -> list[ConversationEvent]:
    """All events that come of these bytes while the bot is waited for; of an idle bot's, all."""
    bot.receive(data, cost if bot.state.is_waited_for else NO_COST)
    found, was_waited_for = [], bot.state.is_waited_for
    while (not was_waited_for or bot.state.is_waited_for) and (event := bot.next_event()) is not None:
        found.append(event)
        if isinstance(event, Closed | Violated):
            break
    return found


def answer(number: int = 1, move: Any = "north") -> bytes:
    return orjson.dumps({"ask": number, "move": move}) + b"\n"


def faults(bot: Conversation) -> dict[str, int]:
    return {kind: report.count for kind, report in bot.fault_reports.items()}


# -- starting


def test_a_bot_starts_and_is_ready() -> None:
    bot = started()
    assert bot.state is ConversationState.STARTING
    assert events(bot, b'{"ready": true}\n', Cost(1.5, 2.0)) == []
    assert (bot.state, bot.start_seconds) == (ConversationState.IDLE, 1.5)
    assert len(bot.costs) == 0


@pytest.mark.parametrize("first", [b"hello\n", answer(), b"[]\n"])
def test_another_first_message_ends_a_bot(first: bytes) -> None:
    (event,) = events(started(), first)
    assert isinstance(event, Faulted | Violated)
    if isinstance(event, Violated):
        assert event.kind == "garbage"
        assert event.text.startswith("the first message did not say that the bot is ready: ")


def test_a_silent_start_ends_a_bot() -> None:
    bot = started()
    assert bot.time_out(Cost(10.1)) == Violated("late", "not ready within 10 s")


# -- answers


def test_an_answer_closes_the_question() -> None:
    bot = asked()
    (event,) = events(bot, answer())
    assert event.fields["move"].tolist() == [1]
    assert (bot.state, faults(bot)) == (ConversationState.IDLE, {})
    assert list(bot.costs) == [(1, QUICK)]


def test_an_answer_may_come_in_pieces() -> None:
    bot = asked()
    for byte in answer()[:-1]:
        assert events(bot, bytes([byte])) == []
    (event,) = events(bot, b"\n", Cost(0.7))
    assert isinstance(event, Answer)
    assert list(bot.costs) == [(1, Cost(0.7))]


def test_the_bank_pays_for_a_slow_answer_and_a_slower_one_is_late() -> None:
    bot = asked()
    assert isinstance(events(bot, answer(), Cost(2.5))[0], Answer)
    assert bot.account.bank == 0.5
    (event,) = events(ask(bot), answer(2), Cost(1.6))
    assert (event.answered, event.is_out, faults(bot)) == (True, False, {"late": 1})


def test_silence_is_late_and_the_answer_that_comes_later_is_owed() -> None:
    bot = asked()
    event = bot.time_out(SLOW)
    assert (bot.state, event.answered) == (ConversationState.IDLE, False)
    assert events(bot, answer(1)) == []
    assert isinstance(events(ask(bot), answer(2), Cost(0.2))[0], Answer)
    assert faults(bot) == {"late": 1}


def test_three_late_answers_in_a_row_end_a_bot() -> None:
    bot = idle()
    for turn in (1, 2, 3):
        event = ask(bot, turn).time_out(SLOW)
        assert event.is_out == bot.gone == (turn == 3)
    bot.explain_end()
    assert bot.fault_reports["late"].text.endswith("late 3 times in a row: ended for this match")
    assert (faults(bot), bot.fault_reports["late"].turn) == ({"late": 3}, 1)


def test_an_unfinished_message_is_part_of_the_report_of_silence() -> None:
    bot = asked()
    assert events(bot, b'{"ask": 1') == []
    event = bot.time_out(SLOW)
    assert '{"ask": 1' in event.partial


def test_garbage_closes_the_question_with_a_report() -> None:
    bot = asked()
    (event,) = events(bot, b"north\n")
    assert (event, bot.state) == (Faulted("garbage"), ConversationState.IDLE)
    (report,) = bot.new_reports
    assert (report.said, report.turn) == (b"north", 1)
    assert report.asked.startswith(b'{"ask":1,')
    assert events(ask(bot), b"south\n") == [Faulted("garbage")]
    assert bot.new_reports == [report]
    assert faults(bot) == {"garbage": 2}


def test_a_fault_of_a_row_comes_with_the_answer() -> None:
    bot = asked()
    (event,) = events(bot, answer(1, "up"))
    assert [report.kind for report in bot.new_reports] == ["illegal"]
    assert event.fields["move"].tolist() == [0]


def test_ready_is_no_answer() -> None:
    assert events(asked(), b'{"ready": true}\n') == [Faulted("garbage")]


# -- messages that answer no open question


def test_an_answer_to_a_question_that_was_never_asked_leaves_the_question_open() -> None:
    bot = asked()
    first, second = events(bot, answer(9) + answer(1))
    assert first == Faulted("unasked", is_over=False)
    assert isinstance(second, Answer)


def test_what_comes_after_an_answer_is_read_when_the_bot_is_asked_again() -> None:
    bot = asked()
    assert len(events(bot, answer(1) + answer(1) + b"more\n")) == 1
    bot.begin((0, 1), 2)
    assert events(bot, b"")[:2] == [Faulted("unasked", is_over=False)] * 2
    report = bot.fault_reports["unasked"]
    assert (report.turn, report.count, report.charged) == (2, 2, 0.0)


def test_a_message_that_began_before_the_question_answers_no_open_one() -> None:
    bot = asked()
    assert len(events(bot, answer(1) + b'{"ask": 2, ')) == 1
    ask(bot)
    first, second = events(bot, b'"move": "south"}\n' + answer(2))
    assert first == Faulted("unasked", is_over=False)
    assert second.fields["move"].tolist() == [1]


# -- limits and ends


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x" * 201, "a message of more than 200 bytes"),
        (b"x" * 300 + b"\n", "a message of more than 200 bytes"),
        (answer(9) * 9, "more than 8 messages for one question"),
    ],
)
def test_too_much_output_is_a_flood(data: bytes, text: str) -> None:
    assert events(asked(), data)[-1] == Violated("flood", text)


def test_too_many_bytes_for_one_question_are_a_flood() -> None:
    bot = asked()
    found: list[ConversationEvent] = []
    for _ in range(7):
        found += events(bot, answer(9, "x" * 140))
    assert found[-1] == Violated("flood", "more than 1000 bytes for one question")


def test_too_many_unasked_messages_of_a_match_are_a_flood() -> None:
    """However many questions they come between: each takes koth's time."""
    bot = idle()
    found: list[ConversationEvent] = []
    for turn in range(1, 6):
        bot.begin((0, 1), turn)
        found += events(bot, b"x\n" * 2)
        ask(bot, turn)
        found += events(bot, answer(turn))
    assert found[-1] == Violated("flood", "more than 8 messages in the match without a question")
    assert faults(bot) == {"unasked": 9}


def test_a_fault_that_leaves_the_question_open_keeps_its_kind() -> None:
    class Strict(JsonProtocol):
        def decode(self, message: bytes) -> Message:
            return Fault("garbage", "no order", ends=False) if message == b"what?" else super().decode(message)

    bot = asked(Strict(Declared()))
    first, second = events(bot, b"what?\n" + answer(1))
    assert first == Faulted("garbage", is_over=False)
    assert isinstance(second, Answer)
    assert faults(bot) == {"garbage": 1}


def test_limits_hold_for_each_question_anew() -> None:
    bot = asked()
    for turn in range(2, 30):
        assert isinstance(events(bot, answer(turn - 1) + b"\n"[:0])[-1], Answer)
        ask(bot, turn)
    assert faults(bot) == {}


def test_the_end_of_the_output_comes_after_the_messages_before_it() -> None:
    bot = asked()
    bot.receive(answer(9), QUICK)
    bot.receive(b"", QUICK)
    assert isinstance(bot.next_event(), Faulted)
    assert bot.next_event() == Closed(None)
    bot.leave()
    assert bot.gone
    assert bot.end("crash", "the process ended", "exit status 3").kind == "crash"
    report = bot.fault_reports["crash"]
    assert (report.end, report.charged) == ("exit status 3", QUICK.charged)
    assert list(bot.costs) == [(1, QUICK)]
    assert bot.next_event() is None


def test_a_bot_that_ends_while_idle_has_cost_nothing() -> None:
    bot = asked()
    events(bot, answer())
    bot.begin((0, 1), 2)
    assert events(bot, b"") == [Closed(None)]
    bot.leave()
    bot.end("closed", "closed its output")
    report = bot.fault_reports["closed"]
    assert (report.charged, report.said, report.turn) == (0.0, b"", 2)
    assert len(bot.costs) == 1


def test_a_bot_that_died_before_a_question_died_in_it() -> None:
    bot = asked()
    events(bot, answer())
    bot.begin((0, 1), 2)
    assert events(bot, b"") == [Closed(None)]
    bot.leave()
    bot.ask(ROWS)
    bot.end("crash", "the process ended", "exit status 3")
    assert bot.fault_reports["crash"].asked.startswith(b'{"ask":2,')
    assert (bot.gone, len(bot.costs), bot.account.questions) == (True, 1, 1)


def test_a_bot_of_koths_adapter_says_why_it_ends() -> None:
    bot = idle(FramesProtocol({"move": MOVE}))
    payload = orjson.dumps({"kind": "memory", "text": "no room"})
    (event,) = events(bot, HEADER.pack(len(payload), 0, BYE, 0, 0) + payload)
    assert event == Closed(Ended("memory", "no room"))


def test_frames_come_in_pieces_and_several_at_once() -> None:
    bot = asked(FramesProtocol({"move": MOVE}))
    frame = HEADER.pack(2, 1, 1, 0, 1) + b"\x02\x00"
    assert events(bot, frame[:5]) == []
    (event,) = events(bot, frame[5:] + frame)
    assert event.fields["move"].tolist() == [2]
    assert [type(event) for event in events(bot, b"x")] == [Faulted]


@given(st.lists(st.tuples(st.sampled_from(["say", "silence", "ask", "end"]), st.binary(max_size=40)), max_size=25))
def test_nothing_that_a_bot_does_raises(course: list[tuple[str, bytes]]) -> None:
    """And each question is answered, late or faulty exactly once; a dead bot stays dead."""
    for protocol in (lines(), FramesProtocol({"move": MOVE})):
        bot = idle(protocol)
        for step, data in course:
            was_gone = bot.gone
            if step == "ask" and bot.state is ConversationState.IDLE:
                ask(bot)
            elif step == "silence" and bot.state is ConversationState.THINKING:
                assert isinstance(bot.time_out(SLOW), Late)
                assert not bot.state.is_waited_for
            elif not bot.gone:
                for event in events(bot, data if step == "say" else b""):
                    if isinstance(event, Violated | Closed):
                        bot.leave()
                        bot.end("crash", "the process ended")
                        assert bot.gone
            assert bot.gone >= was_gone
            assert sum(report.count for report in bot.fault_reports.values()) >= len(bot.fault_reports)
