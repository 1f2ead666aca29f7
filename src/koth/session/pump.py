"""The pump: waits for output of bots, and reads the output with a mark of each bot's time. The pump knows no rules.

A mark is taken with each read, so that a bot is not charged for work after its answer, nor for time in which koth was
not reading. All moments and times are nanoseconds.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterable
from typing import Any

from koth.session.cpu_clocks import RunDelay, now
from koth.session.marks import Mark
from koth.session.seats import SeatedBot

SHORT_SLEEP = 5_000
"""Sleeps shorter than this are ignored: reading schedstat again would cost more."""
STOPPED_AFTER = 100 * 1_000_000
"""Nanoseconds: koth itself was stopped if a poll took this much longer than timeout and run-queue delay."""
MILLISECOND = 1_000_000
POLLIN, POLLOUT = 1, 4
POLL: Any = getattr(select, "poll", lambda: None)
"""The system's poll; on systems without poll koth starts no bots."""


Output = tuple[SeatedBot, bytes | None, Mark, int]
"""Bytes of a bot's output, a mark of the bot's time, and the earliest time at which the bytes may have come.

The bytes are empty at the end of the output, and None if the bot has written too much to stderr."""


class Pump:
    """A reader of the pipes of the bots that are waited for.

    `looked_at` is the time of the last check, `nothing_at` the time of the last check that found no output.
    """

    def __init__(self) -> None:
        self._poll: Any = POLL()
        self._stdout: dict[int, SeatedBot] = {}
        self._stderr: dict[int, SeatedBot] = {}
        self._stdin: dict[int, SeatedBot] = {}
        """Bots by koth's ends of their pipes; `_stdin` holds only bots whose pipe is full."""
        self._own_delay = RunDelay("/proc/thread-self/schedstat")
        self._queued = 0
        """The run-queue delay of koth's thread when it was last read."""
        self._woken_at = self._ran = 0
        """The last moment at which poll found something, and the CPU time of koth's thread then."""
        self.looked_at = self.nothing_at = 0

    def close(self) -> None:
        """Close the pump's own files."""
        self._own_delay.close()

    def begin(self) -> None:
        """Begin a question, without any bot to wait for."""
        self._poll = POLL()
        self._stdout.clear()
        self._stderr.clear()
        self._stdin.clear()

    def watch(self, seat: SeatedBot) -> None:
        """Wait for the output of this bot from now on.

        Stderr is polled after stdout, so that text written to stderr before an answer is found with the answer.
        """
        process = seat.process
        self._stdout[process.stdout] = seat
        self._poll.register(process.stdout, POLLIN)
        if process.stderr_is_open:
            self._stderr[process.stderr_fd] = seat
            self._poll.register(process.stderr_fd, POLLIN)
        if process.unsent:
            self.watch_stdin(seat)

    def watch_stdin(self, seat: SeatedBot) -> None:
        """Write the rest of this bot's input as soon as the pipe accepts it."""
        self._stdin[seat.process.stdin] = seat
        self._poll.register(seat.process.stdin, POLLOUT)

    def forget(self, seat: SeatedBot) -> None:
        """Stop waiting for this bot. The pipes stay in the poll until their next event, whose data are not read."""
        self._stdout.pop(seat.process.stdout, None)
        self._stderr.pop(seat.process.stderr_fd, None)
        self._stdin.pop(seat.process.stdin, None)

    def read(self, until: int) -> list[Output]:
        """Wait until some bot has sent output, or until a given time; read all available output."""
        found, found_at = self._wait(until)
        outputs: list[Output] = []
        others = []
        for file, _ in found:
            if (seat := self._stdout.get(file)) is None:
                others.append(file)
            elif (data := seat.process.read()) is not None:
                outputs.append((seat, data, seat.process.clock.mark(found_at), found_at))
        for file in others:
            if (seat := self._attend(file)) is not None:
                outputs.append((seat, None, seat.process.clock.mark(found_at), found_at))
        return outputs

    def _attend(self, file: int) -> SeatedBot | None:
        """Read from a bot's stderr or write to its stdin; return the bot if it has written too much to stderr."""
        if (seat := self._stderr.get(file)) is not None:
            if seat.process.read_stderr():
                return None
            del self._stderr[file]
        elif (seat := self._stdin.get(file)) is not None and seat.process.write():
            return None
        self._poll.unregister(file)
        return seat if seat is not None and seat.process.stderr_exceeded else None

    def _wait(self, until: int) -> tuple[list[tuple[int, int]], int]:
        """Wait until poll reports events or `until`; return the events and the earliest time of their coming.

        Output that came before this thread polled may have come at any time since poll last found nothing, because
        this thread reads nothing while it waits for a core.
        """
        ran, begun = time.thread_time_ns(), now()
        if begun - self._woken_at - (ran - self._ran) >= SHORT_SLEEP:  # this thread has slept since then
            self._queued = self._run_delay()
        milliseconds = max(0, (until - begun + MILLISECOND - 1) // MILLISECOND)
        found: list[tuple[int, int]] = self._poll.poll(milliseconds)
        self.looked_at = after = now()
        slept = after - begun - milliseconds * MILLISECOND
        if slept >= STOPPED_AFTER:
            stopped = slept - max(0, self._run_delay() - self._queued)
            if stopped >= STOPPED_AFTER:
                begun += stopped
                for seat in self._stdout.values():
                    seat.process.clock.excuse(stopped)
        if not found:
            self.nothing_at = begun
            if after - begun >= SHORT_SLEEP:  # poll looks once more when its time is up and this thread has a core
                queued, self._queued = self._queued, self._run_delay()
                self.nothing_at = max(begun, after - max(0, self._queued - queued))
            return found, begun
        self._ran, self._woken_at = time.thread_time_ns(), after
        found_at = after
        if found_at - begun - (self._ran - ran) >= SHORT_SLEEP:
            queued, self._queued = self._queued, self._run_delay()
            found_at -= max(0, self._queued - queued)
        if found_at - begun - (self._ran - ran) < SHORT_SLEEP:  # the output was there before
            return found, self.nothing_at
        self.nothing_at = after
        return found, max(begun, found_at)

    def _run_delay(self) -> int:
        times = self._own_delay.read()
        return times[1] if times is not None else 0


def find_with_output(seats: Iterable[SeatedBot], *, stderr: bool = False) -> list[SeatedBot]:
    """Return the bots with unread output on stdout (or stderr), and the bots that have closed stdout (or stderr)."""
    by_file = {seat.process.stderr_fd if stderr else seat.process.stdout: seat for seat in seats}
    if not by_file:
        return []
    poll = select.poll()
    for file in by_file:
        poll.register(file, POLLIN)
    return [by_file[file] for file, _ in poll.poll(0)]
