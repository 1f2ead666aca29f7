"""The process of a Python class bot: it starts with the bot, and imports nothing of the engine (command: `start.py`).

GAME_MODULE is the game's package (`koth.games.GAME`) and GAME_FOLDER the package's folder, from which the adapter
imports the game's `bot`. Without both words the bot gets the API that follows from the game's declaration
(`declared_bot.py`). The adapter needs only the standard library, so any Python from 3.9 on can run it. A sandbox has
nothing else of koth, so what both sides of the wire must know stands here, and `koth.protocol` imports it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, takewhile
from types import ModuleType
from typing import Any, BinaryIO, NamedTuple

HEADER = struct.Struct("<IIHHI")
"""A frame's header: size of the payload, number of the question, kind, used time, rows.

The used time is 0 in frames of a bot. In frames to a bot it has two numbers: tenths of a second used of the bank,
rounded up (the low 12 bits), and late answers in a row (the high 4 bits). The upper byte of the rows, which a bot
need not send back, has further bits of both numbers: five of the tenths (so they reach 3.6 hours), and three of the
late answers.
"""
MOST_ROWS = (1 << 24) - 1
HELLO, BYE = 0, 0xFFFF
"""Kinds of frames; a question's kind is its index among the game's questions, from 1."""
MOST_ERRORS = 100
"""The largest number of errors in an answer's JSON."""
CODES = {"u1": "B", "i1": "b", "b1": "?", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q",
         "f4": "f", "f8": "d"}  # fmt: skip
ERROR = 6
"""The code of the fault `error` in `koth.question.FAULTS`: the bot's code raised an exception."""
PRELOAD = "--preload="
"""The option that names a library to load before the bot."""
GAME = "--game"
"""The option before a game's package and its folder."""
HERE = os.path.dirname(os.path.abspath(__file__))


class ErrorText:
    """Texts of exceptions in the bot's code, for the bot's author, without stack frames of koth's own files."""

    def __init__(self, folder: str, koths: Sequence[str]) -> None:
        self._folder = os.path.join(folder, "")
        self._koths = (*koths, "<frozen ")

    def format_trace(self, error: BaseException) -> str:
        """Return the stack trace with the exception's line."""
        summary: Any = traceback.TracebackException.from_exception(error)
        chain = [summary]
        for one in chain:
            one.stack[:] = [frame for frame in one.stack if self._is_shown(frame.filename)]
            chain += filter(None, (one.__cause__, one.__context__))
        return "".join(summary.format()).replace(f'File "{self._folder}', 'File "')

    def format_line(self, error: BaseException) -> str:
        """Return the exception in one line, with the innermost line in the bot's own files, if any."""
        if isinstance(error, SystemExit):
            code = "" if error.code is None else repr(error.code)[:200]
            return f"sys.exit({code}) was called{self._find_place(error)}"
        if isinstance(error, SyntaxError) and error.filename:
            file = error.filename.removeprefix(self._folder)
            return f"{type(error).__name__}: {error.msg} ({file}, line {error.lineno})"
        last = traceback.format_exception_only(type(error), error)[-1].strip()
        return last + self._find_place(error)

    def _find_place(self, error: BaseException) -> str:
        """Return the innermost line in the bot's own files, in parentheses; empty if there is none."""
        there = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
        lines = [(name, line) for name, line in there if name.startswith(self._folder)]
        return f" ({lines[-1][0].removeprefix(self._folder)}, line {lines[-1][1]})" if lines else ""

    def _is_shown(self, name: str) -> bool:
        return name.startswith(self._folder) or not name.startswith(self._koths)


class SitePackages:
    """The last import finder, which adds site-packages when a bot imports a module that is found nowhere else."""

    added = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if path is not None or SitePackages.added:
            return None
        SitePackages.added = True
        import site

        site.main()
        return importlib.machinery.PathFinder.find_spec(name)


def load_libraries(names: Sequence[str]) -> None:
    """Import the host's libraries before the bot's folder is searched: a bot's file may have the same name."""
    finder = SitePackages()
    sys.meta_path.append(finder)
    for name in names:
        importlib.import_module(name)
    if "numpy" in names:
        importlib.import_module("numpy.random")  # NumPy itself imports it late
    sys.meta_path.remove(finder)


def seed_all(seed: int) -> None:
    """Seed the random numbers of Python, and of NumPy, if NumPy was loaded before the bot."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % (1 << 32))


def take_protocol() -> tuple[BinaryIO, int]:
    """Move the protocol to descriptors of its own: prints now go to stderr, and stdin is empty."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


