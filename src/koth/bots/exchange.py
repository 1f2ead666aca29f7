"""Questions put to many bots at once and their answers heard, without the interpreter for each of them.

What is nearly always to be done is done by the kernels of `koth.bots.calls`. Whatever else may come (a full pipe, an
end, a fault, an answer that takes longer) is left as it was found, for `Panel` to go on with.

Linux only, where clocks are files and numbers; elsewhere, and without compiled code, `Panel` does everything.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np

from koth.bots.calls import (
    ADDRESS,
    AS_IT_IS,
    CALL,
    DONE,
    DOUBLE,
    FLOAT,
    HEARD,
    NANO,
    SIZE,
    TRUTH,
    Call,
    gather,
    open_calls,
    put,
    write_frames,
)
from koth.bots.clock import STILL, Queue, Spent
from koth.bots.process import BotProcess
from koth.bots.wires import HEADER, FramesWire
from koth.game import Answers, Array, Asks, Field
from koth.kernel import COMPILED

AVAILABLE = COMPILED and sys.platform == "linux" and sys.byteorder == "little"

ROOM = 1 << 16
"""Bytes of an answer that are taken here."""
PATIENCE = STILL
"""Seconds after which a bot that still thinks is waited for by `Panel`."""


class _Form(NamedTuple):
    """How a question is written and its answers are read: tables of fields, the addresses still to be filled in."""

    asked: Array
    row: int
    """Bytes of a row of the question; 0 if its fields don't all have one size."""
    answered: Array

    @classmethod
    def of(cls, asks: Asks) -> _Form:
        """The form of this question. Raises TypeError when its arrays are not what its fields say."""
        question = asks.question
        for name, field in question.view.items():
            values = asks.view[name]
            if values.dtype != field.dtype or not (field.ragged or values.shape[1:] == field.shape):
                raise TypeError(f"question {question.name}: {name} is {values.dtype} {values.shape[1:]}, not {field}")
        plain = not any(spec.ragged or spec.sparse for spec in question.view.values())
        view = [Field("i4"), *question.view.values()] if plain else []
        asked = np.array([(0, spec.size, AS_IT_IS) for spec in view], np.int64).reshape(-1, 3)
        fields = [*question.answer.values(), Field("u1")]
        answered = np.array([(0, spec.size, _form(spec)) for spec in fields], np.int64)
        return cls(asked, int(asked[:, SIZE].sum()), answered)


def _form(spec: Field) -> int:
    return {"b1": TRUTH, "f4": FLOAT, "f8": DOUBLE}.get(np.dtype(spec.dtype).str[1:], AS_IT_IS)


