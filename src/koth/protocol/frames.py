"""Frames: little-endian arrays behind a small header, for the bot adapters that ship with koth.

One kernel writes a question for all bots at once, and one reads an answer; both serve a single bot as well.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import Any

import numpy as np
import orjson

from koth.game import FAULT, Answers, Array, Field, Observations, Question
from koth.kernel import LONG, foreign, kernel
from koth.protocol.bot_protocol import Answer, BotProtocol, Ended, Fault, Message, Ready, Stale, kept_note
from koth.protocol.sparse import Sparse

HEADER = struct.Struct("<IIHHI")
"""A frame's header: size of the payload, number of the question, kind, used time, rows.

The used time is 0 in frames of a bot; in others its low 12 bits are tenths of a second of the bank, rounded up, and
the rest late answers in a row. Both go on in the upper byte of the rows, which a bot need not send back: five more
bits of the tenths (3.6 hours in all), and three of the late answers.
"""
MOST_TENTHS, MOST_LATE, MOST_ROWS = (1 << 17) - 1, (1 << 7) - 1, (1 << 24) - 1
HEADER_SIZE = 16
HELLO, BYE = 0, 0xFFFF
"""Kinds of frames; a question's kind is its place among the game's questions, from 1."""
FAULT_KINDS = len(FAULT)
MOST_JSON = 1 << 20
"""Bytes of JSON that are read of an answer: decoding more would delay all other bots."""
MOST_ERRORS = 100
"""Errors that are read of an answer, as many as koth's own adapters write."""

OPEN = np.dtype([("number", "i8"), ("kind", "i8"), ("first", "i8"), ("last", "i8"), ("used", "i8")])
"""The open question of one bot: its number, its kind (0: answered), its rows from `first` up to `last`, and the used
time in the form of the header.
"""

COLUMN = np.dtype([("address", "i8"), ("width", "i8"), ("ends", "i8"), ("check", "i8")])
"""One field in memory: the address of its first row, the bytes of a row (or of a single value), in questions the row
of the ends of a ragged field (-1: it is not ragged), in answers the check. Tables of these are made for one call
only.
"""
ANY, TRUTH, FLOAT, DOUBLE = 0, 1, 2, 3
"""Checks: truth values are anything but 0, floats must be finite."""

TAKEN, READY, LAST_WORDS, NEVER_ASKED, OLD, OTHER, SHORT, NO_FAULT, INFINITE = range(9)
"""Verdicts on a frame: an answer to be taken; ready; the reason for the bot's end; an answer to a question that was
never asked, to an old one, of another kind or number of rows; too short; an unknown fault code; from here on, a
number that is not finite in the first field, the second and so on.
"""

_copy = foreign("memcpy", LONG, LONG, LONG, LONG)


def address(array: Array) -> int:
    """Return the address of an array's values (C-contiguous)."""
    try:  # the fastest call
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # the array is read-only, or empty
        return int(array.ctypes.data)


