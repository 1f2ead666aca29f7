"""The process of a Python class bot: started with the bot, imports nothing of the engine.

    python -s -S runner.py [GAME_MODULE GAME_FOLDER] BOT_FILE

GAME_MODULE is the game's package (`koth.games.GAME`) and GAME_FOLDER where it lies; of all the packages above it
only this folder can be imported from here, for the game's `bot`. Without them the bot has the API that follows from
the game's declaration (`declared_bot.py`).
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
import math
import random
import signal
import struct
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from types import ModuleType
from typing import Any, BinaryIO, NamedTuple

HEADER = struct.Struct("<IIHHI")
HELLO, BYE = 0, 0xFFFF
CODES = {"u1": "B", "i1": "b", "b1": "?", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q",
         "f4": "f", "f8": "d"}  # fmt: skip
ERROR = 6
"""The code of the fault `error`: the bot's code raised an exception."""
HERE = os.path.dirname(os.path.abspath(__file__))


class Told:
    """Exceptions of the bot's code, in words for its author: lines of his own files, none of koth's."""

    def __init__(self, folder: str, koths: Sequence[str]) -> None:
        self._folder = os.path.join(folder, "")
        self._koths = (*koths, "<frozen ")

    def whole(self, error: BaseException) -> str:
        """Return the stack trace, and the one line that says what it was and where."""
        told: Any = traceback.TracebackException.from_exception(error)
        chain = [told]
        for one in chain:
            one.stack[:] = [frame for frame in one.stack if self._is_told(frame.filename)]
            chain += filter(None, (one.__cause__, one.__context__))
        return "".join(told.format()).replace(f'File "{self._folder}', 'File "')

    def line(self, error: BaseException) -> str:
        """Return what it was and, as far as that is in the bot's own files, where."""
        if isinstance(error, SystemExit):
            code = "" if error.code is None else repr(error.code)[:200]
            return f"sys.exit({code}) was called{self._place(error)}"
        if isinstance(error, SyntaxError) and error.filename:
            file = error.filename.removeprefix(self._folder)
            return f"{type(error).__name__}: {error.msg} ({file}, line {error.lineno})"
        last = traceback.format_exception_only(type(error), error)[-1].strip()
        return last + self._place(error)

    def _place(self, error: BaseException) -> str:
        """Return the innermost line of the bot's own."""
        there = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
        own = [(name, line) for name, line in there if name.startswith(self._folder)]
        return f" ({own[-1][0].removeprefix(self._folder)}, line {own[-1][1]})" if own else ""

    def _is_told(self, name: str) -> bool:
        return name.startswith(self._folder) or not name.startswith(self._koths)


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
    """Receive the next frame: (number, kind, what is used up, rows, payload), or None at the end."""
    header = incoming.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    size, number, kind, used, rows = HEADER.unpack(header)
    payload = incoming.read(size)
    return (number, kind, used, rows, payload) if len(payload) == size else None


def send(outgoing: int, kind: int, data: bytes = b"", number: int = 0, rows: int = 0) -> None:
    """Write a frame, all of it."""
    view = memoryview(HEADER.pack(len(data), number, kind, 0, rows) + data)
    while view:
        view = view[os.write(outgoing, view) :]


def load_adapter(game: str = "koth", folder: str = "") -> ModuleType:
    """Import the `bot` of a game's package without importing the package itself, or what it lies in.

    Without a game, import the API that follows from declarations.
    """
    for name in ("koth", "koth.session", *accumulate(game.split("."), "{}.{}".format)):
        sys.modules[name] = stub = ModuleType(name)
        stub.__path__ = [folder] if name == game and folder else []
    load_module("koth.session.kit", os.path.join(HERE, "kit.py"))
    if not folder:
        return load_module("koth.session.declared_bot", os.path.join(HERE, "declared_bot.py"))
    return importlib.import_module(f"{game}.bot")


def load_module(name: str, file: str) -> ModuleType:
    """Import this file as the module of this name."""
    spec: Any = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_bot(file: str) -> ModuleType:
    """Load the bot's module; its folder and `lib/` in it can be imported from."""
    folder = os.path.dirname(os.path.abspath(file))
    sys.path[:0] = [folder, os.path.join(folder, "lib")]
    sys.meta_path.append(SitePackages())
    sys.argv = [file]
    return load_module(os.path.splitext(os.path.basename(file))[0], file)


class Sparse(NamedTuple):
    """The values of a field that are not 0: those of row r are `value[start[r]:start[r + 1]]`, at `place`."""

    start: Sequence[int]
    place: Sequence[int]
    value: Sequence[int]


@cache
def form(dtype: str, *shape: int) -> tuple[Any, int]:
    """Return the code of such values, and the bytes of a row of them."""
    kind = dtype.lstrip("<|=")
    return CODES[kind], int(kind[1]) * math.prod(shape)


