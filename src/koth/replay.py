"""Replays: the record of a match, written while it runs, read back whole or cut, and verified.

The format is described in ARCHITECTURE.md. Nothing in a replay is measured, so the same seed and the same
answers give the same bytes.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson

from koth.errors import KothError
from koth.game import Answers, Array, Asks, Batch, Game, default_answers, state_hash
from koth.packing import Roster, Series, pack, split, unpack

FORMAT = 2
SUFFIX = ".koth.gz"
KEY_EVERY = 128
"""Turns between two whole frames, each the beginning of a member."""
LEVEL = 8
"""Of compression: 9 takes half as much time again for files that are half a percent smaller."""
FLUSH_EVERY = 8
"""Turns after which what is written can be read from the file."""
LARGEST = 1 << 29
"""Bytes of text that a member can have: no replay of koth's comes near, a file made to do harm may."""
DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
"""What reading nonsense raises."""


class ReplayError(KothError):
    """A file that is no replay, or can't be used, in words for whoever named it."""


def to_json(value: Any) -> bytes:
    """One line of compact JSON, its end included; keys keep their order."""
    return orjson.dumps(value, _plain, orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} can't stand in a replay")


# --- gzip members that know their size

_HEAD = struct.Struct("<4B I 2B H 2B H I")


def _member_head(size: int) -> bytes:
    """A gzip header with the extra field `KH`: the member's size, 0 while it is being written."""
    return _HEAD.pack(0x1F, 0x8B, 8, 4, 0, 0, 255, 8, ord("K"), ord("H"), 4, size)


