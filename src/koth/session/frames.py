"""Frames: little-endian arrays behind a small header, for the runners that ship with koth.

What is written and read here is so for one bot and for all bots of a question at once; it is compiled.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np
import orjson

from koth.game import FAULT, Answers, Array, Field, Observations, Question
from koth.kernel import LONG, foreign, kernel
from koth.protocol.bot_protocol import Answer, BotProtocol, Ended, Fault, Message, Ready, Stale, kept_note
from koth.protocol.sparse import Sparse
from koth.session.exchange import (
    ADDRESS,
    AHEAD,
    COLUMNS,
    FIRST,
    FRAMED,
    HEADER_SIZE,
    KIND,
    LAST,
    NUMBER,
    SENT,
    SIZE,
    USED,
    read_number,
)  # fmt: skip

HEADER = struct.Struct("<IIHHI")
"""A frame's header: bytes that follow, number of the ask, kind, what is used up, rows.

What is used up is 0 in frames of a bot's; in others its low 12 bits are tenths of a second of the bank, rounded
up, and the rest late answers in a row.
"""
HELLO, BYE = 0, 0xFFFF
"""Kinds of frames; a question's kind is its place among the game's questions, from 1."""
FAULTS = len(FAULT)

PLACE, WIDTH, FORM = 0, 1, 2
"""Columns of a table of fields: where the values of the first row lie, a row's (or a single value's) bytes, and how
it is: in questions the row of the ends of a ragged field, -1 if it is none; in answers what is to be checked."""
AS_IT_IS, TRUTH, FLOAT, DOUBLE = 0, 1, 2, 3
"""What is to be checked: truth values are anything but 0, numbers with a point must be finite."""

TAKEN, READY, LAST_WORDS, NEVER_ASKED, OLD, OTHER, SHORT, NO_FAULT, INFINITE = range(9)
"""What a frame is: an answer, which is written; the word that the bot is ready; the reason of its end; an answer to a
question that was never asked, to an old one, to another kind or number of rows; too short; with a fault code that
does not exist; from here on, with a number that is not finite in the first field, the second and so on."""

_copy = foreign("memcpy", LONG, LONG, LONG, LONG)


def address(array: Array) -> int:
    """Where the values of an array (C-contiguous) lie."""
    try:  # the quickest way
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # it is read-only, or empty
        return int(array.ctypes.data)


class Form:
    """How the frames of one question are written and their answers read: tables of fields.

    Raises TypeError when the arrays of `observations` are not what the fields say.
    """

    def __init__(self, observations: Observations) -> None:
        question = observations.question
        for name, field in question.observation.items():
            values = observations.fields[name]
            if values.dtype != field.dtype or not (field.ragged or values.shape[1:] == field.shape):
                raise TypeError(f"question {question.name}: {name} is {values.dtype} {values.shape[1:]}, not {field}")
        self.question = question
        self.answered = table_of_answers(question)
        self.row = 4 + sum(
            field.size for field in question.observation.values() if not (field.ragged or field.sparse)
        )
        self.asked = np.array([(0, *part) for part in _parts(question)], np.int64)
        self.ends = np.zeros((1 + int(self.asked[:, FORM].max()), 0), np.int64)
        self._plain = not len(self.ends)
        self._room = Sparse.room(0, 0)
        self._kept: list[Array] = []
        self._lies_in: object = None
        """The buffers in which the values were found last."""

    def fill(self, observations: Observations) -> int:
        """Note where the values of these questions lie; returns how many bytes they are at most, headers apart."""
        if self._plain and observations.buffers is not None and observations.buffers is self._lies_in:
            return self.row * len(observations)
        arrays = [observations.unit, *observations.fields.values()] if self._plain else self._spread(observations)
        self.asked[:, PLACE] = [address(values) for values in arrays]
        self._kept, self._lies_in = arrays, observations.buffers
        return self.row * len(observations) if self._plain else sum(int(values.nbytes) for values in arrays)

    def _spread(self, observations: Observations) -> list[Array]:
        """The arrays as they are sent, sparse ones in three parts; notes where the rows of ragged ones end."""
        arrays: list[Array] = [observations.unit]
        counts: list[Array] = []
        for name, field in observations.question.observation.items():
            values = observations.fields[name]
            if field.sparse:
                sparse = self._sparse(values)
                counts.append(sparse.counts)
                arrays += sparse
            else:
                if field.ragged is not None:
                    counts.append(observations.fields[field.ragged])
                arrays.append(values)
        if self.ends.shape[1] != len(observations) + 1:
            self.ends = np.zeros((len(counts), len(observations) + 1), np.int64)
        for ends, sizes in zip(self.ends, counts, strict=True):
            np.cumsum(sizes, out=ends[1:])
        return arrays

    def _sparse(self, rows: Array) -> Sparse:
        """The sparse form of these rows, in room that is used again."""
        if len(self._room.numbers) <= rows.size or len(self._room.counts) < len(rows):
            self._room = Sparse.room(len(rows), rows.size)
        return Sparse.of(rows, self._room)

    def point_to(self, answers: Answers) -> Array:
        """The table of the answer's fields, and last the faults, as they lie in these answers."""
        for k, values in enumerate(answers.fields.values()):
            self.answered[k, PLACE] = address(values)
        self.answered[-1, PLACE] = address(answers.fault)
        return self.answered


