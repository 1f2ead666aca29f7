"""Bots of koth's own process: trusted, without isolation or time limits."""

from __future__ import annotations

import hashlib
import inspect
import random
import secrets
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
import orjson

from koth.adapter.declared_bot import Record, decode_message, encode_value
from koth.engine.batch import Batch
from koth.errors import BotError
from koth.game import Game, Observations
from koth.protocol.bot_protocol import Answer
from koth.protocol.by_name import PYTHON_CLASS, open_protocol
from koth.session.faults import FaultReport, FaultReports

PLAIN = (type(None), bool, int, float, str)
"""Types of the constants of a function's code that its digest covers."""


class LocalSeat:
    """A bot of this process at a seat of one match."""

    def __init__(self) -> None:
        self.gone = False
        """True if the bot is out of the match, like a bot that crashes."""
        self.fault_reports = FaultReports()

    def put(self, observations: Observations, batch: Batch) -> None:
        """Take the seat's rows of the next question, before any bot is asked."""

    def answer(self, observations: Observations, turn: int) -> Answer:
        """Return the answer to a question, in the seat's rows."""
        raise NotImplementedError

    def bye(self, scores: Sequence[float]) -> None:
        """Take the end of the match, with the scores of all seats."""


class LocalBot(Protocol):
    """A bot of this process."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str: ...

    def seat(self, game: Game, settings: Any, seats: int, match_info: Mapping[str, Any]) -> LocalSeat:
        """Seat the bot in one match."""


@dataclass(frozen=True)
class InlineBot:
    """A function on arrays, for tests and learning.

    `act(observations, match_info)` gets the bot's rows (`observations.fields`) and its match info, and returns the
    answer's fields by name; fields left out hold their defaults. Its exceptions are passed on to the match's caller.
    """

    name: str
    act: Callable[[Observations, Mapping[str, Any]], Mapping[str, Any]]
    digest: str = "inline"

    def seat(self, game: Game, settings: Any, seats: int, match_info: Mapping[str, Any]) -> LocalSeat:
        return _InlineSeat(self.act, match_info)


class _InlineSeat(LocalSeat):
    def __init__(self, act: Callable[..., Mapping[str, Any]], match_info: Mapping[str, Any]) -> None:
        super().__init__()
        self._act, self._match_info = act, match_info

    def answer(self, observations: Observations, turn: int) -> Answer:
        answer = Answer.default(observations)
        for name, values in self._act(observations, self._match_info).items():
            answer.fields[name][...] = values
        return answer


@dataclass(frozen=True)
class FunctionBot:
    """A function of an observation, or a class with `act(self, obs)`.

    It gets the messages of a class bot (`koth.adapter.declared_bot`), and koth reads its answers in the same way.
    """

    name: str
    code: Callable[..., Any]
    digest: str

    @classmethod
    def of(cls, name: str, code: Any) -> FunctionBot:
        """Return the bot with this code. Raises BotError."""
        if isinstance(code, type) and not callable(getattr(code, "act", None)):
            raise BotError(f"{name}: the class {code.__name__} has no method act(self, obs)")
        if not callable(code):
            raise BotError(f"{name}: a bot is a path, @SAMPLE, a function or a class, not {type(code).__name__}")
        return cls(name, code, f"inline-{_digest_code(code)}")

    def seat(self, game: Game, settings: Any, seats: int, match_info: Mapping[str, Any]) -> LocalSeat:
        return _FunctionSeat(self.code, open_protocol(game, PYTHON_CLASS, settings, seats, {}), match_info)


def _digest_code(code: Any) -> str:
    """Return a digest of a function's or class's source and of its values.

    A digest that nothing else has stands for a source or values that can't be read.
    """
    try:
        data = orjson.dumps(_parts_of(code), option=orjson.OPT_SERIALIZE_NUMPY)
    except (OSError, TypeError, ValueError):
        return secrets.token_hex(16)
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _parts_of(code: Any) -> list[Any]:
    """Return what tells a function or class from others.

    Raises OSError, TypeError or ValueError for parts that can't be read.
    """
    values: list[Any] = []
    while isinstance(code, partial):
        values += [code.args, code.keywords]
        code = code.func
    if isinstance(code, types.MethodType):
        values.append(vars(code.__self__))
        code = code.__func__
    if not isinstance(code, type | types.FunctionType):
        values.append(vars(code) if hasattr(code, "__dict__") else repr(code))
        code = type(code)
    for function in [code] if isinstance(code, types.FunctionType) else vars(code).values():
        if isinstance(function, types.FunctionType):
            inner, cells = function.__code__, [cell.cell_contents for cell in function.__closure__ or ()]
            constants = [constant for constant in inner.co_consts if isinstance(constant, PLAIN)]
            values += [inner.co_code.hex(), inner.co_names, constants, cells]
            values += [function.__defaults__, function.__kwdefaults__]
    source = "" if code.__module__ == "builtins" else inspect.getsource(code)
    return [source, code.__qualname__, values]


def _describe_error(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({last.filename}, line {last.lineno})"


class _FunctionSeat(LocalSeat):
    """A function or class at a seat of one match, with a random state of its own, seeded by the match."""

    def __init__(self, code: Callable[..., Any], protocol: Any, match_info: Mapping[str, Any]) -> None:
        super().__init__()
        self._protocol = protocol
        self._random = random.Random(match_info["seed"]).getstate()
        self._numpy_random = np.random.RandomState(match_info["seed"] % (1 << 32)).get_state()
        hello = decode_message(protocol.hello(match_info)).hello
        self._left = Record(bank=hello.bank, strikes=hello.strikes)
        self._act = code
        if isinstance(code, type):
            bot_class = cast(Any, code)
            try:
                with self._own_random():
                    self._act = (bot_class() if bot_class.__init__ is object.__init__ else bot_class(hello)).act
            except (Exception, SystemExit) as error:
                self.gone = True
                self.fault_reports.note(FaultReport("crash", 0, _describe_error(error)))

    def answer(self, observations: Observations, turn: int) -> Answer:
        """Return the answer to a question; an exception, or `sys.exit`, is the fault `error`."""
        if self.gone:
            return Answer.default(observations)
        message = self._protocol.ask(observations)
        obs = decode_message(message)
        number = vars(obs).pop("ask")
        vars(obs).setdefault("left", self._left)
        try:
            with self._own_random():
                answer = f'"returned": {encode_value(self._act(obs))}'
        except (Exception, SystemExit) as error:
            answer = f'"error": {encode_value(_describe_error(error))}'
        decoded = self._protocol.decode(f'{{"ask": {number}, {answer}}}'.encode())
        if not isinstance(decoded, Answer):
            decoded = Answer.fault_of(observations, decoded.kind, decoded.text)
        for kind, text in decoded.row_faults():
            self.fault_reports.note(FaultReport(kind, turn, text, message))
        return decoded

    @contextmanager
    def _own_random(self) -> Any:
        """Make `random` and `numpy.random` the bot's own in this context, so that random numbers repeat."""
        others, numpy_others = random.getstate(), np.random.get_state()
        random.setstate(self._random)
        np.random.set_state(self._numpy_random)
        try:
            yield
        finally:
            self._random, self._numpy_random = random.getstate(), np.random.get_state()
            random.setstate(others)
            np.random.set_state(numpy_others)
