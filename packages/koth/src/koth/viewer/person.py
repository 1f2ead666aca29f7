"""A person in a match: a bot that is reached through a web page instead of a process. This module depends on no game.

The page speaks the game's JSON lines: the page receives the messages of a bot at the person's seat and, before each
question, the part of the frame that the seat sees. The match's thread calls `seat`, `put`, `answer` and `bye`; the
page's server calls `page_seen`, `receive` and `leave`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from koth.engine.batch import Batch
from koth.frame import FrameSpec, apply_fog
from koth.game import Game, Observations
from koth.protocol.bot_protocol import Answer, BotProtocol, Fault, Ready
from koth.question import are_legal
from koth.session.faults import FaultReport
from koth.session.local import LocalSeat

CLOSED_PAGE_PATIENCE = 150.0
"""Seconds without a look of the page after which a person counts as gone; a hidden page may look once a minute."""


class Refused(ValueError):
    """Raised when a message can't be accepted now; the text is for the sender, and the question stays open."""


class NotLegal(Refused):
    """Raised when `Field.legal` rules out an answer; the question was sent again."""


class Person(LocalSeat):
    """A person at one seat of one match, its own `LocalBot`; uses a `protocol` of lines that begins with a handshake.

    `spec` describes the game's frames, and so what fog hides from the seat. `messages` are the lines of the match so
    far: a page that is opened late, or again, reads all lines, except frames and questions that others replace.
    """

    digest = "person"

    def __init__(
        self, name: str, protocol: BotProtocol, spec: FrameSpec, patience: float = CLOSED_PAGE_PATIENCE
    ) -> None:
        super().__init__()
        self.name = name
        self.messages: list[bytes] = []
        self.is_over = False
        """True once the last message was sent."""
        self.accepted = 0
        """The number of messages of the person with which the match goes on."""
        self._protocol = protocol
        self._spec = spec
        self._seat = 0
        self._shown: int | None = None
        """The index in `messages` of the last frame."""
        self._patience = patience
        self._changed = threading.Condition()
        self._ready = False
        self._open: Observations | None = None
        self._answer: Answer | None = None
        self._turn = 0
        self._asked = b""
        self._asked_at = 0
        """The index in `messages` of the last question."""
        self._seen_at: float | None = None
        """The moment of the page's last look; None before the first one."""

    # -- called by the match

    def seat(self, game: Game, settings: Any, seats: int, match_info: Mapping[str, Any]) -> Person:
        """Send the frames' description and the match info, and wait until the person is ready or gone."""
        with self._changed:
            self._seat = match_info["seat"]
            self._send(orjson.dumps({"spec": self._spec.as_json()}))
            self._send(self._protocol.hello(match_info))
            self._wait(lambda: self._ready)
        return self

    def put(self, observations: Observations, batch: Batch) -> None:
        """Send the frame as the seat sees it and a question, without waiting for the answer."""
        with self._changed:
            if self.gone:
                return
            self._show({"turn": batch.turn, **batch.game.frame(batch.settings, batch.state, 0)})
            self._open, self._answer, self._turn = observations, None, batch.turn + 1
            self._ask(observations)

    def answer(self, observations: Observations, turn: int) -> Answer:
        """Wait for the person's answer to the last question, and return it.

        A person that leaves while the question is open gets the fault `closed`, but no fault in later questions.
        """
        with self._changed:
            if self._open is None:
                return Answer.default(observations)
            self._wait(lambda: self._answer is not None)
            self._open = None
            return self._answer or Answer.fault_of(observations, "closed")

    def bye(self, scores: Sequence[float]) -> None:
        """Tell the page that the match is over."""
        with self._changed:
            self._send(self._protocol.bye(scores))

    # -- called by the page

    def page_seen(self) -> None:
        """Record that the page looks for new `messages`."""
        with self._changed:
            self._seen_at = time.monotonic()

    def receive(self, message: bytes) -> None:
        """Take the person's message: ready, or the answer to the open question. Raises Refused.

        After an illegal answer the question is sent again; only a bot's illegal answer would count.
        """
        with self._changed:
            if self.gone:
                raise Refused("the match goes on without you")
            decoded = self._protocol.decode(message)
            if isinstance(decoded, Ready):
                self.accepted += not self._ready
                self._ready = True
            elif isinstance(decoded, Answer) and self._open is not None:
                if not (are_legal(self._open, decoded.fields) | (decoded.fault != 0)).all():
                    rules = dict.fromkeys(spec.rule for spec in self._open.question.answer.values() if spec.legal)
                    self.messages[self._asked_at] = b"{}"
                    self._ask(self._open)
                    raise NotLegal(f"not legal now; {'; '.join(rules)}")
                for kind, text in decoded.row_faults():
                    self._note(kind, text)
                self.accepted += self._answer is None
                self._answer = decoded
            elif isinstance(decoded, Fault):
                raise Refused(decoded.text)
            else:
                raise Refused("there is no open question for this answer")
            self._changed.notify_all()

    def leave(self, reason: str = "left the match") -> None:
        """Take the person out of the match for good, as if a bot's process had ended."""
        with self._changed:
            if not self.gone:
                self.gone = True
                self._note("closed", reason)
                self._changed.notify_all()

    def send(self, message: bytes, is_last: bool = False) -> None:
        """Send the page a line outside the protocol; the last one is the end of the match, or a failure."""
        with self._changed:
            self.is_over = is_last
            self._send(message)

    # -- inside

    def _show(self, frame: Mapping[str, Any]) -> None:
        """Send a frame; drop the frame before unless it shows remembered squares."""
        if self._shown is not None and not (self._spec.squares or self._spec.ground):
            self.messages[self._shown] = b"{}"
        self._shown = len(self.messages)
        known = apply_fog(self._spec, frame, self._seat)
        self._send(orjson.dumps({"frame": known}, option=orjson.OPT_SERIALIZE_NUMPY))

    def _ask(self, observations: Observations) -> None:
        self._asked = self._protocol.ask(observations)
        self._asked_at = len(self.messages)
        self._send(self._asked)

    def _send(self, message: bytes) -> None:
        self.messages.append(message)

    def _wait(self, is_done: Callable[[], bool]) -> None:
        """Wait until `is_done()`, or until the person is gone because the page has been closed for too long.

        Before the person has begun the match there is no limit.
        """
        while not (is_done() or self.gone):
            if self._seen_at is None or not self._ready:
                self._changed.wait()
                continue
            left = self._seen_at + self._patience - time.monotonic()
            if left <= 0:
                self.leave(f"the page was closed, and not opened again within {self._patience:g} s")
            else:
                self._changed.wait(left)

    def _note(self, kind: str, text: str) -> None:
        self.fault_reports.note(FaultReport(kind, self._turn, text, self._asked))