def _parts(question: Question) -> Iterator[tuple[int, int]]:
    """Width and form of what is sent of a question: the body, whole and ragged fields, sparse ones in three parts."""
    yield 4, -1
    rows = count()
    for field in question.observation.values():
        if field.sparse:
            row = next(rows)
            yield from ((2, -1), (2, row), (4, row))
        else:
            yield field.size, next(rows) if field.ragged is not None else -1


def table_of_answers(question: Question) -> Array:
    """The table of the answer's fields, and last the faults."""
    forms = {"b1": TRUTH, "f4": FLOAT, "f8": DOUBLE}
    fields = [*question.answer.values(), Field("u1")]
    rows = [(0, field.size, forms.get(np.dtype(field.dtype).str[1:], AS_IT_IS)) for field in fields]
    return np.array(rows, np.int64)


# -- writing


@kernel
def write_number(data: Array, at: int, size: int, number: int) -> None:
    """Write an integer of so many bytes, the lowest first."""
    for i in range(size):
        data[at + i] = (number >> (8 * i)) & 0xFF


@kernel
def used_word(bank: float, strikes: float) -> int:
    """What is used up, as the header tells it: seconds of the bank, and late answers in a row."""
    return min(int(strikes), 15) << 12 | min(max(int(np.ceil(bank * 10)), 0), 4095)


@kernel
def write_frames(calls: Array, seats: Array, kind: int, fields: Array, ends: Array, data: Array) -> None:
    """Write their frame of a question for all of these bots that speak frames, one after the other."""
    at = 0
    for seat in seats:
        call = calls[seat]
        if not call[FRAMED]:
            continue
        first, last = call[FIRST], call[LAST]
        call[NUMBER] += 1
        call[KIND] = kind
        begin = at
        at += HEADER_SIZE
        for k in range(fields.shape[0]):
            width, ragged = fields[k, WIDTH], fields[k, FORM]
            low = ends[ragged, first] if ragged >= 0 else first
            high = ends[ragged, last] if ragged >= 0 else last
            _copy(data.ctypes.data + at, fields[k, PLACE] + low * width, (high - low) * width)
            at += (high - low) * width
        write_number(data, begin, 4, at - begin - HEADER_SIZE)
        write_number(data, begin + 4, 4, call[NUMBER])
        write_number(data, begin + 8, 2, kind)
        write_number(data, begin + 10, 2, call[USED])
        write_number(data, begin + 12, 4, last - first)
        call[ADDRESS] = data.ctypes.data + begin
        call[SIZE] = at - begin
        call[SENT] = 0
        call[AHEAD] = 0


# -- reading


@kernel
def is_good(data: Array, at: int, size: int, form: int) -> bool:
    """Whether these bytes of a field can be taken; truth values are made 0 and 1."""
    if form == TRUTH:
        for i in range(at, at + size):
            data[i] = data[i] != 0
    elif form == FLOAT:
        for i in range(at, at + size, 4):
            if data[i + 3] & 0x7F == 0x7F and data[i + 2] & 0x80:
                return False
    elif form == DOUBLE:
        for i in range(at, at + size, 8):
            if data[i + 7] & 0x7F == 0x7F and data[i + 6] & 0xF0 == 0xF0:
                return False
    return True


@kernel
def answer_size(rows: int, answers: Array) -> int:
    """Bytes of a frame that answers so many rows, without its JSON."""
    size = HEADER_SIZE
    for k in range(answers.shape[0]):
        size += rows * answers[k, WIDTH]
    return size


@kernel
def check_frame(call: Array, data: Array, size: int, answers: Array) -> int:
    """What a frame of a bot's is: TAKEN if it can be."""
    number, kind, rows = read_number(data, 4, 4), read_number(data, 8, 2), read_number(data, 12, 4)
    if kind == HELLO:
        return READY
    if kind == BYE:
        return LAST_WORDS
    if number > call[NUMBER]:
        return NEVER_ASKED
    if number < call[NUMBER] or call[KIND] == 0:
        return OLD
    if kind != call[KIND] or rows != call[LAST] - call[FIRST]:
        return OTHER
    end = answer_size(rows, answers)
    if end > size:
        return SHORT
    at = HEADER_SIZE
    for k in range(answers.shape[0]):
        if not is_good(data, at, rows * answers[k, WIDTH], answers[k, FORM]):
            return INFINITE + k
        at += rows * answers[k, WIDTH]
    for i in range(end - rows, end):
        if data[i] >= FAULTS:
            return NO_FAULT
    return TAKEN


