"""Reader of replays, whole or cut (`koth.replay.writer` writes them).

docs/how-it-works.md describes the format. Nothing in a replay is measured, so the same key and the same answers give
the same text. The compressed bytes depend on the build of zlib.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson

from koth.engine.secret import Key
from koth.errors import KothError
from koth.files.beneath import open_beneath
from koth.files.bounded_read import LARGEST_FILE as LARGEST_FILE
from koth.files.bounded_read import CpuBudget, open_plain
from koth.game import Array
from koth.replay.arrays import EMPTY, MOST_ENTRIES, apply_change
from koth.replay.gzip_members import (
    LARGEST_MEMBER,
    LONGEST_LINE,
    inflate_member,
    members,
    read_beginning,
    read_first_line,
)
from koth.replay.names import REPLAYS, RUN_FILE

FORMAT = 4
KEY_EVERY = 128
"""Turns between two whole frames, each the beginning of a member."""
KEY_LINE = re.compile(rb'\{"turn":(\d{1,18})[,}]')
"""The beginning of a line with a whole frame."""
KEY_LINE_BEGINS = 32
"""The number of bytes at the beginning of a key line that include the turn."""
SECONDS = 600.0
"""CPU seconds that reading a replay, or playing it again, may take."""
DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, MemoryError)
"""Errors that invalid content raises when it is read."""


class ReplayError(KothError):
    """Raised when a file is not a replay, or can't be used; the text is for its user."""


def digest_of(data: bytes) -> str:
    """Return the digest of a replay's text, given the replay's bytes without the key; the results of a run record it.

    Members that can't be inflated, and bytes after the last whole member, count as raw bytes.
    """
    total, end = hashlib.blake2b(digest_size=16), 0
    for start, size in members(io.BytesIO(data)):
        end = start + size
        text = inflate_member(data[start:end])
        total.update(data[start:end] if text is None else text)
    total.update(data[end:])
    return total.hexdigest()


@dataclass
class Step:
    """The frame before the question that follows the first `after` questions of its turn."""

    after: int
    frame: dict[str, Any]


@dataclass
class TurnRecord:
    """One line of a replay: the frame after `turn` turns, and the questions and steps since the last line.

    A key line has no questions or steps. In `questions`, `who` has the seats and units that were asked (int64[rows,
    2]). `steps` are in the order of the match. `events` have the form of `koth.events.Event.as_json`.
    """

    turn: int
    frame: dict[str, Any]
    questions: list[dict[str, Any]]
    hash: str | None
    steps: list[Step] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)


HEADER_TYPES = {"game": str, "version": int, "ruleset": str, "settings": dict, "match": int, "bots": list}
"""The keys of every header, with their types."""


def run_folder_of(replay: Path) -> Path | None:
    """Return the folder of the run to which a replay belongs; None if it belongs to none."""
    replays = replay.absolute().parent
    lies_in_run = replays.name == REPLAYS and os.path.lexists(replays.parent / RUN_FILE)
    return replays.parent if lies_in_run else None


def open_replay(path: Path, top: Path | None = None) -> io.BufferedReader:
    """Open a replay for reading. Below `top`, and in the folder of a run, links are not followed. Raises OSError."""
    top = top or run_folder_of(path)
    if top is None:
        return open_plain(path)
    return open_beneath(top, path.absolute().relative_to(top.absolute()).as_posix())