class Layout:
    """The layout of the frames of one question and of their answers.

    Raises TypeError when the arrays of `observations` do not match the fields.
    """

    def __init__(self, observations: Observations) -> None:
        question = observations.question
        for name, field in question.observation.items():
            values = observations.fields[name]
            if values.dtype != field.dtype or not (field.ragged or values.shape[1:] == field.shape):
                raise TypeError(f"question {question.name}: {name} is {values.dtype} {values.shape[1:]}, not {field}")
        self._parts = np.array([(0, *part, ANY) for part in _parts(question)], COLUMN)
        self._is_fixed = bool((self._parts["ends"] < 0).all())
        self._answered = answer_columns(question)
        self._room = Sparse.room(0, 0)

    def write(
        self, observations: Observations, questions: Array, seats: Array, kind: int, data: Array
    ) -> tuple[Array, Array]:
        """Write the frames of these bots, one after the other, into `data` (uint8), or into a larger new array.

        `questions` has a row of `OPEN` for each seat, with the rows of each bot; number and kind are written there.
        Returns the array, and the bounds of the frames in it (int64[seats + 1]).
        """
        arrays = [observations.unit, *observations.fields.values()] if self._is_fixed else []
        ends = np.zeros((1, 1), np.int64)
        if not self._is_fixed:
            arrays, ends = self._spread(observations)
        arrays = [np.ascontiguousarray(values) for values in arrays]  # a game may show a view on its state
        parts = self._parts.copy()
        parts["address"] = [address(values) for values in arrays]
        size = HEADER.size * len(seats) + sum(values.nbytes for values in arrays)
        if len(data) < size:
            data = np.empty(2 * size, np.uint8)
        starts = np.zeros(len(seats) + 1, np.int64)
        write_frames(questions, seats, kind, parts, ends, data, starts)
        return data, starts

    def _spread(self, observations: Observations) -> tuple[list[Array], Array]:
        """Return the arrays to send, sparse ones in three parts, and the ends of the rows of ragged ones."""
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
        ends = np.zeros((len(counts), len(observations) + 1), np.int64)
        for row, sizes in zip(ends, counts, strict=True):
            np.cumsum(sizes, out=row[1:])
        return arrays, ends

    def _sparse(self, rows: Array) -> Sparse:
        """Return the sparse form of these rows, in reused buffers."""
        if len(self._room.numbers) <= rows.size or len(self._room.counts) < len(rows):
            self._room = Sparse.room(len(rows), rows.size)
        return Sparse.of(rows, self._room)

    def columns_of(self, answers: Answers) -> Array:
        """Return the columns of the answer's fields, and last of the faults, with the addresses in these answers."""
        columns = self._answered.copy()
        columns["address"] = [address(values) for values in (*answers.fields.values(), answers.fault)]
        return columns


def _parts(question: Question) -> Iterator[tuple[int, int]]:
    """Yield width and row of ends of each sent array: units, whole and ragged fields, sparse ones in three parts."""
    yield 4, -1
    rows = count()
    for field in question.observation.values():
        if field.sparse:
            row = next(rows)
            yield from ((2, -1), (2, row), (4, row))
        else:
            yield field.size, next(rows) if field.ragged is not None else -1


def answer_columns(question: Question) -> Array:
    """Return the columns of the answer's fields, and last of the faults, without addresses."""
    checks = {"b1": TRUTH, "f4": FLOAT, "f8": DOUBLE}
    fields = [*question.answer.values(), Field("u1")]
    rows = [(0, field.size, -1, checks.get(np.dtype(field.dtype).str[1:], ANY)) for field in fields]
    return np.array(rows, COLUMN)


# -- writing


@kernel
def read_number(data: Array, at: int, size: int) -> int:
    """Read a little-endian unsigned integer of `size` bytes."""
    number = 0
    for i in range(size):
        number |= int(data[at + i]) << (8 * i)
    return number


@kernel
def write_number(data: Array, at: int, size: int, number: int) -> None:
    """Write a little-endian integer of `size` bytes."""
    for i in range(size):
        data[at + i] = (number >> (8 * i)) & 0xFF


@kernel
def used_word(bank: float, strikes: float) -> int:
    """Return the used time in the form of the header, its upper byte above its two others, from seconds of the bank
    and late answers in a row.
    """
    tenths, late = min(max(int(np.ceil(bank * 10)), 0), MOST_TENTHS), min(int(strikes), MOST_LATE)
    return (late >> 4) << 21 | (tenths >> 12) << 16 | (late & 15) << 12 | (tenths & 4095)