@kernel
def take_frame(data: Array, rows: int, answers: Array, first: int) -> None:
    """Write a frame that was found good where the answers belong, from this row on."""
    at = HEADER_SIZE
    for k in range(answers.shape[0]):
        size = answers[k, WIDTH]
        _copy(answers[k, PLACE] + first * size, data.ctypes.data + at, rows * size)
        at += rows * size


class FramesProtocol(BotProtocol):
    """Little-endian arrays behind a small header, for the runners that ship with koth.

    The hello's payload is JSON: the facts and, per question, names, dtypes and shapes of its fields, which counts
    them if they are ragged, and whether they are sparse. A question's payload is `body` (int32 per row) and the
    view's fields in their order, sparse ones as the three arrays of `koth.protocol.sparse`. An answer's payload is
    the answer's fields, a fault code (uint8) per row, and JSON: `{"errors": [[row, text]], "note": ...,
    "draw": [...]}` or nothing. A runner whose bot can't go on says so in a last frame of the kind BYE:
    `{"kind", "text"}`.

    `call` is the bot's row of `koth.session.exchange`: number, kind and rows of the open question stand there.
    """

    framing = "frames"

    def __init__(self, questions: Mapping[str, Question]) -> None:
        self._questions = list(questions.values())
        self.kinds = {question.name: kind for kind, question in enumerate(self._questions, 1)}
        self.call: Array = np.zeros(COLUMNS, np.int64)
        self.call[FRAMED] = 1

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        specs = [
            {
                "name": question.name,
                "view": [
                    [name, f.dtype, list(f.shape), f.ragged, f.sparse] for name, f in question.observation.items()
                ],
                "answer": [[name, f.dtype, list(f.shape), f.default] for name, f in question.answer.items()],
            }
            for question in self._questions
        ]
        payload = orjson.dumps({"facts": match_info, "questions": specs})
        return HEADER.pack(len(payload), 0, HELLO, 0, 0) + payload

    def ask(self, observations: Observations) -> bytes:
        form = Form(observations)
        data = np.empty(HEADER.size + form.fill(observations), np.uint8)
        self.call[FIRST], self.call[LAST] = 0, len(observations)
        self.call[USED] = used_word(*self.used)
        kind = self.kinds[observations.question.name]
        write_frames(self.call.reshape(1, -1), np.zeros(1, np.int64), kind, form.asked, form.ends, data)
        return data[: self.call[SIZE]].tobytes()

    def decode(self, message: bytes) -> Message:
        data = np.frombuffer(bytearray(message), np.uint8)
        _size, number, kind, _, rows = HEADER.unpack_from(message)
        question = self._questions[max(int(self.call[KIND]), 1) - 1]
        table = table_of_answers(question)
        found = check_frame(self.call, data, len(data), table)
        if found == TAKEN:
            return self._answer(question, rows, data, table)
        if found == READY:
            return Ready()
        if found == OLD:
            return Stale()
        if found == NEVER_ASKED:
            return Fault("unasked", f"nobody asked question {number}", ends=False)
        if found == LAST_WORDS:
            return _last_words(message)
        words = {
            OTHER: f"a frame of kind {kind} with {rows} rows does not answer this question",
            SHORT: "the frame is too short",
            NO_FAULT: "the frame has a fault code that does not exist",
        }
        if found not in words:
            words[found] = f"{list(question.answer)[found - INFINITE]} has a value that is not finite"
        return Fault("garbage", words[found])

    def _answer(self, question: Question, rows: int, data: Array, table: Array) -> Message:
        """The answer in a frame that was found good, with what its JSON says."""
        fields = {name: np.empty((rows, *field.shape), field.dtype) for name, field in question.answer.items()}
        answer = Answer(fields, np.empty(rows, np.uint8))
        for k, values in enumerate((*fields.values(), answer.fault)):
            table[k, PLACE] = address(values)
        take_frame(data, rows, table, 0)
        tail = data[answer_size(rows, table) :].tobytes()
        if tail:
            try:
                told = orjson.loads(tail)
                answer.errors = [(int(row), str(text)) for row, text in told.get("errors", []) if 0 <= row < rows]
                answer.note = kept_note(told.get("note"))
                answer.drawn = told.get("draw") or None
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                return Fault("garbage", f"the frame's JSON can't be read: {error}")
        self.call[KIND] = 0
        return answer

    def bye(self) -> bytes:
        return HEADER.pack(0, 0, BYE, 0, 0)


def _last_words(message: bytes) -> Message:
    """Why a runner ends, in its own words."""
    try:
        value = orjson.loads(message[HEADER.size :])
        kind, text = value["kind"], value["text"]
    except (ValueError, TypeError, KeyError) as error:
        return Fault("garbage", f"the last frame can't be read: {error}")
    return Ended(kind if kind in ("crash", "memory") else "crash", str(text))