class Exchange:
    """The questions to the bots of one match, one after the other; `own` tells the times of this thread."""

    def __init__(self, bots: Sequence[BotProcess], own: Queue) -> None:
        self._places = {bot: place for place, bot in enumerate(bots)}
        self._bots = np.zeros(len(bots), CALL)
        self._own = own
        self._handles: dict[BotProcess, tuple[int, int]] = {}
        self._forms: dict[str, _Form] = {}
        self._asked: list[BotProcess] = []
        self._calls = np.zeros(len(bots), CALL)
        self._states = np.zeros(len(bots), np.int64)
        self._spent = np.zeros((len(bots), 3))
        self._rooms = np.empty((len(bots), ROOM), np.uint8)
        self._heard = np.zeros(len(bots), np.int64)
        self._polls = np.zeros((2 * len(bots), 2), np.int32)
        self._scratch = np.zeros(16, np.int64)
        self._cores = len(os.sched_getaffinity(0))
        nobody, nothing = np.zeros((0, 6), np.int64), np.zeros((0, 3), np.int64)
        open_calls(self._bots, nobody, self._calls)  # compiled, or fetched, before anybody's clock runs
        write_frames(nobody, self._calls, nothing, np.zeros(0, np.uint8))
        put(self._calls, self._states, self._polls, 0, self._scratch)
        self._gather(0, nothing, 0.0, 0)

    def can_ask(self, bots: Iterable[BotProcess]) -> bool:
        """Whether there is nothing out of the ordinary with any of these bots."""
        if self._own.file < 0:
            return False
        for bot in bots:
            handles = bot.handles()
            if handles is None:
                return False
            if handles != self._handles.get(bot):
                self._handles[bot] = handles
                framed = bot.wire.framing == "frames"
                self._bots[self._places[bot]] = Call(bot.stdin, bot.stdout, bot.stderr_fd, framed, *handles)
        return True

    def ask(
        self,
        asks: Asks,
        spans: Mapping[BotProcess, tuple[int, int]],
        answers: Answers,
        budget: float,
        done: set[BotProcess],
    ) -> Iterator[tuple[BotProcess, Spent | None]]:
        """Ask these bots, if they `can_ask`, each about its rows, and write what they answer.

        Who has answered plainly is `done`. Yields the others: what they say lies in their inputs. First those who
        answer in time, with what it cost them; then, with None, those whose clocks run on. Who had said something
        before it was asked is not asked.
        """
        form = self._forms.get(asks.question.name)
        if form is None:
            form = self._forms[asks.question.name] = _Form.of(asks)
        bots = self._asked = self._open(asks, spans, form)
        _fill_in(form.answered, (*answers.fields.values(), answers.fault))
        put(self._calls, self._states, self._polls, len(bots), self._scratch)
        until = time.perf_counter_ns() + int(min(budget, PATIENCE) * NANO)
        while heard := self._gather(len(bots), form.answered, budget, until):
            for i in heard:
                call = self._hand_over(i, bots[i])
                bots[i].clock.see_at(call.wall / NANO, call.run, call.wait)
                yield bots[i], Spent(*self._spent[i].tolist())
        states, spent = self._states[: len(bots)].tolist(), self._spent[: len(bots)].tolist()
        for i, bot in enumerate(bots):
            if states[i] == DONE:
                bot.answered(spent[i])
                done.add(bot)
            elif states[i] != HEARD and self._calls["begun"][i]:
                self._hand_over(i, bot)
                yield bot, None

    def _gather(self, count: int, answers: Array, budget: float, until: int) -> list[int]:
        found = gather(
            self._calls, self._states, self._spent, self._rooms, self._heard, self._polls, count,
            answers, budget, until, self._cores, self._own.file, self._scratch,
        )  # fmt: skip
        return cast("list[int]", self._heard[:found].tolist())

    def _hand_over(self, i: int, bot: BotProcess) -> Call:
        """Tell a bot all that has happened to it since it was asked."""
        call = Call._make(self._calls[i].item())
        bot.begin_at(call.begun / NANO, call.first_cpu / NANO, call.first_run, call.first_wait, call.sent)
        bot.take(self._rooms[i, : call.got].tobytes())
        return call

    def _open(self, asks: Asks, spans: Mapping[BotProcess, tuple[int, int]], form: _Form) -> list[BotProcess]:
        """Make a call for each bot, its question written; returns the bots in the order of their calls."""
        plain: list[BotProcess] = []
        others: list[BotProcess] = []
        plan: list[tuple[int, ...]] = []
        for bot, (first, last) in spans.items():
            if form.row and isinstance(bot.wire, FramesWire):
                plain.append(bot)
                plan.append((self._places[bot], *bot.wire.open(asks.question, last - first), first, last))
            else:
                others.append(bot)
        for bot, rows in zip(others, asks.parts([spans[bot] for bot in others]), strict=True):
            bot.asked = bot.wire.ask(rows)
            header = HEADER.unpack_from(bot.asked)[1:4] if isinstance(bot.wire, FramesWire) else (0, 0, 0)
            plan.append((self._places[bot], *header, *spans[bot]))
        table = np.array(plan, np.int64)
        open_calls(self._bots, table, self._calls)
        if plain:
            self._write_frames(asks, plain, spans, table[: len(plain)], form)
        for i, bot in enumerate(others, len(plain)):
            self._calls["address"][i] = _address_of_bytes(bot.asked)
            self._calls["size"][i] = len(bot.asked)
        return plain + others

    def _write_frames(
        self,
        asks: Asks,
        bots: Sequence[BotProcess],
        spans: Mapping[BotProcess, tuple[int, int]],
        plan: Array,
        form: _Form,
    ) -> None:
        """Write the questions of the first bots, whose fields all have one size."""
        _fill_in(form.asked, (asks.body, *asks.view.values()))
        sizes = [HEADER.size + form.row * (spans[bot][1] - spans[bot][0]) for bot in bots]
        data = np.empty(sum(sizes), np.uint8)
        write_frames(plan, self._calls, form.asked, data)
        frames = memoryview(data)  # type: ignore[arg-type]
        at = 0
        for bot, size in zip(bots, sizes, strict=True):
            bot.asked = frames[at : at + size]
            at += size

    def have_said(self) -> list[BotProcess]:
        """Who of those asked last has written to stderr."""
        said = self._calls["said"][: len(self._asked)].tolist()
        return [bot for bot, one in zip(self._asked, said, strict=True) if one] if any(said) else []


def _fill_in(table: Array, fields: Iterable[Array]) -> None:
    """Note in a table of fields where their values lie."""
    for k, values in enumerate(fields):
        table[k, ADDRESS] = _address(values)


def _address(array: Array) -> int:
    """Where the values of an array (C-contiguous, not empty) lie."""
    try:  # the quickest way
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except TypeError:  # it is read-only
        return int(np.frombuffer(array, np.uint8).ctypes.data)


def _address_of_bytes(data: bytes | memoryview) -> int:
    return int(np.frombuffer(data, np.uint8).ctypes.data)