@kernel
def write_frames(
    questions: Array, seats: Array, kind: int, parts: Array, ends: Array, data: Array, starts: Array
) -> None:
    """Write the frame of a question for each of these bots, one after the other, and their bounds to `starts`."""
    at = 0
    for i in range(seats.size):
        question = questions[seats[i]]
        first, last = question["first"], question["last"]
        question["number"] += 1
        question["kind"] = kind
        begin = at
        at += HEADER_SIZE
        for k in range(parts.size):
            width, ragged = parts[k]["width"], parts[k]["ends"]
            low = ends[ragged, first] if ragged >= 0 else first
            high = ends[ragged, last] if ragged >= 0 else last
            _copy(data.ctypes.data + at, parts[k]["address"] + low * width, (high - low) * width)
            at += (high - low) * width
        write_number(data, begin, 4, at - begin - HEADER_SIZE)
        write_number(data, begin + 4, 4, question["number"])
        write_number(data, begin + 8, 2, kind)
        write_number(data, begin + 10, 2, question["used"])
        write_number(data, begin + 12, 4, (question["used"] >> 16) << 24 | (last - first))
        starts[i + 1] = at


# -- reading


@kernel
def frame_size(data: Array, got: int) -> int:
    """Return the bytes of the first frame in the first `got` bytes, its header included; 0 if it is not whole."""
    size = HEADER_SIZE + read_number(data, 0, 4) if got >= HEADER_SIZE else got + 1
    return size if size <= got else 0


@kernel
def is_good(data: Array, at: int, size: int, check: int) -> bool:
    """Return whether these bytes of a field are valid; truth values are normalised to 0 and 1."""
    if check == TRUTH:
        for i in range(at, at + size):
            data[i] = data[i] != 0
    elif check == FLOAT:
        for i in range(at, at + size, 4):
            if data[i + 3] & 0x7F == 0x7F and data[i + 2] & 0x80:
                return False
    elif check == DOUBLE:
        for i in range(at, at + size, 8):
            if data[i + 7] & 0x7F == 0x7F and data[i + 6] & 0xF0 == 0xF0:
                return False
    return True


@kernel
def answer_size(rows: int, columns: Array) -> int:
    """Return the bytes of a frame that answers this number of rows, without its JSON."""
    size = HEADER_SIZE
    for k in range(columns.size):
        size += rows * columns[k]["width"]
    return size


@kernel
def check_frame(question: Any, data: Array, size: int, columns: Array) -> int:
    """Return the verdict on a frame of a bot: TAKEN if it answers the open question."""
    number, kind, rows = read_number(data, 4, 4), read_number(data, 8, 2), read_number(data, 12, 3)
    if kind == HELLO:
        return READY
    if kind == BYE:
        return LAST_WORDS
    if number > question["number"]:
        return NEVER_ASKED
    if number < question["number"] or question["kind"] == 0:
        return OLD
    if kind != question["kind"] or rows != question["last"] - question["first"]:
        return OTHER
    end = answer_size(rows, columns)
    if end > size:
        return SHORT
    at = HEADER_SIZE
    for k in range(columns.size):
        if not is_good(data, at, rows * columns[k]["width"], columns[k]["check"]):
            return INFINITE + k
        at += rows * columns[k]["width"]
    for i in range(end - rows, end):
        if data[i] >= FAULT_KINDS:
            return NO_FAULT
    return TAKEN


@kernel
def take_frame(data: Array, rows: int, columns: Array, first: int) -> None:
    """Copy a valid frame to the answers, from row `first` on."""
    at = HEADER_SIZE
    for k in range(columns.size):
        size = rows * columns[k]["width"]
        _copy(columns[k]["address"] + first * columns[k]["width"], data.ctypes.data + at, size)
        at += size


