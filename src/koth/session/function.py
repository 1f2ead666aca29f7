"""Bots that are Python functions or classes of koth's own process: trusted, without isolation or time limits.

Such bots get the messages of a class bot (`koth.adapter.declared_bot`), and koth reads their answers in the same way.
"""

from __future__ import annotations

import hashlib
import inspect
import random
import traceback
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from koth.adapter.declared_bot import Record, decode_message, encode_value
from koth.errors import BotError
from koth.game import Game, Observations
from koth.protocol.bot_protocol import Answer
from koth.protocol.by_name import PYTHON_CLASS, open_protocol
from koth.session.faults import FaultReport, FaultReports


@dataclass(frozen=True)
class FunctionBot:
    """A bot in this process whose code is a function of an observation or a class with `act(self, obs)`."""

    name: str
    code: Callable[..., Any]
    digest: str

    @classmethod
    def of(cls, name: str, code: Any) -> FunctionBot:
        """Return the bot with this code; the bot's digest is a digest of the source text. Raises BotError."""
        if isinstance(code, type) and not callable(getattr(code, "act", None)):
            raise BotError(f"{name}: the class {code.__name__} has no method act(self, obs)")
        if not callable(code):
            raise BotError(f"{name}: a bot is a path, @SAMPLE, a function or a class, not {type(code).__name__}")
        return cls(name, code, f"inline-{hashlib.blake2b(_read_source(code).encode(), digest_size=16).hexdigest()}")

    def seat(self, game: Game, settings: Any, seats: int, match_info: Mapping[str, Any]) -> FunctionSeat:
        """Return the bot at a seat of one match."""
        return FunctionSeat(self.code, open_protocol(game, PYTHON_CLASS, settings, seats, {}), match_info)


def _read_source(code: Callable[..., Any]) -> str:
    """Return the source text of a function or class; if there is no text, the name."""
    try:
        return inspect.getsource(code)
    except (OSError, TypeError):
        return getattr(code, "__qualname__", repr(type(code)))


def _describe_error(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({last.filename}, line {last.lineno})"


class FunctionSeat:
    """A function or class at a seat of one match, with a random state of its own, seeded by the match."""

    def __init__(self, code: Callable[..., Any], protocol: Any, match_info: Mapping[str, Any]) -> None:
        self.fault_reports = FaultReports()
        self._protocol = protocol
        self._random = random.Random(match_info["seed"]).getstate()
        hello = decode_message(protocol.hello(match_info)).hello
        self._left = Record(bank=hello.bank, strikes=hello.strikes)
        self._act = code
        self.gone = False
        """True if the class could not be called: the bot is out of the match, like a bot that crashes."""
        if isinstance(code, type):
            bot_class = cast(Any, code)
            try:
                with self._own_random():
                    self._act = (bot_class() if bot_class.__init__ is object.__init__ else bot_class(hello)).act
            except Exception as error:
                self.gone = True
                self.fault_reports.note(FaultReport("crash", 0, _describe_error(error)))

    def answer(self, observations: Observations, turn: int) -> Answer:
        """Return the answer to a question; an exception is the fault `error`, and the match goes on."""
        if self.gone:
            return Answer.default(observations)
        message = self._protocol.ask(observations)
        obs = decode_message(message)
        number = vars(obs).pop("ask")
        vars(obs).setdefault("left", self._left)
        try:
            with self._own_random():
                answer = f'"returned": {encode_value(self._act(obs))}'
        except Exception as error:
            answer = f'"error": {encode_value(_describe_error(error))}'
        decoded = self._protocol.decode(f'{{"ask": {number}, {answer}}}'.encode())
        if not isinstance(decoded, Answer):
            decoded = Answer.fault_of(observations, decoded.kind, decoded.text)
        for kind, text in decoded.row_faults():
            self.fault_reports.note(FaultReport(kind, turn, text, message))
        return decoded

    @contextmanager
    def _own_random(self) -> Any:
        """Make `random` the bot's own during this context, so that the random numbers repeat with the match."""
        others = random.getstate()
        random.setstate(self._random)
        try:
            yield
        finally:
            self._random = random.getstate()
            random.setstate(others)
