"""The process of a Python class bot: started with the bot, imports nothing of the engine.

    python -s -S runner.py GAME_MODULE GAME_FOLDER BOT_FILE

GAME_MODULE is the game's package (`koth.games.GAME`) and GAME_FOLDER where it lies; of all the packages above it
only this folder can be imported from here, for the game's `bot`.
It needs nothing but the standard library, so any Python from 3.9 on can run it.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file: its modules are not the bot's business

import contextlib
import importlib.machinery
import importlib.util
import json
import random
import signal
import struct
import traceback
from collections.abc import Callable, Sequence
from itertools import accumulate
from types import ModuleType
from typing import Any, BinaryIO

HEADER = struct.Struct("<IIHHI")
HELLO, BYE = 0, 0xFFFF
SIZES = {"b": 1, "B": 1, "?": 1, "h": 2, "H": 2, "i": 4, "I": 4, "f": 4, "q": 8, "Q": 8, "d": 8}
CODES = {"u1": "B", "i1": "b", "b1": "?", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q",
         "f4": "f", "f8": "d"}  # fmt: skip
ERROR = 6
"""The code of the fault `error`: the bot's code raised an exception."""


class Told:
    """Exceptions of the bot's code, in words for its author: lines of his own files, none of koth's."""

    def __init__(self, folder: str, koths: Sequence[str]) -> None:
        self._folder = os.path.join(folder, "")
        self._koths = (*koths, "<frozen ")

    def whole(self, error: BaseException) -> str:
        """The stack trace, and the one line that says what it was and where."""
        told = traceback.TracebackException.from_exception(error)
        self._trim(told, 0)
        return "".join(told.format())

    def line(self, error: BaseException) -> str:
        """What it was and, as far as that is in the bot's own files, where."""
        if isinstance(error, SystemExit):
            code = "" if error.code is None else repr(error.code)[:200]
            return f"sys.exit({code}) was called{self._place(error)}"
        if isinstance(error, SyntaxError) and error.filename:
            return f"{type(error).__name__}: {error.msg} ({self._own(error.filename)}, line {error.lineno})"
        last = traceback.format_exception_only(type(error), error)[-1].strip()
        return last + self._place(error)

    def _place(self, error: BaseException) -> str:
        """The innermost line of the bot's own."""
        there = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
        own = [(name, line) for name, line in there if name.startswith(self._folder)]
        return f" ({self._own(own[-1][0])}, line {own[-1][1]})" if own else ""

    def _trim(self, told: Any, depth: int) -> None:
        told.stack[:] = [frame for frame in told.stack if self._is_told(frame.filename)]
        for frame in told.stack:
            frame.filename = self._own(frame.filename)
        if getattr(told, "filename", None):
            told.filename = self._own(told.filename)
        for other in (told.__cause__, told.__context__):
            if other is not None and depth < 20:
                self._trim(other, depth + 1)

    def _is_told(self, name: str) -> bool:
        return name.startswith(self._folder) or not name.startswith(self._koths)

    def _own(self, name: str) -> str:
        return name[len(self._folder) :] if name.startswith(self._folder) else name


class SitePackages:
    """The last finder: adds site-packages when the bot first imports what is nowhere else."""

    added = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if path is not None or SitePackages.added:
            return None
        SitePackages.added = True
        import site

        site.main()
        return importlib.machinery.PathFinder.find_spec(name)


def take_protocol() -> tuple[BinaryIO, int]:
    """Keep the descriptors of the protocol; what the bot prints goes to stderr, what it reads is empty."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


def receive(incoming: BinaryIO) -> tuple[int, int, int, int, bytes] | None:
    """The next frame: (number, kind, what is used up, rows, payload), or None at the end."""
    header = incoming.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    size, number, kind, used, rows = HEADER.unpack(header)
    payload = incoming.read(size)
    return (number, kind, used, rows, payload) if len(payload) == size else None


def send(outgoing: int, data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(outgoing, view) :]


def load_adapter(game: str, folder: str) -> ModuleType:
    """Import the `bot` of a game's package without importing the package itself, or what it lies in."""
    for name in accumulate(game.split("."), "{}.{}".format):
        stub = ModuleType(name)
        stub.__path__ = [folder] if name == game else []
        sys.modules[name] = stub
    for name in ("koth", "koth.bots"):
        sys.modules.setdefault(name, ModuleType(name)).__path__ = []
    load_module("koth.bots.kit", os.path.join(os.path.dirname(os.path.abspath(__file__)), "kit.py"))
    return importlib.import_module(f"{game}.bot")


def load_module(name: str, file: str) -> ModuleType:
    """Import this file as the module of this name."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_bot(file: str) -> ModuleType:
    """The bot's module; its folder and `lib/` in it can be imported from."""
    folder = os.path.dirname(os.path.abspath(file))
    sys.path[:0] = [folder, os.path.join(folder, "lib")]
    sys.meta_path.append(SitePackages())
    sys.argv = [file]
    return load_module(os.path.splitext(os.path.basename(file))[0], file)


class Sparse:
    """The values of a field that are not 0: those of row r are `value[start[r]:start[r + 1]]`, at `place`."""

    __slots__ = ("place", "start", "value")

    def __init__(self, start: Sequence[int], place: Sequence[int], value: Sequence[int]) -> None:
        self.start = start
        self.place = place
        self.value = value