class _Member:
    """One gzip member at the end of a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start = file.seek(0, os.SEEK_END)
        self._deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -15, 8, zlib.Z_FILTERED)
        self._crc = 0
        self._size = 0
        file.write(_member_head(0))

    def write(self, data: bytes) -> None:
        self._crc = zlib.crc32(data, self._crc)
        self._size += len(data)
        self._file.write(self._deflate.compress(data))

    def flush(self) -> None:
        """Make everything written so far readable from the file."""
        self._file.write(self._deflate.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        self._file.write(self._deflate.flush())
        self._file.write(struct.pack("<II", self._crc, self._size & 0xFFFFFFFF))
        size = self._file.tell() - self._start
        self._file.seek(self._start)
        self._file.write(_member_head(size))
        self._file.seek(0, os.SEEK_END)
        self._file.flush()


class Recorder:
    """Writes one match to `path` while it runs.

    The file carries its name from the start with `.part` behind it, and its own name once it is whole.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        self._part = path.with_name(path.name + ".part")
        self._file: BinaryIO = open(self._part, "w+b")  # noqa: SIM115  (closed by `close`)
        member = _Member(self._file)
        member.write(to_json({"koth": FORMAT, **header}))
        member.close()
        self._member: _Member | None = None
        self._values: dict[str, Any] = {}
        self._series: dict[str, Series] = {}
        self._roster = Roster()
        self._asks: list[dict[str, Any]] = []

    def asked(self, asks: Asks, answers: Answers) -> None:
        """Note a question of the turn that is being played, and its answers."""
        record: dict[str, Any] = {"q": asks.question.name}
        record.update(self._roster.tell(asks.question.name, asks.seat, asks.body))
        fields = {name: pack(answers[name], spec) for name, spec in asks.question.answer.items()}
        record["a"] = {name: packed for name, packed in fields.items() if packed is not None}
        faults = np.flatnonzero(answers.fault)
        if faults.size:
            record["f"] = np.column_stack([faults, answers.fault[faults]]).ravel().tolist()
        if answers.gone.any():
            record["gone"] = np.flatnonzero(answers.gone[0]).tolist()
        if answers.notes:
            record["notes"] = {str(seat): note for (_, seat), note in sorted(answers.notes.items())}
        self._asks.append(record)

    def frame(self, turn: int, frame: Mapping[str, Any], hash_: str) -> None:
        """The frame after `turn` turns, with the questions since the frame before."""
        values, arrays = split(frame)
        if self._member is not None:
            line: dict[str, Any] = {"turn": turn, "asks": self._asks}
            changed = {k: v for k, v in values.items() if k not in self._values or self._values[k] != v}
            if changed:
                line["values"] = changed
            changes = {name: self._series[name].change(array) for name, array in arrays.items()}
            line["arrays"] = {name: change for name, change in changes.items() if change is not None}
            line["hash"] = hash_
            self._member.write(to_json(line))
            if turn % FLUSH_EVERY == 0:
                self._member.flush()
        self._values = values
        self._asks = []
        if self._member is None or (turn and turn % KEY_EVERY == 0):
            self._key(turn, values, arrays)

    def _key(self, turn: int, values: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        if self._member is not None:
            self._member.close()
        self._member = _Member(self._file)
        self._series = {k: Series(v) for k, v in arrays.items()}
        self._roster = Roster()
        self._member.write(to_json({"turn": turn, "values": values, "arrays": arrays}))
        self._member.flush()

    def result(self, result: Mapping[str, Any]) -> None:
        """The match is over: write the result and give the file its name."""
        if self._member is not None:
            self._member.close()
        member = _Member(self._file)
        member.write(to_json({"result": result}))
        member.close()
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.replace(self.path)

    def abandon(self) -> None:
        """Remove what there is of a match that was not finished; leaves a finished one alone."""
        with contextlib.suppress(OSError):  # closing tries once more to write what a full disk did not take
            self._file.close()
        self._part.unlink(missing_ok=True)


# --- reading


@dataclass
class Turn:
    """One line of a replay: the frame after `turn` turns, and how it came about (nothing for a key line).

    In `asks`, `who` has the seats and bodies that were asked (int64[rows, 2]).
    """

    turn: int
    frame: dict[str, Any]
    asks: list[dict[str, Any]]
    hash: str | None


HEADER = {"game": str, "version": int, "ruleset": str, "settings": dict, "seed": int, "bots": list}
"""What every header has."""


class Replay:
    """A replay file, whole or cut: `header`, `result` (None if it never came), and its frames.

    Raises ReplayError when the file can't be read or is no replay.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self._data = self.path.read_bytes()
        except OSError as error:
            raise ReplayError(f"{path}: {error.strerror}") from None
        first = next(self._lines(), None)
        if not isinstance(first, dict) or first.get("koth") != FORMAT:
            found = first.get("koth") if isinstance(first, dict) else None
            wrong = f"a replay of format {found}, this koth reads {FORMAT}" if found else "no replay of koth's"
            raise ReplayError(f"{path}: {wrong}")
        self.header: dict[str, Any] = first
        for key, kind in HEADER.items():
            if not isinstance(first.get(key), kind):
                raise ReplayError(f"{path}: its header has no {key!r} that can be read")
        if not 0 <= first["seed"] < 1 << 63:
            raise ReplayError(f"{path}: its header has no seed of a match")
        if not all(isinstance(bot, dict) and isinstance(bot.get("name"), str) for bot in first["bots"]):
            raise ReplayError(f"{path}: its header has bots without a name")

    def _lines(self, at: int = 0) -> Iterator[Any]:
        """Every whole line from the member at byte `at` on, as JSON; ends where the file is cut."""
        while at < len(self._data):
            inflate = zlib.decompressobj(31)
            text = b""
            try:
                text = inflate.decompress(self._data[at:], LARGEST)
            except zlib.error:
                text = _salvage(self._data[at:])
            for line in text.split(b"\n")[:-1]:
                try:
                    yield orjson.loads(line)
                except ValueError:
                    return
            if not inflate.eof:
                return
            at = len(self._data) - len(inflate.unused_data)

    def _before(self, turn: int) -> int:
        """Where the last member begins whose key line is not after `turn` (0: only the start will do)."""
        found = at = 0
        while at + _HEAD.size <= len(self._data):
            key: Any = next(self._lines(at), None) if at else {}
            if not isinstance(key, dict) or "result" in key:
                break
            begins = key.get("turn", 0)
            if not isinstance(begins, int) or begins > turn:
                break
            found = at
            at += _HEAD.unpack_from(self._data, at)[-1]
            if at == found:
                break
        return found

    @property
    def result(self) -> dict[str, Any] | None:
        """The last line, if the match was finished."""
        last = None
        for line in self._lines():
            last = line
        result = last.get("result") if isinstance(last, dict) else None
        return result if isinstance(result, dict) else None

    def turns(self, start: int = 0) -> Iterator[Turn]:
        """Every frame from turn `start` on; turn 0 twice if there was an opening: before and after it.

        Raises ReplayError where the file makes no sense.
        """
        values: dict[str, Any] = {}
        series: dict[str, Series] = {}
        roster = Roster()
        last = -1
        for number, line in enumerate(self._lines(self._before(start)), 1):
            try:
                if not {"turn", "arrays"} <= line.keys():
                    continue
                turn = int(line["turn"])
                if "asks" in line:
                    values = {**values, **line.get("values", {})}
                    for name, change in line["arrays"].items():
                        series[name].apply(change)
                else:
                    values = dict(line["values"])
                    arrays = {k: np.array(v, dtype=np.int64) for k, v in line["arrays"].items()}
                    series = {k: Series(v) for k, v in arrays.items()}
                    roster = Roster()
                asks = line.get("asks", [])
                if not isinstance(asks, list):
                    raise ValueError("its questions are no list")
                asks = [{**record, "who": roster.hear(record)} for record in asks]
                if turn < start or (turn == last and "asks" not in line):
                    continue  # a key line says again what the line before it said
                last = turn
                frame = {**values, **{name: s.values for name, s in series.items()}}
                yield Turn(turn, frame, asks, line.get("hash"))
            except DAMAGE as error:
                raise ReplayError(f"{self.path}: line {number} is damaged ({error})") from None


def _salvage(data: bytes) -> bytes:
    """What can be inflated of a damaged member."""
    inflate = zlib.decompressobj(31)
    parts: list[bytes] = []
    with contextlib.suppress(zlib.error):  # this is as far as it goes
        for start in range(0, min(len(data), LARGEST >> 10), 4096):
            parts.append(inflate.decompress(data[start : start + 4096]))
    return b"".join(parts)


# --- verifying


def verify(game: Game, replay: Replay, settings: Any) -> str | None:
    """Play the match again from seed, answers and faults; None if every hash agrees, else what differs.

    Raises ReplayError when the replay is of other rules, or not finished.
    """
    header = replay.header
    names = [bot["name"] for bot in header["bots"]]
    if header["version"] != game.version:
        raise ReplayError(
            f"{replay.path}: a match by version {header['version']} of {game.name}, this koth has {game.version}"
        )
    result = replay.result
    if result is None:
        raise ReplayError(f"{replay.path}: the replay is cut: it has no result")
    if len(names) not in game.seats:
        raise ReplayError(f"{replay.path}: {game.name} can't be played by {len(names)} bots")
    batch = Batch(game, settings, len(names), [header["seed"]])
    hashes: dict[int, str] = {}

    def turn_over() -> None:
        hashes[batch.turn] = state_hash(game, batch.state, 0)

    batch.on_turn = turn_over
    for turn in replay.turns():
        for record in turn.asks:
            answers = recorded(batch, record)
            if isinstance(answers, str):
                return f"turn {turn.turn}: {answers}"
            batch.answer(answers)
        if turn.hash is None:
            continue
        got = hashes.pop(turn.turn, None)
        if got != turn.hash:
            return f"turn {turn.turn}: the state's hash is {got or 'not there yet'}, not {turn.hash}"
    if batch.asks is not None:
        return f"the replay ends after turn {batch.turn}, the match does not"
    scores = dict(zip(names, game.scores(settings, batch.state)[0].tolist(), strict=True))
    scores.update(game.extra_scores(settings, batch.state, 0))
    told = result.get("scores")
    return None if told == scores else f"the result says {told}, the match gives {scores}"


def recorded(batch: Batch, record: Any) -> Answers | str:
    """The recorded answers to the open question, or what is wrong with them."""
    asks = batch.asks
    try:
        name = record["q"]
        if asks is None or asks.question.name != name:
            return f"the replay asks {name!r}, the rules do not"
        if not np.array_equal(record["who"], np.column_stack([asks.seat, asks.body])):
            return "the replay asks other bodies than the rules"
        fields = default_answers(asks.question, len(asks))
        for field, packed in record["a"].items():
            fields[field] = unpack(packed, asks.question.answer[field], len(asks))
        answers = Answers(fields, np.zeros(len(asks), np.uint8), batch.nobody_gone())
        pairs: Sequence[int] = record.get("f", [])
        answers.fault[list(pairs[::2])] = pairs[1::2]
        answers.gone[0, record.get("gone", [])] = True
        return answers
    except DAMAGE as error:
        return f"the recorded answers can't be read ({error})"
