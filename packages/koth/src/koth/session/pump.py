"""The pump: waits for output of a match's bots, and reads it with each bot's CPU time. It knows no rules."""

from __future__ import annotations

import select
from typing import Any, NamedTuple

from koth.session.cpu_clock import now
from koth.session.seats import SeatedBot

MILLISECOND = 1_000_000
POLLIN, POLLOUT = 1, 4
POLL: Any = getattr(select, "poll", lambda: None)
"""The system's poll; on systems without poll koth starts no bots."""


class BotOutput(NamedTuple):
    """Bytes of a bot's output, with the bot's CPU time (nanoseconds) before they were read.

    The bytes are empty at the end of the output, and None if the bot has written too much to stderr.
    """

    seat: SeatedBot
    data: bytes | None
    cpu: int


class Pump:
    """A reader of the pipes of the bots of a match.

    A pipe of a bot that is not waited for stays in the poll until its next event, which is not read; the pipe comes
    back when the bot is waited for again.
    """

    read_at = 0
    """The moment of the last `read` (nanoseconds), before any output was read."""

    def __init__(self) -> None:
        self._poll = POLL()
        self._seats: dict[int, SeatedBot] = {}
        """Bots by koth's ends of their pipes."""
        self._polled: set[int] = set()
        """The pipes that are in the poll."""
        self.dropped: set[SeatedBot] = set()
        """The bots with pipes that have left the poll."""

    def watch(self, seat: SeatedBot) -> None:
        """Wait for the output of this bot from now on."""
        self.dropped.discard(seat)
        process = seat.process
        if process.stdout not in self._polled:
            self._add(process.stdout, seat, POLLIN)
        if process.stderr_fd not in self._polled and process.stderr_is_open:
            self._add(process.stderr_fd, seat, POLLIN)

    def watch_stdin(self, seat: SeatedBot) -> None:
        """Write the rest of this bot's input as soon as the pipe accepts it."""
        self._add(seat.process.stdin, seat, POLLOUT)

    def _add(self, file: int, seat: SeatedBot, events: int) -> None:
        self._poll.register(file, events)
        self._polled.add(file)
        self._seats[file] = seat

    def _drop(self, file: int) -> None:
        self._poll.unregister(file)
        self._polled.discard(file)
        self.dropped.add(self._seats[file])

    def drop_ready(self) -> None:
        """Drop the pipes of bots that have sent output, or ended, since they were asked last."""
        for file, _ in self._poll.poll(0):
            self._drop(file)

    def read(self, until: int) -> list[BotOutput]:
        """Wait until some bot has sent output, or until a given time; read all available output.

        Clocks are read before anything is done with the output. Stderr is read last, so that text written to stderr
        before an answer is found with the answer.
        """
        outputs: list[BotOutput] = []
        others = []
        found = self._poll.poll(max(0, (until - now() + MILLISECOND - 1) // MILLISECOND))
        self.read_at = now()
        for file, _ in found:
            seat = self._seats[file]
            process = seat.process
            if file != process.stdout:
                others.append((file, seat))
            elif seat.conversation.state.is_waited_for:
                cpu = process.clock.read()
                if (data := process.read()) is not None:
                    if not cpu:
                        cpu = process.first_cpu_time()
                    outputs.append(BotOutput(seat, data, cpu))
            else:
                self._drop(file)
        for file, seat in others:
            if self._attend(file, seat):
                outputs.append(BotOutput(seat, None, seat.process.clock.read()))
        return outputs

    def _attend(self, file: int, seat: SeatedBot) -> bool:
        """Read from a bot's stderr or write to its stdin; return whether it has written too much to stderr."""
        process = seat.process
        if file == process.stdin:
            if not process.write():
                self._drop(file)
            return False
        if seat.conversation.state.is_waited_for and process.read_stderr():
            return False
        self._drop(file)
        return seat.conversation.state.is_waited_for and process.stderr_exceeded