class Replay:
    """A replay file, whole or cut: `header`, `result` and `key` (None if missing), and its frames.

    `top` is a folder that may be a stranger's and contains the replay (see `open_replay`). Reading the replay, and
    playing it again, may take `seconds` of CPU time each: a stranger may have made it. Raises ReplayError if the file
    can't be read or is not a replay.
    """

    def __init__(self, path: str | os.PathLike[str], seconds: float = SECONDS, top: Path | None = None) -> None:
        self.path = Path(path)
        self.seconds = seconds
        try:
            with open_replay(self.path, top) as file:
                self._data = file.read(LARGEST_FILE)
        except OSError as error:
            raise ReplayError(f"{path}: {error.strerror}") from None
        self.header: dict[str, Any] = check_header(next(self._lines(self.budget()), None), self.path)

    def budget(self) -> CpuBudget:
        """Return a new time limit for reading the replay, or playing it again."""
        return CpuBudget(self.path, self.seconds)

    @contextlib.contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Convert errors from invalid content to a ReplayError that says that `what` can't be read."""
        try:
            yield
        except DAMAGE as error:
            raise ReplayError(f"{self.path}: {what} can't be read ({error!r:.80})") from error

    @property
    def frames(self) -> bool:
        """True if the replay contains frames; otherwise koth can make them again from the answers."""
        return self.header.get("frames") is not False

    def members(self) -> Iterator[bytes]:
        """Yield every whole member, compressed."""
        for start, size in self._places:
            yield self._data[start : start + size]

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        return list(members(io.BytesIO(self._data)))

    @cached_property
    def rest(self) -> bytes:
        """The bytes after the last whole member."""
        return self._data[sum(self._places[-1]) if self._places else 0 :]

    def _lines(self, budget: CpuBudget, at: int = 0) -> Iterator[Any]:
        """Yield every whole line from the member at byte `at` on, as JSON, up to where the file is cut."""
        for start, size in self._places:
            if start >= at:
                budget.check()
                inflate = zlib.decompressobj(31)
                yield from _parse_lines(_inflate(inflate, self._data[start : start + size]))
                if not inflate.eof:
                    return
        yield from _parse_lines(_inflate(zlib.decompressobj(31), self.rest))

    def _find_member(self, turn: int, budget: CpuBudget) -> int:
        """Return the start of the last member whose key line is not after `turn` (0: the beginning of the file)."""
        found = 0
        file = io.BytesIO(self._data)
        for at, size in self._places[1:] if turn else ():
            budget.check()
            key = KEY_LINE.match(read_beginning(file, at, size, KEY_LINE_BEGINS))
            if key is None or int(key[1]) > turn:
                break
            found = at
        return found

    @cached_property
    def _end(self) -> tuple[dict[str, Any] | None, Key | None]:
        return read_end(io.BytesIO(self._data))

    @property
    def result(self) -> dict[str, Any] | None:
        """The result of the match, if it was finished."""
        return self._end[0]

    @property
    def key(self) -> Key | None:
        """The key of the match's dice; None until all matches with these dice are over."""
        return self._end[1]

    @property
    def digest(self) -> str:
        """The digest of the replay's text without its key, which the results of a run record."""
        whole = list(self.members())
        if self.key is not None:
            whole.pop()
        return digest_of(b"".join(whole) + (b"" if self.key is not None else self.rest))

    def turns(self, start: int = 0, *, frames: bool = True) -> Iterator[TurnRecord]:
        """Yield every frame from turn `start` on; turn 0 twice with an opening: before and after the opening.

        Frames are empty if the replay holds none, or with `frames=False`. Raises ReplayError if the file is invalid,
        and KothError when reading it takes too long.
        """
        budget = self.budget()
        for turn in self._turns(start, _Reader(frames), budget):
            with budget.pause():
                yield turn

    def events(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield every event with its turn, without decoding anything else. Raises as `turns` does."""
        budget = self.budget()
        for number, line in enumerate(self._lines(budget), 1):
            budget.check()
            try:
                found = [(int(line["turn"]), event) for event in check_events(line)]
            except DAMAGE as error:
                raise ReplayError(f"{self.path}: line {number} is damaged ({error})") from None
            yield from found

    def _turns(self, start: int, reader: _Reader, budget: CpuBudget) -> Iterator[TurnRecord]:
        last = -1
        for number, line in enumerate(self._lines(budget, self._find_member(start, budget)), 1):
            budget.check()
            try:
                if "turn" not in line:
                    continue
                turn = reader.read(line)
            except DAMAGE as error:
                raise ReplayError(f"{self.path}: line {number} is damaged ({error})") from None
            if turn.turn < start or (turn.turn == last and "asks" not in line):
                continue  # a key line repeats the frame of the line before
            last = turn.turn
            yield turn


class _Reader:
    """A decoder of the lines of members, one after another."""

    def __init__(self, frames: bool) -> None:
        self.frames = frames
        self.values: dict[str, Any] = {}
        self.arrays: dict[str, Array] = {}
        self._asked: dict[str, Array] = {}  # the rows that were asked last, by question
        self._changes = 0  # entries of the arrays that the line has changed so far, in steps, too

    def read(self, line: Mapping[str, Any]) -> TurnRecord:
        """Decode the turn of a line. Raises one of `DAMAGE` when it is invalid."""
        turn = int(line["turn"])
        self._changes = 0
        if "asks" not in line:
            self._asked = {}
            if self.frames:
                self.values = dict(line.get("values", {}))
                self.arrays = {k: np.array(v, np.int64).reshape(-1) for k, v in line.get("arrays", {}).items()}
            return TurnRecord(turn, self._frame(), [], None)
        if not isinstance(line["asks"], list) or not isinstance(line.get("steps", []), list):
            raise ValueError("its questions or its steps are not a list")
        questions = [{**record, "who": self._rows(record)} for record in line["asks"]]
        events = check_events(line)
        if not self.frames:
            return TurnRecord(turn, {}, questions, line.get("hash"), events=events)
        steps = [Step(int(step["after"]), self._apply_change(step)) for step in line.get("steps", [])]
        return TurnRecord(turn, self._apply_change(line), questions, line.get("hash"), steps, events)

    def _rows(self, record: Mapping[str, Any]) -> Array:
        if "who" in record:
            self._asked[record["q"]] = np.asarray(record["who"], dtype=np.int64).reshape(-1, 2)
        return self._asked[record["q"]]

    def _apply_change(self, change: Mapping[str, Any]) -> dict[str, Any]:
        for name in change.get("dropped", []):
            self.values.pop(name, None)
            self.arrays.pop(name, None)
        self.values.update(change.get("values", {}))
        for name, packed in change.get("arrays", {}).items():
            self.arrays[name] = apply_change(self.arrays.get(name, EMPTY), packed)
            self._changes += len(self.arrays[name])
            if max(self._changes, sum(map(len, self.arrays.values()))) > MOST_ENTRIES:
                raise ValueError("too many array entries")
        return self._frame()

    def _frame(self) -> dict[str, Any]:
        return {**self.values, **self.arrays}


def check_events(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a turn's line. Raises one of `DAMAGE` if an event is invalid."""
    events: list[dict[str, Any]] = line.get("events", [])
    for event in events:
        by, at = event.get("by", {}), event.get("at", [0, 0])
        texts = event["kind"], event["text"], event.get("name", ""), by.get("name", "")
        numbers = *at, event.get("team", 0), by.get("team", 0)
        if not all(type(text) is str for text in texts) or not all(type(number) is int for number in numbers):
            raise ValueError("an event is invalid")
        if len(at) != 2:
            raise ValueError("an event has no square")
    return events


def check_header(header: Any, path: Path) -> dict[str, Any]:
    """Return the header of a replay if it is valid. Raises ReplayError."""
    if not isinstance(header, dict) or header.get("koth") != FORMAT:
        found = header.get("koth") if isinstance(header, dict) else None
        if not found or not isinstance(found, int | str):
            raise ReplayError(f"{path}: not a replay of koth")
        raise ReplayError(f"{path}: a replay of format {found!r:.20}; this koth reads format {FORMAT} only")
    for name, kind in HEADER_TYPES.items():
        if not isinstance(header.get(name), kind):
            raise ReplayError(f"{path}: its header has no valid {name!r}")
    if not isinstance(header.get("turns"), int | None):
        raise ReplayError(f"{path}: its header has no valid 'turns'")
    package = header.get("package", {"name": "", "version": ""})
    if not isinstance(package, dict) or not all(isinstance(package.get(key), str) for key in ("name", "version")):
        raise ReplayError(f"{path}: its header has no valid 'package'")
    if not all(isinstance(bot, dict) and isinstance(bot.get("name"), str) for bot in header["bots"]):
        raise ReplayError(f"{path}: its header has bots without a name")
    return header


def read_header(file: BinaryIO, places: Sequence[tuple[int, int]]) -> Any:
    """Return as JSON the first line of a replay with members at these positions; None if it can't be read."""
    try:
        return orjson.loads((read_first_line(file, *places[0]) if places else None) or b"null")
    except ValueError:
        return None


def read_end(file: BinaryIO) -> tuple[dict[str, Any] | None, Key | None]:
    """Return the result and the key from the last members of a replay; None for a missing one."""
    result: dict[str, Any] | None = None
    key: Key | None = None
    for start, size in list(members(file))[1:][-2:]:
        try:
            line = orjson.loads(read_first_line(file, start, size) or b"")
        except ValueError:
            continue
        if isinstance(line, dict) and _is_result(line.get("result")):
            result = line["result"]
        elif isinstance(line, dict) and result is not None and isinstance(line.get("key"), str):
            with contextlib.suppress(ValueError):
                key = Key.from_hex(line["key"])
    return result, key


def _is_result(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("scores"), dict):
        return False
    numbers = (value.get("turns"), *value["scores"].values())
    return all(isinstance(number, int | float) for number in numbers) and isinstance(value["turns"], int)


def _parse_lines(text: bytes) -> Iterator[Any]:
    """Yield every whole line as JSON, up to the first invalid one."""
    start = 0
    while (end := text.find(b"\n", start)) >= 0:
        if end - start > LONGEST_LINE:
            return
        try:
            yield orjson.loads(text[start:end])
        except ValueError:
            return
        start = end + 1


def _inflate(inflate: Any, data: bytes) -> bytes:
    """Return the text of a member; if it is damaged, its readable beginning."""
    try:
        text: bytes = inflate.decompress(data, LARGEST_MEMBER)
        return text
    except zlib.error:
        return _salvage(data)


def _salvage(data: bytes) -> bytes:
    inflate = zlib.decompressobj(31)
    parts: list[bytes] = []
    with contextlib.suppress(zlib.error):  # here the damage begins
        for start in range(0, min(len(data), LARGEST_MEMBER >> 10), 4096):
            parts.append(inflate.decompress(data[start : start + 4096]))
    return b"".join(parts)