def split(spec: dict[str, Any], rows: int, payload: memoryview) -> dict[str, Any]:
    """Return the fields of a question: name -> flat memoryview of its type (`body` first), or `Sparse`."""
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
        code, size = form(dtype, *shape)
        end += size * (sum(observation[ragged]) if ragged else rows)
        observation[name] = payload[at:end].cast(code)
    return observation


def room(spec: dict[str, Any], rows: int) -> dict[str, Any]:
    """Return buffers for the answer, filled with the defaults: name -> flat writable memoryview."""
    out: dict[str, Any] = {}
    for name, dtype, shape, default in spec["answer"]:
        code, size = form(dtype, *shape)
        one = struct.pack("<" + code, default if code in "fd" else int(default))
        out[name] = memoryview(bytearray(one * (rows * size // len(one)))).cast(code)
    return out


class Call:
    """One question to answer: `observation` and `out` are flat arrays by name, `fault` a code per row.

    `bank` is how many seconds of it the bot has used up, `strikes` how many late answers in a row.
    """

    told = Told("", ())
    """How the bot's exceptions are told."""

    def __init__(
        self, question: str, rows: int, observation: dict[str, Any], out: dict[str, Any], used: int = 0
    ) -> None:
        self.question = question
        self.rows = rows
        self.observation = observation
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
            error: Any = sys.exc_info()[1]
            sys.stderr.write(self.told.whole(error))
            text = self.told.line(error)
        self.errors.append([row, f"{self.who(row)}: {text}" if self.who else text])


def _shown(note: Any) -> str:
    try:
        return repr(note)[:1000]
    except Exception as error:
        return f"(can't be shown: {error!r})"


def pack_tail(call: Call, drawn: list[dict[str, Any]]) -> bytes:
    """Return the JSON behind an answer, if it needs any; a note that is no JSON is kept as Python writes it."""
    if not (call.errors or call.note is not None or drawn):
        return b""
    told: dict[str, Any] = {"errors": [[row, text[:2000]] for row, text in call.errors[:100]], "draw": drawn}
    if call.note is not None:
        told["note"] = call.note
    try:
        text = json.dumps(told, default=repr, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps({**told, "note": _shown(call.note)}, ensure_ascii=False)
    return text.encode("utf-8", "replace")


def serve(incoming: BinaryIO, outgoing: int, host: Any, questions: list[dict[str, Any]]) -> None:
    """Answer questions until the end."""
    debug = sys.modules["koth.session.kit"].debug
    while True:
        frame = receive(incoming)
        if frame is None or frame[1] == BYE:
            return
        number, kind, used, rows, payload = frame
        spec = questions[kind - 1]
        call = Call(spec["name"], rows, split(spec, rows, memoryview(payload)), room(spec, rows), used)
        host.answer(call)
        data = b"".join([*call.out.values(), call.fault, pack_tail(call, debug.take())])
        send(outgoing, kind, data, number, rows)


def say_bye(outgoing: int, text: str) -> None:
    """Tell koth why the bot can't go on."""
    send(outgoing, BYE, json.dumps({"kind": "crash", "text": text[:2000]}).encode())


class Frames:
    """The talk of one match with a game's own API: its `bot.Host` answers arrays."""

    def __init__(self, incoming: BinaryIO, outgoing: int, adapter: ModuleType) -> None:
        self._incoming, self._outgoing, self._adapter = incoming, outgoing, adapter
        frame = receive(incoming)
        hello = json.loads(frame[4]) if frame else sys.exit()
        self.match_info, self._questions = hello["facts"], hello["questions"]

    def play(self, module: ModuleType, told: Told) -> None:
        """Answer questions until the end; `told` tells the bot's exceptions."""
        Call.told = told
        host: Any = self._adapter.Host(self.match_info, module)
        send(self._outgoing, HELLO)
        serve(self._incoming, self._outgoing, host, self._questions)

    def crashed(self, text: str) -> None:
        """Tell koth why the bot can't go on."""
        say_bye(self._outgoing, text)


def last_words(talk: Any, told: Told, error: BaseException) -> None:
    """Say why the bot can't go on, and print where, unless that is what Python does by itself."""
    with contextlib.suppress(OSError):  # it has closed that, too
        talk.crashed(told.line(error))
    if not isinstance(error, SystemExit):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(told.whole(error))


def tell_where() -> None:
    """Print where the bot is whenever koth asks: by a signal, so that it costs nothing while nobody asks."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError, RuntimeError):
        import faulthandler

        faulthandler.register(signal.SIGUSR2, file=2, all_threads=False)


def main() -> None:
    *game, file = sys.argv[1:]
    incoming, outgoing = take_protocol()
    adapter = load_adapter(*game)
    talk: Any = Frames(incoming, outgoing, adapter) if game else adapter.Lines(incoming, outgoing)
    random.seed(talk.match_info["seed"])
    told = Told(os.path.dirname(os.path.abspath(file)), (HERE, *map(os.path.abspath, game[1:])))
    tell_where()
    try:
        talk.play(load_bot(file), told)
    except BaseException as error:
        last_words(talk, told, error)
        if isinstance(error, SystemExit):
            raise
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