def receive(incoming: BinaryIO) -> tuple[int, int, int, int, bytes] | None:
    """Receive the next frame: (number, kind, counters of used time, rows, payload); None at the end of the input."""
    header = incoming.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    size, number, kind, used, rows = HEADER.unpack(header)
    payload = incoming.read(size)
    used |= (rows >> 24) << 16
    return (number, kind, used, rows & MOST_ROWS, payload) if len(payload) == size else None


def send(outgoing: int, kind: int, data: bytes = b"", number: int = 0, rows: int = 0) -> None:
    """Write a whole frame."""
    view = memoryview(HEADER.pack(len(data), number, kind, 0, rows) + data)
    while view:
        view = view[os.write(outgoing, view) :]


def load_adapter(game: str = "koth", folder: str = "") -> ModuleType:
    """Import the `bot` of a game's package without importing the package itself or its parents.

    Without a game, import the API that follows from declarations.
    """
    for name in ("koth", "koth.adapter", *accumulate(game.split("."), "{}.{}".format)):
        sys.modules[name] = stub = ModuleType(name)
        stub.__path__ = [folder] if name == game and folder else []
    load_module("koth.adapter.kit", os.path.join(HERE, "kit.py"))
    if not folder:
        return load_module("koth.adapter.declared_bot", os.path.join(HERE, "declared_bot.py"))
    return importlib.import_module(f"{game}.bot")


