"""A person in a match: a bot that is reached through a page instead of a process. It knows no game.

The page speaks the game's JSON lines, and is told what any bot in that seat is told. The match's thread calls
`start`, `put`, `answer` and `bye`; whoever serves the page calls `came`, `went`, `say` and `leave`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from koth.game import Observations
from koth.protocol.bot_protocol import Answer, BotProtocol, Fault, Ready
from koth.question import are_legal
from koth.session.session import EXCERPT, FaultReport

PATIENCE = 60.0
"""Seconds after which a person counts as gone whose page was closed; a page that is loaded again is in time."""


class Refused(ValueError):
    """A message that means nothing here, in words for whoever sent it; the question stays open."""


class NotLegal(Refused):
    """An answer that `Field.legal` rules out; the question was put again."""


class Person:
    """A person at one seat of one match; speaks a `protocol` of lines that begins with a handshake.

    `messages` are the lines told so far, the match's first: a page that comes late, or again, reads them all.
    """

    digest = "person"

    def __init__(self, name: str, protocol: BotProtocol, patience: float = PATIENCE) -> None:
        self.name = name
        self.messages: list[bytes] = []
        self.gone = False
        self.fault_reports: dict[str, FaultReport] = {}
        self._protocol = protocol
        self._patience = patience
        self._changed = threading.Condition()
        self._listeners: list[Callable[[], None]] = []
        self._ready = False
        self._open: Observations | None = None
        self._answer: Answer | None = None
        self._turn = -1
        self._asked = b""
        self._alone_since: float | None = None
        """When the last page was closed; None while one is open, and before the first one came."""

    # -- what the match calls

    def start(self, match_info: Mapping[str, Any]) -> None:
        """Send the match info, and wait until the person is ready or gone."""
        with self._changed:
            self._tell(self._protocol.hello(match_info))
            self._wait(lambda: self._ready)

    def put(self, observations: Observations, turn: int) -> None:
        """Ask a question, and do not wait."""
        with self._changed:
            if self.gone:
                return
            self._open, self._answer, self._turn = observations, None, turn
            self._ask(observations)

    def answer(self, observations: Observations) -> Answer:
        """Wait for the person's answer to the question that was put, and return it.

        A person that leaves while it is open has the fault `closed`; one that was gone before has no fault any more.
        """
        with self._changed:
            if self._open is None:
                return Answer.default(observations)
            self._wait(lambda: self._answer is not None)
            self._open = None
            return self._answer or Answer.fault_of(observations, "closed")

    def bye(self) -> None:
        """Tell the page that the match is over."""
        with self._changed:
            self._tell(self._protocol.bye())

    # -- what the page calls

    def came(self, listener: Callable[[], None]) -> None:
        """Note that a page was opened; call `listener`, from any thread, when there are new `messages`."""
        with self._changed:
            self._alone_since = None
            self._listeners.append(listener)

    def went(self, listener: Callable[[], None]) -> None:
        """Note that the page of this listener was closed."""
        with self._changed:
            self._listeners.remove(listener)
            if not self._listeners:
                self._alone_since = time.monotonic()
            self._changed.notify_all()

    def say(self, message: bytes) -> None:
        """Take the person's message: ready, or the answer to the open question. Raises Refused.

        After an answer that is not legal the question is put again; a bot's answer would count as it is.
        """
        with self._changed:
            if self.gone:
                raise Refused("the match goes on without you")
            decoded = self._protocol.decode(message)
            if isinstance(decoded, Ready):
                self._ready = True
            elif isinstance(decoded, Answer) and self._open is not None:
                if not (are_legal(self._open, decoded.fields) | (decoded.fault != 0)).all():
                    masks = (spec.legal for spec in self._open.question.answer.values() if spec.legal)
                    self._ask(self._open)
                    raise NotLegal(f"not legal now: {', '.join(masks)} says what is")
                for kind, text in decoded.row_faults():
                    self._note(kind, text)
                self._answer = decoded
            elif isinstance(decoded, Fault):
                raise Refused(decoded.text)
            else:
                raise Refused("this is no answer to an open question")
            self._changed.notify_all()

    def leave(self, reason: str = "left the match") -> None:
        """Take the person out for good, as if a bot's process had ended."""
        with self._changed:
            if not self.gone:
                self.gone = True
                self._note("closed", reason)
                self._changed.notify_all()

    def tell(self, message: bytes) -> None:
        """Send the page a line that is not of the match: how it ended."""
        with self._changed:
            self._tell(message)

    # -- inside

    def _ask(self, observations: Observations) -> None:
        self._asked = self._protocol.ask(observations)
        self._tell(self._asked)

    def _tell(self, message: bytes) -> None:
        self.messages.append(message)
        for listener in self._listeners:
            listener()

    def _wait(self, is_done: Callable[[], bool]) -> None:
        """Wait until `is_done()`, or the person is gone: when its page has been closed for too long."""
        while not (is_done() or self.gone):
            if self._alone_since is None:
                self._changed.wait()
                continue
            left = self._alone_since + self._patience - time.monotonic()
            if left <= 0:
                self.leave(f"the page was closed, and not opened again within {self._patience:g} s")
            else:
                self._changed.wait(left)

    def _note(self, kind: str, text: str) -> None:
        if kind in self.fault_reports:
            self.fault_reports[kind].count += 1
        else:
            self.fault_reports[kind] = FaultReport(kind, self._turn, text, self._asked[:EXCERPT])
