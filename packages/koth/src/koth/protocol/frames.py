"""Frames: little-endian arrays behind a small header, for the bot adapters that ship with koth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import orjson

from koth.adapter.bot_adapter import BYE, HEADER, HELLO, MOST_ERRORS, MOST_ROWS
from koth.game import FAULT, Field, Observations, Question
from koth.protocol.bot_protocol import (
    NOTHING_USED,
    Answer,
    BotProtocol,
    Ended,
    Fault,
    Message,
    Ready,
    Stale,
    Used,
    limit_note,
)
from koth.protocol.declared import describe_wrong, reset_faulty_rows
from koth.protocol.encoded_rows import EncodedRows
from koth.question import FAULT_KINDS, cut_list, dtype_bounds

MOST_TENTHS, MOST_LATE = (1 << 17) - 1, (1 << 7) - 1
MOST_JSON = 1 << 20
"""The largest size in bytes of an answer's JSON: decoding more would delay all other bots."""
TRUTH = bytes([0] + [1] * 255)
"""The translation table from bytes to 0 or 1."""
UNIT_CODES = bytes([FAULT["none"], *(FAULT[kind] for kind, fault in FAULT_KINDS.items() if fault.of == "unit")])
"""The codes that an answer may have in its rows: koth alone notes the faults of whole answers and matches."""


def pack_used(used: Used) -> tuple[int, int]:
    """Return the used time as in the header: the field for it, and the upper byte of the rows."""
    tenths, late = min(max(math.ceil(used.bank * 10), 0), MOST_TENTHS), min(used.strikes, MOST_LATE)
    return (late & 15) << 12 | (tenths & 4095), (late >> 4) << 5 | tenths >> 12


def frame_size(data: bytes | bytearray, begin: int = 0) -> int:
    """Return the size in bytes of the frame at `begin`, header included; 0 if the header is incomplete."""
    return HEADER.size + int.from_bytes(data[begin : begin + 4], "little") if len(data) >= begin + HEADER.size else 0


class _Kind:
    """A question with its kind, and for each answer field name, dtype, bytes of a row and forbidden bytes."""

    def __init__(self, kind: int, question: Question) -> None:
        self.kind = kind
        self.question = question
        fields = question.answer.items()
        self.answer = [(name, np.dtype(field.dtype), field.size, _forbidden_bytes(field)) for name, field in fields]
        self.row_size = 1 + sum(field.size for field in question.answer.values())
        """Bytes of an answer's row, including the fault code."""


def _forbidden_bytes(field: Field) -> bytes | None:
    """Return the bytes that no value of a field has, which are quick to find; None for values of several bytes."""
    if field.kind != "f" and field.bounds == dtype_bounds(field.dtype):
        return b""
    every = np.arange(256, dtype=np.uint8)
    return every[~field.allows(every.view(field.dtype))].tobytes() if field.numpy_dtype.itemsize == 1 else None


class FramesProtocol(BotProtocol):
    """Little-endian arrays behind a small header, for the bot adapters that ship with koth.

    The hello's payload is JSON: the match info and, per question, names, dtypes and shapes of its fields; of observed
    fields the field that counts them if they are ragged, and whether they are sparse; of answered fields the default,
    and of lists the field that counts them. A question's payload is the unit (int32 per row) and the observation's
    fields in their order, sparse ones as the three arrays of `koth.protocol.sparse`. An answer's payload is the
    answer's fields, a fault code (uint8) per row, and JSON: `{"errors": [[row, text]], "note": ..., "draw": [...]}`
    or nothing. Lists in answers are arrays of the declared shape; what stands there from the count on is not read.
    An adapter whose bot can't go on sends a last frame of the kind BYE: `{"kind", "text"}`.
    """

    framing = "frames"
    says_why_it_ends = True

    def __init__(self, questions: Mapping[str, Question]) -> None:
        self._kinds = {name: _Kind(kind, question) for kind, (name, question) in enumerate(questions.items(), 1)}
        self._open: _Kind | None = None
        """The kind of the open question; None once it is answered."""
        self._number = self._rows = 0

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        specs = [
            {
                "name": question.name,
                "view": [[*_describe_field(name, f), f.ragged, f.sparse] for name, f in question.observation.items()],
                "answer": [
                    [*_describe_field(name, f), f.default, *([f.ragged] if f.ragged else [])]
                    for name, f in question.answer.items()
                ],
            }
            for question in [kind.question for kind in self._kinds.values()]
        ]
        payload = orjson.dumps({"facts": match_info, "questions": specs})
        return HEADER.pack(len(payload), 0, HELLO, 0, 0) + payload

    def ask(self, observations: Observations) -> bytes:
        """Encode one question. Raises TypeError when its arrays do not match their fields."""
        return self.ask_rows(EncodedRows(observations), (0, len(observations.unit)))

    def ask_rows(self, rows: EncodedRows, row_range: tuple[int, int]) -> bytes:
        """Encode one question with these rows, from the first up to the last."""
        first, last = row_range
        self._open = kind = self._kinds[rows.observations.question.name]
        self._number += 1
        self._rows = last - first
        parts = rows.cut(first, last)
        used, more = pack_used(self.used) if self.used is not NOTHING_USED else (0, 0)
        header = HEADER.pack(sum(map(len, parts)), self._number, kind.kind, used, more << 24 | self._rows)
        return b"".join([header, *parts])

    def decode(self, message: bytes) -> Message:
        _size, number, kind, _used, rows = HEADER.unpack_from(message)
        rows &= MOST_ROWS
        if kind == HELLO:
            return Ready()
        if kind == BYE:
            return _decode_end(message)
        if number > self._number:
            return Fault("unasked", f"there was no question {number}", ends=False)
        question = self._open
        if number < self._number or question is None:
            return Stale()
        if kind != question.kind or rows != self._rows:
            return Fault("garbage", f"a frame of kind {kind} with {rows} rows does not answer this question")
        if len(message) < HEADER.size + rows * question.row_size:
            return Fault("garbage", "the frame is too short")
        answer = _decode_answer(question, rows, message)
        if isinstance(answer, Answer):
            self._open = None
        return answer

    def bye(self, scores: Sequence[float]) -> bytes:
        return HEADER.pack(0, 0, BYE, 0, 0)