def load_module(name: str, file: str) -> ModuleType:
    """Import a file as a module with this name."""
    loader = importlib.machinery.SourceFileLoader(name, file)  # named, for endings in capitals
    spec: Any = importlib.util.spec_from_file_location(name, file, loader=loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_bot(file: str, arguments: Sequence[str] = ()) -> ModuleType:
    """Load the bot's module; make modules in its folder and the folder's `lib/` importable."""
    folder = os.path.dirname(os.path.abspath(file))
    sys.path[:0] = [folder, os.path.join(folder, "lib")]
    sys.meta_path.append(SitePackages())
    sys.argv = [file, *arguments]
    return load_module(os.path.splitext(os.path.basename(file))[0], file)


class Sparse(NamedTuple):
    """The non-zero values of a field: row r has `value[start[r]:start[r + 1]]`, at the same part of `place`."""

    start: Sequence[int]
    place: Sequence[int]
    value: Sequence[int]


@cache
def dtype_format(dtype: str, *shape: int) -> tuple[Any, int]:
    """Return the format code of a dtype, and the number of bytes of a row with this shape."""
    kind = dtype.lstrip("<|")
    return CODES[kind], int(kind[1]) * math.prod(shape)


def split_fields(spec: dict[str, Any], rows: int, payload: memoryview) -> dict[str, Any]:
    """Return the fields of a question: name -> flat memoryview of the field's type (`body` first), or `Sparse`."""
    end = 4 * rows
    observation: dict[str, Any] = {"body": payload[:end].cast("i")}
    for name, dtype, shape, ragged, sparse in spec["view"]:
        at = end
        if sparse:
            start = list(accumulate(payload[at : at + 2 * rows].cast("H"), initial=0))
            middle = at + 2 * rows + 2 * start[-1]
            end = middle + 4 * start[-1]
            place = payload[at + 2 * rows : middle].cast("H").tolist()
            observation[name] = Sparse(start, place, payload[middle:end].cast("I").tolist())
            continue
        code, size = dtype_format(dtype, *shape)
        end += size * (sum(observation[ragged]) if ragged else rows)
        observation[name] = payload[at:end].cast(code)
    return observation


def make_answer_buffers(spec: dict[str, Any], rows: int) -> dict[str, Any]:
    """Return buffers for the answer, filled with the defaults: name -> flat writable memoryview."""
    out: dict[str, Any] = {}
    for name, dtype, shape, default, *_ in spec["answer"]:
        code, size = dtype_format(dtype, *shape)
        one = struct.pack("<" + code, default if code in "fd" else int(default))
        out[name] = memoryview(bytearray(one * (rows * size // len(one)))).cast(code)
    return out


class Call:
    """One question to answer: `observation` and `out` are flat arrays by name, `fault` a code per row.

    `bank` is the seconds of the bank that the bot has used, `strikes` the number of late answers in a row.
    """

    error_text = ErrorText("", ())
    """The texts of the bot's exceptions for its author."""

    def __init__(
        self, question: str, rows: int, observation: dict[str, Any], out: dict[str, Any], used: int = 0
    ) -> None:
        self.question = question
        self.rows = rows
        self.observation = observation
        self.out = out
        self.bank = (used & 4095 | (used >> 16 & 31) << 12) / 10
        self.strikes = used >> 12 & 15 | (used >> 21) << 4
        self.fault = bytearray(rows)
        self.errors: list[list[Any]] = []
        self.note: Any = None
        self.who: Callable[[int], str] | None = None
        """A function that returns the author's name for the unit of a row; None if there is only one unit."""

    def record_fault(self, row: int, kind: int = ERROR, text: str | None = None) -> None:
        """Record a fault of one row; without `text`, describe the current exception, and print its stack trace."""
        self.fault[row] = kind
        if text is None:
            error: Any = sys.exc_info()[1]
            sys.stderr.write(self.error_text.format_trace(error))
            text = self.error_text.format_line(error)
        self.errors.append([row, f"{self.who(row)}: {text}" if self.who else text])


def pack_tail(call: Call, drawn: list[dict[str, Any]]) -> bytes:
    """Return an answer's JSON part (errors, drawings, note), or b""; a note that is not JSON becomes its `repr`."""
    if not (call.errors or call.note is not None or drawn):
        return b""
    content: dict[str, Any] = {
        "errors": [[row, text[:2000]] for row, text in call.errors[:MOST_ERRORS]],
        "draw": drawn,
    }
    if call.note is not None:
        content["note"] = call.note
    try:
        text = json.dumps(content, default=repr, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(
            {**content, "note": sys.modules["koth.adapter.kit"].format_repr(call.note)}, ensure_ascii=False
        )
    return text.encode("utf-8", "replace")


def serve(incoming: BinaryIO, outgoing: int, host: Any, questions: list[dict[str, Any]]) -> None:
    """Answer questions until the match ends."""
    debug = sys.modules["koth.adapter.kit"].debug
    while True:
        frame = receive(incoming)
        if frame is None or frame[1] == BYE:
            return
        number, kind, used, rows, payload = frame
        spec = questions[kind - 1]
        call = Call(
            spec["name"], rows, split_fields(spec, rows, memoryview(payload)), make_answer_buffers(spec, rows), used
        )
        host.answer(call)
        data = b"".join([*call.out.values(), call.fault, pack_tail(call, debug.take())])
        send(outgoing, kind, data, number, rows)


def send_crash(outgoing: int, text: str) -> None:
    """Send koth the reason why the bot can't go on."""
    send(outgoing, BYE, json.dumps({"kind": "crash", "text": text[:2000]}).encode())


class Frames:
    """The conversation of one match through a game's own API, whose `bot.Host` answers questions in arrays."""

    def __init__(self, incoming: BinaryIO, outgoing: int, adapter: ModuleType) -> None:
        self._incoming, self._outgoing, self._adapter = incoming, outgoing, adapter
        frame = receive(incoming)
        hello = json.loads(frame[4]) if frame else sys.exit()
        self.match_info, self._questions = hello["facts"], hello["questions"]

    def play(self, module: ModuleType, error_text: ErrorText) -> None:
        """Answer questions until the match ends; `error_text` describes the bot's exceptions."""
        Call.error_text = error_text
        host: Any = self._adapter.Host(self.match_info, module)
        send(self._outgoing, HELLO)
        serve(self._incoming, self._outgoing, host, self._questions)

    def send_crash(self, text: str) -> None:
        """Send koth the reason why the bot can't go on."""
        send_crash(self._outgoing, text)


def report_crash(talk: Any, error_text: ErrorText, error: BaseException) -> None:
    """Print the stack trace, then send koth the reason why the bot can't go on; do not wait for a reply."""
    if not isinstance(error, SystemExit):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(error_text.format_trace(error))
    with contextlib.suppress(OSError):  # the bot may have closed the descriptor
        talk.send_crash(error_text.format_line(error))


def register_location_signal() -> None:
    """Make SIGUSR2 print the bot's current stack; before the signal this takes no time."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError, RuntimeError):
        import faulthandler

        faulthandler.register(signal.SIGUSR2, file=2, all_threads=False)


def is_preload(word: str) -> bool:
    """Return whether a word of the command names a library to be loaded before the bot."""
    return word.startswith(PRELOAD)


def main() -> None:
    libraries = [word.removeprefix(PRELOAD) for word in takewhile(is_preload, sys.argv[1:])]
    words = sys.argv[1 + len(libraries) :]
    game, (file, *arguments) = (words[1:3], words[3:]) if words[0] == GAME else ([], words)
    incoming, outgoing = take_protocol()
    adapter = load_adapter(*game)
    talk: Any = Frames(incoming, outgoing, adapter) if game else adapter.Lines(incoming, outgoing)
    load_libraries(libraries)
    seed_all(talk.match_info["seed"])
    error_text = ErrorText(os.path.dirname(os.path.abspath(file)), (HERE, *map(os.path.abspath, game[1:])))
    register_location_signal()
    try:
        talk.play(load_bot(file, arguments), error_text)
    except BaseException as error:
        report_crash(talk, error_text, error)
        if isinstance(error, SystemExit):
            raise
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