class FramesProtocol(BotProtocol):
    """Little-endian arrays behind a small header, for the bot adapters that ship with koth.

    The hello's payload is JSON: the match info and, per question, names, dtypes and shapes of its fields, the field
    that counts them if they are ragged, and whether they are sparse. A question's payload is the unit (int32 per row)
    and the observation's fields in their order, sparse ones as the three arrays of `koth.protocol.sparse`. An
    answer's payload is the answer's fields, a fault code (uint8) per row, and JSON: `{"errors": [[row, text]],
    "note": ..., "draw": [...]}` or nothing. An adapter whose bot can't go on sends a last frame of the kind BYE:
    `{"kind", "text"}`.

    `open` is the bot's open question, a row of `OPEN`; a referee that asks many bots at once shares its own row.
    """

    framing = "frames"
    says_why_it_ends = True

    def __init__(self, questions: Mapping[str, Question]) -> None:
        self._questions = list(questions.values())
        self.kinds = {question.name: kind for kind, question in enumerate(self._questions, 1)}
        self.open: Any = np.zeros(1, OPEN)[0]

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        specs = [
            {
                "name": question.name,
                "view": [[*_sent(name, f), f.ragged, f.sparse] for name, f in question.observation.items()],
                "answer": [[*_sent(name, f), f.default] for name, f in question.answer.items()],
            }
            for question in self._questions
        ]
        payload = orjson.dumps({"facts": match_info, "questions": specs})
        return HEADER.pack(len(payload), 0, HELLO, 0, 0) + payload

    def ask(self, observations: Observations) -> bytes:
        question = np.zeros(1, OPEN)
        question["number"], question["last"], question["used"] = (
            self.open["number"],
            len(observations),
            used_word(*self.used),
        )
        kind, seat = self.kinds[observations.question.name], np.zeros(1, np.int64)
        data, starts = Layout(observations).write(observations, question, seat, kind, np.empty(0, np.uint8))
        for name in OPEN.names or ():
            self.open[name] = question[name][0]
        return data[: starts[1]].tobytes()

    def decode(self, message: bytes) -> Message:
        data = np.frombuffer(bytearray(message), np.uint8)
        _size, number, kind, _, rows = HEADER.unpack_from(message)
        rows &= MOST_ROWS
        question = self._questions[max(int(self.open["kind"]), 1) - 1]
        columns = answer_columns(question)
        found = check_frame(self.open, data, len(data), columns)
        if found == TAKEN:
            return self._answer(question, rows, data, columns)
        if found == READY:
            return Ready()
        if found == OLD:
            return Stale()
        if found == NEVER_ASKED:
            return Fault("unasked", f"there was no question {number}", ends=False)
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

    def _answer(self, question: Question, rows: int, data: Array, columns: Array) -> Message:
        """Return the answer in a valid frame, with the errors, note and drawings of its JSON."""
        fields = {name: np.empty((rows, *field.shape), field.dtype) for name, field in question.answer.items()}
        answer = Answer(fields, np.empty(rows, np.uint8))
        for k, values in enumerate((*fields.values(), answer.fault)):
            columns["address"][k] = address(values)
        take_frame(data, rows, columns, 0)
        tail = data[answer_size(rows, columns) :].tobytes()
        if len(tail) > MOST_JSON:
            answer.note = f"(not kept, nor were drawings: {len(tail)} bytes, at most {MOST_JSON} are read)"
        elif tail:
            try:
                content = orjson.loads(tail)
                errors = islice(content.get("errors", []), MOST_ERRORS)
                answer.errors = [(int(row), str(text)) for row, text in errors if 0 <= row < rows]
                answer.note = kept_note(content.get("note"))
                answer.drawn = content.get("draw") or None
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                return Fault("garbage", f"the frame's JSON can't be read: {error}")
        self.open["kind"] = 0
        return answer

    def bye(self) -> bytes:
        return HEADER.pack(0, 0, BYE, 0, 0)


def _sent(name: str, field: Field) -> tuple[str, str, list[int]]:
    """Return name, dtype (in NumPy's own spelling: "<i8" for "int") and shape of a field for the hello."""
    return name, np.dtype(field.dtype).str, list(field.shape)


def _last_words(message: bytes) -> Message:
    """Return the adapter's reason for the bot's end."""
    try:
        value = orjson.loads(message[HEADER.size :])
        kind, text = value["kind"], str(value["text"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return Fault("garbage", f"the last frame can't be read: {error}")
    return Ended(kind if kind in ("crash", "memory") else "crash", text)