def split(spec: dict[str, Any], rows: int, payload: memoryview) -> dict[str, Any]:
    """The fields of a question: name -> flat memoryview of its type (`body` first), or `Sparse`."""
    view: dict[str, Any] = {"body": payload[: 4 * rows].cast("i")}
    at = 4 * rows
    for name, dtype, shape, ragged, sparse in spec["view"]:
        code = CODES[dtype.lstrip("<|=")]
        if sparse:
            start = list(accumulate(payload[at : at + 2 * rows].cast("H"), initial=0))
            middle = at + 2 * rows + 2 * start[-1]
            end = middle + SIZES[code] * start[-1]
            place = payload[at + 2 * rows : middle].cast("H").tolist()
            view[name] = Sparse(start, place, payload[middle:end].cast(code).tolist())  # type: ignore[call-overload]
            at = end
            continue
        count = sum(view[ragged]) if ragged else rows
        for length in shape:
            count *= length
        view[name] = payload[at : at + count * SIZES[code]].cast(code)  # type: ignore[call-overload]
        at += count * SIZES[code]
    return view


def room(spec: dict[str, Any], rows: int) -> tuple[dict[str, Any], list[bytearray]]:
    """Room for the answer, filled with the defaults: name -> flat writable memoryview, and the bytes."""
    out: dict[str, Any] = {}
    parts = []
    for name, dtype, shape, default in spec["answer"]:
        code = CODES[dtype.lstrip("<|=")]
        count = rows
        for length in shape:
            count *= length
        data = bytearray(struct.pack("<" + code, default if code in "fd" else int(default)) * count)
        out[name] = memoryview(data).cast(code)  # type: ignore[call-overload]
        parts.append(data)
    return out, parts


class Call:
    """One question to answer: `view` and `out` are flat arrays by name, `fault` a code per row.

    `bank` is how many seconds of it the bot has used up, `strikes` how many late answers in a row.
    """

    told = Told("", ())
    """How the bot's exceptions are told."""

    def __init__(self, question: str, rows: int, view: dict[str, Any], out: dict[str, Any], used: int = 0) -> None:
        self.question = question
        self.rows = rows
        self.view = view
        self.out = out
        self.bank = (used & 4095) / 10
        self.strikes = used >> 12
        self.fault = bytearray(rows)
        self.errors: list[list[Any]] = []
        self.note: Any = None
        self.who: Callable[[int], str] | None = None
        """Says whose row it is, in the author's words; None where there is one body only."""

    def failed(self, row: int, kind: int = ERROR, text: str | None = None) -> None:
        """Record a fault of one row; without a text, the exception being handled, which is printed too."""
        self.fault[row] = kind
        if text is None:
            error = sys.exc_info()[1]
            assert error is not None
            sys.stderr.write(self.told.whole(error))
            text = self.told.line(error)
        self.errors.append([row, f"{self.who(row)}: {text}" if self.who else text])


def _shown(note: Any) -> str:
    try:
        return repr(note)[:1000]
    except Exception as error:
        return f"(can't be shown: {error!r})"


def pack_tail(errors: list[list[Any]], note: Any, drawn: list[dict[str, Any]]) -> bytes:
    """The JSON behind an answer; a note that is no JSON is kept as Python writes it."""
    told: dict[str, Any] = {"errors": errors, "draw": drawn}
    if note is not None:
        told["note"] = note
    try:
        text = json.dumps(told, default=repr, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps({"errors": errors, "draw": drawn, "note": _shown(note)}, ensure_ascii=False)
    return text.encode("utf-8", "replace")


def serve(incoming: BinaryIO, outgoing: int, host: Any, questions: list[dict[str, Any]]) -> None:
    """Answer questions until the end."""
    debug = sys.modules["koth.bots.kit"].debug
    while True:
        frame = receive(incoming)
        if frame is None or frame[1] == BYE:
            return
        number, kind, used, rows, payload = frame
        spec = questions[kind - 1]
        out, parts = room(spec, rows)
        call = Call(spec["name"], rows, split(spec, rows, memoryview(payload)), out, used)
        host.answer(call)
        drawn = debug.take()
        tail = b""
        if call.errors or call.note is not None or drawn:
            tail = pack_tail([[row, text[:2000]] for row, text in call.errors[:100]], call.note, drawn)
        data = b"".join([*parts, bytes(call.fault), tail])
        send(outgoing, HEADER.pack(len(data), number, kind, 0, rows) + data)


def say_bye(outgoing: int, text: str) -> None:
    """Tell koth why the bot can't go on."""
    said = json.dumps({"kind": "crash", "text": text[:2000]}).encode()
    send(outgoing, HEADER.pack(len(said), 0, BYE, 0, 0) + said)


def last_words(outgoing: int, told: Told, error: BaseException) -> None:
    """Say why the bot can't go on, and print where, unless that is what Python does by itself."""
    with contextlib.suppress(OSError):  # it has closed that, too
        say_bye(outgoing, told.line(error))
    if not isinstance(error, SystemExit):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(told.whole(error))


def tell_where() -> None:
    """Print where the bot is whenever koth asks: by a signal, so that it costs nothing while nobody asks."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError, RuntimeError):
        import faulthandler

        faulthandler.register(signal.SIGUSR2, file=2, all_threads=False)


def main() -> None:
    game, folder, file = sys.argv[1:4]
    incoming, outgoing = take_protocol()
    frame = receive(incoming)
    if frame is None:
        return
    hello = json.loads(frame[4])
    facts = hello["facts"]
    random.seed(facts["seed"])
    adapter = load_adapter(game, folder)
    own = os.path.dirname(os.path.abspath(file))
    Call.told = told = Told(own, (os.path.dirname(os.path.abspath(__file__)), os.path.abspath(folder)))
    tell_where()
    try:
        host = adapter.Host(facts, load_bot(file))
        send(outgoing, HEADER.pack(0, 0, HELLO, 0, 0))
        serve(incoming, outgoing, host, hello["questions"])
    except BaseException as error:
        last_words(outgoing, told, error)
        if isinstance(error, SystemExit):
            raise
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