def _describe_field(name: str, field: Field) -> tuple[str, str, list[int]]:
    """Return name, dtype (in NumPy's own spelling: "<i8" for "int") and shape of a field for the hello."""
    return name, np.dtype(field.dtype).str, list(field.shape)


def _decode_answer(kind: _Kind, rows: int, data: bytes) -> Answer | Fault:
    at, specs = HEADER.size, kind.question.answer
    fields, wrong = {}, []
    for name, dtype, size, forbidden in kind.answer:
        values = data[at : at + rows * size]
        at += rows * size
        if dtype.kind == "b":
            values = values.translate(TRUTH)
        fields[name] = array = np.frombuffer(values, dtype)
        if specs[name].shape:
            fields[name] = array = array.reshape(rows, *specs[name].shape)
            if (counts := specs[name].ragged) is not None:
                fields[name] = array = cut_list(specs[name], array, fields[counts])
                values = array.tobytes()
        if (
            values.translate(None, forbidden) != values
            if forbidden is not None
            else not specs[name].allows(array).all()
        ):
            if not np.isfinite(array).all():
                return Fault("garbage", f"{name} has a value that is not finite")
            wrong.append(name)
    codes = data[at : at + rows]
    if codes.translate(None, UNIT_CODES):
        return Fault("garbage", "the frame has a fault code other than those of error, missing and illegal")
    answer = Answer(fields, np.frombuffer(codes, np.uint8))
    fault = _read_json(answer, data[at + rows :], rows)
    if fault is None and (wrong or codes.strip(b"\0")):
        answer.fields = {name: array.copy() for name, array in fields.items()}
        answer.fault = answer.fault.copy()
        for name in wrong:
            _blame_rows(answer, name, specs[name])
        reset_faulty_rows(answer, kind.question)
    return fault or answer


def _blame_rows(answer: Answer, name: str, spec: Field) -> None:
    """Record a fault of each row without one in which a field has a value outside of its bounds."""
    values = answer.fields[name]
    for row in np.flatnonzero(~spec.allows(values).reshape(len(values), -1).all(axis=1)).tolist():
        if not answer.fault[row]:
            where, value, of = name, values[row], spec
            if spec.ragged is not None:
                item = np.flatnonzero(~spec.allows(value).reshape(len(value), -1).all(axis=1))[0]
                where, value, of = f"{name}[{item}]", value[item], spec.item
            answer.blame(row, "illegal", describe_wrong(where, of, value.tolist()))


def _read_json(answer: Answer, tail: bytes, rows: int) -> Fault | None:
    """Read the JSON behind an answer, if any, into `answer`; return the fault if the JSON can't be read."""
    if not tail:
        return None
    if len(tail) > MOST_JSON:
        answer.note = f"(not kept, nor were drawings: {len(tail)} bytes, at most {MOST_JSON} are read)"
        return None
    try:
        content = orjson.loads(tail)
        errors = islice(content.get("errors", []), MOST_ERRORS)
        answer.errors = [(int(row), str(text)) for row, text in errors if 0 <= row < rows]
        answer.note = limit_note(content.get("note"))
        answer.drawn = content.get("draw") or None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        return Fault("garbage", f"the frame's JSON can't be read: {error}")
    return None


def _decode_end(message: bytes) -> Message:
    try:
        value = orjson.loads(message[HEADER.size :])
        kind, text = value["kind"], str(value["text"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return Fault("garbage", f"the last frame can't be read: {error}")
    return Ended(kind if kind in ("crash", "memory") else "crash", text)
