"""Input and output of the bots of a match: messages go out, bytes come in, each with a mark of the bot's time.

The loop knows descriptors, bytes and clocks, and no rules. It takes a mark just before a message is written to a bot
and with each read, so that a bot is charged neither for work after its answer nor while koth was not reading. Kernels
take marks from two numbers where one thread of a bot does all the work; elsewhere `koth.session.cpu_time` takes them.
All moments and times are nanoseconds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import numpy as np

from koth.game import Array
from koth.kernel import INT, LONG, foreign, kernel
from koth.protocol.frames import frame_size
from koth.session.cpu_time import (
    MONOTONIC,
    NANO,
    SLIGHT,
    STILL,
    THREAD,
    ChargedClock,
    Cost,
    CpuTime,
    Mark,
    RunDelay,
    behind_others,
    charged,
    clock_time,
    elapsed,
    now,
    thread_times,
)


class State(IntEnum):
    """The state of a bot as koth sees it."""

    IDLE = 0
    """The bot runs and has no open question."""
    STARTING = 1
    """The bot was started and has not sent that it is ready."""
    THINKING = 2
    """The bot was asked and has not answered."""
    DEAD = 3
    """The bot is out of the match: not started yet, ended, or about to be killed."""


IDLE, STARTING, THINKING, DEAD = (int(state) for state in State)

NOTHING, MESSAGE, PIECE, END = range(4)
"""Findings in a bot's output: nothing new, a whole message, a full buffer, the end of the output."""

PIPES = np.dtype(
    [
        ("stdin", "i8"), ("stdout", "i8"), ("stderr", "i8"),  # koth's ends; -1: closed
        ("state", "i8"),  # `State`
        ("framed", "i8"),  # 1: messages are frames, 0: they are lines
        ("has_inbox", "i8"),  # 1: the session's inbox holds earlier bytes, so new ones must be appended there
        ("sent", "i8"), ("size", "i8"),  # bytes of the last message: how many the pipe took, and all
        ("has_outbox", "i8"),  # 1: the session's outbox holds earlier bytes, so a message must be queued behind them
        ("found", "i8"), ("got", "i8"),  # NOTHING, MESSAGE, PIECE or END, and the number of bytes in its buffer
        ("wrote_stderr", "i8"), ("takes_input", "i8"),  # 1: stderr is to be read; 1: its stdin takes bytes again
        ("cpu_clock", "i8"), ("schedstat", "i8"),  # of the one thread that works; -1: marks are taken in Python
        ("may_fork", "i8"),  # 1: it may have other processes, which these two do not cover
        ("asked_at", "i8"), ("asked_cpu", "i8"), ("asked_run", "i8"), ("asked_wait", "i8"),
        ("output_at", "i8"), ("output_cpu", "i8"), ("output_run", "i8"), ("output_wait", "i8"),
        ("read_delay", "i8"),  # how long the output had been in the pipe before koth read it
    ]
)  # fmt: skip
"""The pipes of one bot, the last findings in them, and its marks at the question and at its output."""

OWN = np.dtype([("schedstat", "i8"), ("nothing_at", "i8"), ("woken_at", "i8"), ("ran", "i8"), ("queued", "i8")])
"""The time of koth's own thread: its schedstat; the last moment at which poll found nothing; the last moment at which
it found something, the thread's CPU time then, and its run-queue delay so far."""

SHORT_SLEEP = 5_000
"""Sleeps shorter than this are ignored: reading schedstat again would cost more."""
STDERR_SOON = 1_000_000
"""The longest wait for a bot whose stderr pipe may be full: the bot may be blocked until koth reads it."""
STOPPED = 100 * 1_000_000
"""The excess of a poll over its timeout and its run-queue delay from which on koth itself counts as having been
stopped.
"""
POLLIN, POLLOUT = 1, 4
NEWLINE = ord("\n")
PER_BOT = 3
"""Entries of the poll table for each bot: stdout, stderr, stdin."""
BUFFER = 1 << 16
"""Bytes of a bot's output that one read takes at most."""
CHUNK = 1 << 18
"""Bytes of a bot's outbox that one write offers at most."""
COPY = 4096
"""Bytes kept of the last message to a bot."""

_write = foreign("write", LONG, INT, LONG, LONG)
_read = foreign("read", LONG, INT, LONG, LONG)
_poll = foreign("poll", INT, LONG, LONG, INT)
_copy = foreign("memcpy", LONG, LONG, LONG, LONG)


# -- sending


@kernel
def send_all(
    table: Array, seats: Array, data: Array, starts: Array, state: int, copies: Array, scratch: Array
) -> bool:
    """Write to each bot its message `data[starts[i]:starts[i + 1]]`, as far as its pipe takes it, after taking its
    mark.

    Return whether all pipes took all.

    The beginning of each message is copied, for dead bots too: it is the question that they died in. The marks of the
    last answer can't be reused: run-queue delay since then would be deducted from this question.
    """
    is_sent = True
    for i in range(seats.size):
        bot = table[seats[i]]
        bot["size"] = starts[i + 1] - starts[i]
        kept = min(bot["size"], copies.shape[1])
        _copy(copies.ctypes.data + seats[i] * copies.shape[1], data.ctypes.data + starts[i], kept)
        if bot["state"] == DEAD:
            continue
        if bot["schedstat"] >= 0:
            bot["asked_cpu"] = clock_time(bot["cpu_clock"], scratch)
            bot["asked_run"], bot["asked_wait"] = thread_times(bot["schedstat"], scratch)
        bot["found"] = NOTHING
        bot["got"] = 0
        bot["wrote_stderr"] = 0
        bot["state"] = state
        bot["asked_at"] = clock_time(MONOTONIC, scratch)
        bot["sent"] = 0
        if not bot["has_outbox"]:
            bot["sent"] = max(0, _write(bot["stdin"], data.ctypes.data + starts[i], bot["size"]))
        is_sent &= bot["sent"] == bot["size"]
    return bool(is_sent)


# -- receiving


@kernel
def watch_for(polls: Array, entry: int, fd: int, events: int) -> None:
    """Set an entry of the poll table: these events of this descriptor; -1 disables the entry."""
    polls[entry, 0] = fd
    polls[entry, 1] = events


@kernel
def happened(polls: Array, entry: int) -> bool:
    """Return whether `poll` has reported any event, which the upper half of an entry's second number holds."""
    return bool((polls[entry, 1] >> 16) != 0)


@kernel
def is_waited_for(bot: Any) -> bool:
    """Return whether a bot has been asked, or started, and has not answered."""
    return bool(bot["state"] == STARTING or bot["state"] == THINKING)


@kernel
def is_silent(bot: Any) -> bool:
    """Return whether a bot is waited for and no finding in its output is pending."""
    return is_waited_for(bot) and bool(bot["found"] == NOTHING)


@kernel
def count_open(table: Array, seats: Array) -> tuple[int, int]:
    """Return the number of bots with pending findings, and the number of bots that are waited for."""
    news = 0
    waiting = 0
    for seat in seats:
        bot = table[seat]
        waits = is_waited_for(bot)
        waiting += waits
        news += (waits and bot["found"] != NOTHING) or bot["wrote_stderr"] != 0 or bot["takes_input"] != 0
    return news, waiting


@kernel
def ends_line(data: Array) -> bool:
    """Return whether a line ends among these bytes."""
    for byte in data:  # noqa: SIM110 - compiled as it stands
        if byte == NEWLINE:
            return True
    return False


@kernel
def read_output(bot: Any, buffer: Array, found_at: int, scratch: Array) -> None:
    """Read a bot's output that came at the moment `found_at`, and take the bot's mark if there is a finding."""
    got = _read(bot["stdout"], buffer.ctypes.data + bot["got"], buffer.size - bot["got"])
    if got < 0:
        return
    before = bot["got"]
    bot["got"] += got
    if got == 0:
        bot["found"] = END
    elif bot["has_inbox"] or (
        frame_size(buffer, bot["got"]) if bot["framed"] else ends_line(buffer[before : bot["got"]])
    ):
        bot["found"] = MESSAGE
    elif bot["got"] == buffer.size:
        bot["found"] = PIECE
    else:
        return
    bot["output_at"] = max(found_at, bot["asked_at"])
    bot["read_delay"] = clock_time(MONOTONIC, scratch) - bot["output_at"]
    if bot["schedstat"] >= 0:
        bot["output_cpu"] = clock_time(bot["cpu_clock"], scratch)
        bot["output_run"], bot["output_wait"] = thread_times(bot["schedstat"], scratch)


@kernel
def wait_for(polls: Array, count: int, until: int, own: Any, scratch: Array) -> tuple[int, int]:
    """Wait until poll reports an event; return the earliest moment at which it may have happened, -1 if none did.

    The second number is for how long koth itself was stopped meanwhile (nanoseconds).

    Output that was there before this thread polled may have come at any moment since poll last found nothing, because
    this thread reads nothing while it waits for a core.
    """
    ran, begun = clock_time(THREAD, scratch), clock_time(MONOTONIC, scratch)
    if begun - own["woken_at"] - (ran - own["ran"]) >= SHORT_SLEEP:  # this thread has slept since then
        own["queued"] = thread_times(own["schedstat"], scratch)[1]
    milliseconds = max(0, (until - begun + 999_999) // 1_000_000)
    found = _poll(polls.ctypes.data, count, milliseconds)
    after = clock_time(MONOTONIC, scratch)
    stopped = 0
    if after - begun - milliseconds * 1_000_000 >= STOPPED:
        delay = max(0, thread_times(own["schedstat"], scratch)[1] - own["queued"])
        stopped = after - begun - milliseconds * 1_000_000 - delay
        stopped = stopped if stopped >= STOPPED else 0
    if found <= 0:
        own["nothing_at"] = begun + stopped
        if after - begun >= SHORT_SLEEP:  # poll looks once more when its time is up and this thread has a core
            queued = own["queued"]
            own["queued"] = thread_times(own["schedstat"], scratch)[1]
            own["nothing_at"] = max(own["nothing_at"], after - max(0, own["queued"] - queued))
        return -1, stopped
    found_at = after
    own["ran"] = clock_time(THREAD, scratch)
    own["woken_at"] = after
    if found_at - begun - (own["ran"] - ran) >= SHORT_SLEEP:
        queued = own["queued"]
        own["queued"] = thread_times(own["schedstat"], scratch)[1]
        found_at -= max(0, own["queued"] - queued)
    if found_at - begun - (own["ran"] - ran) < SHORT_SLEEP:  # the answer was there before
        return int(own["nothing_at"]), stopped
    own["nothing_at"] = after
    return int(max(begun, found_at)), stopped


@kernel
def is_urgent(bot: Any) -> bool:
    """Return whether the referee has to handle a bot's output before the loop waits for anything else."""
    is_whole_frame = bot["framed"] and not bot["has_inbox"] and bot["found"] == MESSAGE
    return bool(bot["found"] != NOTHING and not is_whole_frame)


@kernel
def pump(table: Array, seats: Array, buffers: Array, polls: Array, own: Any, until: int, scratch: Array) -> None:
    """Read from these bots until one needs the referee, or all have sent a whole frame, or until the moment `until`.

    A whole frame has its mark and can wait; lines, ends, full buffers and output on stderr can't. If a bot needs the
    referee already, read without waiting.
    """
    urgent = False
    while True:
        waiting = 0
        deadline = until
        for i in range(seats.size):
            bot = table[seats[i]]
            silent = is_silent(bot)
            waiting += silent
            urgent |= is_waited_for(bot) and is_urgent(bot)
            if silent and bot["wrote_stderr"]:
                deadline = min(deadline, clock_time(MONOTONIC, scratch) + STDERR_SOON)
            watch_for(polls, PER_BOT * i, bot["stdout"] if silent else -1, POLLIN)
            # after stdout, so that text written to stderr before an answer is found together with the answer
            watch_for(polls, PER_BOT * i + 1, bot["stderr"] if silent and not bot["wrote_stderr"] else -1, POLLIN)
            watch_for(polls, PER_BOT * i + 2, bot["stdin"] if silent and bot["has_outbox"] else -1, POLLOUT)
        if not waiting:
            return
        found_at, stopped = wait_for(polls, PER_BOT * seats.size, 0 if urgent else deadline, own, scratch)
        for i in range(seats.size):
            bot = table[seats[i]]
            if stopped and is_silent(bot):
                bot["asked_at"] += stopped
            if found_at < 0:
                continue
            if happened(polls, PER_BOT * i + 1):
                bot["wrote_stderr"] = 1
            if happened(polls, PER_BOT * i + 2):
                bot["takes_input"] = 1
                urgent = True
            if happened(polls, PER_BOT * i):
                read_output(bot, buffers[seats[i]], found_at, scratch)
                urgent |= is_urgent(bot)
        if urgent or found_at < 0:
            return


# -- bots that are not waited for


@kernel
def list_speaking(table: Array, seats: Array, polls: Array, is_stderr: bool, found: Array) -> int:
    """Write to `found` the bots that have output in stdout (or stderr), or have closed it; return their number."""
    for i in range(seats.size):
        bot = table[seats[i]]
        watch_for(polls, i, bot["stderr"] if is_stderr else bot["stdout"], POLLIN)
    _poll(polls.ctypes.data, seats.size, 0)
    count = 0
    for i in range(seats.size):
        if happened(polls, i) or (not is_stderr and table[seats[i]]["has_inbox"]):
            found[count] = seats[i]
            count += 1
    return count


@kernel
def list_busy(table: Array, seats: Array, before: Array, enough: int, found: Array, scratch: Array) -> int:
    """Write to `found` the bots that used `enough` CPU time since `before`, or can't be measured here; return their
    number.

    `before` (int64 nanoseconds by seat) is set to their clocks.
    """
    count = 0
    for seat in seats:
        bot = table[seat]
        is_seen = bot["schedstat"] >= 0 and not bot["may_fork"]
        cpu = clock_time(bot["cpu_clock"], scratch) if is_seen else -1
        if cpu < 0 or cpu - before[seat] >= enough:
            before[seat] = cpu
            found[count] = seat
            count += 1
    return count


# -- costs


@kernel
def add_up(bot: Any) -> tuple[float, float, float]:
    """Return the cost of the time between a bot's marks: the three numbers of a `Cost`."""
    wall = (bot["output_at"] + bot["read_delay"] - bot["asked_at"]) / NANO
    cpu = max(0, bot["output_cpu"] - bot["asked_cpu"]) / NANO
    run, wait = bot["output_run"] - bot["asked_run"], bot["output_wait"] - bot["asked_wait"]
    waited = behind_others(wait / NANO, run / NANO, cpu)
    return wall, cpu, min(waited + bot["read_delay"] / NANO, wall)


@kernel
def is_incomplete(bot: Any, cost: float) -> bool:
    """Return whether the marks may miss work or waiting: other threads or processes may have worked, or a thread has
    ended.

    A question that seems to cost nothing counts too if it took long: its thread waited for a core behind others of
    its bot.
    """
    wall = (bot["output_at"] + bot["read_delay"] - bot["asked_at"]) / NANO
    cpu, run = (bot["output_cpu"] - bot["asked_cpu"]) / NANO, (bot["output_run"] - bot["asked_run"]) / NANO
    may_hide = bot["may_fork"] and (cost > SLIGHT or wall > STILL)
    may_have_waited = cpu - run > SLIGHT and cost - cpu > SLIGHT
    return bool(bot["output_cpu"] < 0 or bot["output_run"] < 0 or may_hide or may_have_waited)


@kernel
def is_another_thread(bot: Any) -> bool:
    """Return whether another thread than the watched one did most of the work."""
    cpu = (bot["output_cpu"] - bot["asked_cpu"]) / NANO
    return bool(cpu >= SLIGHT and (bot["output_run"] - bot["asked_run"]) / NANO < cpu / 2)


# -- the loop


class IoLoop:
    """The pipes of the bots of one match, by seat, and their clocks.

    `table` has a row of `PIPES` for each seat, `buffers` the last bytes read (uint8[seats, bytes]), `copies` the
    beginning of the last message sent (uint8[seats, COPY]).
    """

    def __init__(self, seats: int, buffer: int = BUFFER) -> None:
        self.table = np.zeros(seats, PIPES)
        for name in ("stdin", "stdout", "stderr", "cpu_clock", "schedstat"):
            self.table[name] = -1
        self.table["state"] = DEAD
        self.buffers = np.empty((seats, min(buffer, BUFFER)), np.uint8)
        self.copies = np.zeros((seats, COPY), np.uint8)
        self._polls = np.zeros((PER_BOT * seats, 2), np.int32)
        self._found = np.zeros(seats, np.int64)
        self._scratch = np.zeros(16, np.int64)
        self._run_delay = RunDelay("/proc/thread-self/schedstat")
        self._own = np.zeros(1, OWN)
        self._own["schedstat"] = self._run_delay.file
        self._clocks: dict[int, ChargedClock] = {}
        self._asked: dict[int, Mark] = {}
        """The mark at the question of each bot whose clock is read in Python; its moment stands in the table."""
        self._last_marks: dict[int, Mark] = {}
        """The last mark since then."""
        self._found_marks: dict[int, Mark] = {}
        """The marks of bots with pending findings."""
        self._may_fork: set[int] = set()

    def close(self) -> None:
        """Close the loop's own files."""
        self._run_delay.close()

    def add(self, seat: int, pipes: tuple[int, int, int], clock: ChargedClock, *, framed: bool) -> None:
        """Add a bot that has been started, with koth's ends of its stdin, stdout and stderr."""
        bot = self.table[seat]
        bot["stdin"], bot["stdout"], bot["stderr"] = pipes
        bot["framed"] = framed
        bot["state"] = STARTING
        self._clocks[seat] = clock
        if clock.has_family:
            bot["may_fork"] = 1
            self._may_fork.add(seat)

    # -- sending and receiving

    def send(self, seats: Array, data: Array, starts: Array, debts: Mapping[int, float]) -> bool:
        """Send each bot its message `data[starts[i]:starts[i + 1]]` (uint8, int64); from then on it is THINKING.

        `debts` are CPU seconds by seat that bots have used before, and that are charged to this question. Returns
        whether the pipes took all; if not, `sent` in the table is the number of bytes taken.
        """
        self._asked.clear()
        self._last_marks.clear()
        self._found_marks.clear()
        for seat in self._may_fork.intersection(seats.tolist()) if self._may_fork else ():
            self.table["cpu_clock"][seat], self.table["schedstat"][seat] = self._clocks[seat].handles()
        if debts:
            self.table["schedstat"][list(debts)] = -1  # so that a mark in Python carries the debt
        for seat in seats[self.table["schedstat"][seats] < 0].tolist():
            self._asked[seat] = self._clocks[seat].ask()._replace(debt=int(NANO * debts.get(seat, 0.0)))
        return send_all(self.table, seats, data, starts, THINKING, self.copies, self._scratch)

    def greet(self, seats: Array, data: Array, starts: Array) -> bool:
        """Send newly started bots their first message; they are charged from their start on."""
        is_sent = send_all(self.table, seats, data, starts, STARTING, self.copies, self._scratch)
        self._asked = {seat: self._clocks[seat].birth for seat in seats.tolist()}
        self.table["asked_at"][seats] = [mark.at for mark in self._asked.values()]
        return is_sent

    def pump(self, seats: Array, until: int) -> None:
        """Read from these bots (see the kernel `pump`); the results are in `table` and `buffers`."""
        pump(self.table, seats, self.buffers, self._polls, self._own[0], until, self._scratch)

    def mark_found(self, seats: Array) -> None:
        """Take in Python the marks of bots with findings that kernels can't mark, before those bots work on."""
        for seat in seats[self.table["found"][seats] != NOTHING].tolist():
            if seat not in self._found_marks and self._needs_mark(seat):
                self._found_marks[seat] = self._mark(seat)

    def write_on(self, seat: int, outbox: bytearray) -> None:
        """Write a bot's outbox as far as its pipe takes it, and drop the bytes written.

        If the bot has closed its input, drop the whole outbox; its output shows the reason.
        """
        bot = self.table[seat]
        try:
            while outbox and (sent := os.write(int(bot["stdin"]), outbox[:CHUNK])):
                del outbox[:sent]
        except BlockingIOError:
            pass
        except OSError:
            outbox.clear()
        bot["takes_input"], bot["has_outbox"] = 0, bool(outbox)

    def take_bytes(self, seat: int) -> bytes:
        """Return the bytes read of a bot's output, and empty its buffer."""
        bot = self.table[seat]
        data = self.buffers[seat, : bot["got"]].tobytes()
        bot["got"] = 0
        return data

    def go_on(self, seat: int, *, waited: bool) -> None:
        """Keep waiting for a bot whose message was no answer; with `waited`, stop its clock for the time since the
        message.
        """
        bot = self.table[seat]
        bot["found"] = NOTHING
        self._found_marks.pop(seat, None)
        if waited:
            bot["asked_at"] += now() - int(bot["output_at"])

    # -- bots that are not waited for

    def speaking(self, seats: Array, *, stderr: bool = False) -> list[int]:
        """Return the bots, not waited for, that have output in stdout (or stderr)."""
        count = list_speaking(self.table, seats, self._polls, stderr, self._found)
        return [int(seat) for seat in self._found[:count]]

    def busy(self, seats: Array, before: Array, enough: float) -> list[int]:
        """Return the bots that used `enough` CPU seconds since `before`, or can't be measured here."""
        count = list_busy(self.table, seats, before, int(enough * NANO), self._found, self._scratch)
        return [int(seat) for seat in self._found[:count]]

    # -- costs

    def cost(self, seat: int) -> Cost:
        """Return the cost of a bot's question until its last output, or until now if it is silent."""
        bot = self.table[seat]
        silent = is_silent(bot)
        if not self._needs_mark(seat):
            return Cost(*add_up(bot))
        asked = self._asked[seat]._replace(at=int(bot["asked_at"]))
        self._last_marks[seat] = mark = self._found_marks.get(seat) or self._mark(seat)
        return elapsed(asked, mark, int(self._own["nothing_at"][0] if silent else bot["output_at"]))

    def _needs_mark(self, seat: int) -> bool:
        """Return whether the cost of a bot's question needs marks in Python; make the first of them if so."""
        bot = self.table[seat]
        if seat in self._asked:
            return True
        if not (is_silent(bot) or is_incomplete(bot, charged(*add_up(bot)))):
            return False
        self._asked[seat] = self._clocks[seat].mark_of(
            int(bot["asked_at"]), int(bot["asked_cpu"]), int(bot["asked_run"]), int(bot["asked_wait"])
        )
        return True

    def _mark(self, seat: int) -> Mark:
        """Take a mark of an asked bot in Python."""
        clock = self._clocks[seat]
        bot = self.table[seat]
        answered = None if is_silent(bot) else int(bot["output_at"])
        mark = clock.mark(relist=now() - int(bot["asked_at"]) > SLIGHT * NANO, answered=answered)
        if not clock.watches_one:  # that thread has ended, and its file is closed
            self.table["schedstat"][seat] = -1
        return mark

    def settle(self, seat: int) -> None:
        """Close a bot's question, and choose how its marks are taken next time."""
        bot, clock = self.table[seat], self._clocks[seat]
        bot["found"] = NOTHING
        self._found_marks.pop(seat, None)
        if bot["state"] != DEAD:
            bot["state"] = IDLE
        if seat in self._asked:
            if seat in self._last_marks:
                clock.follow(self._asked[seat], self._last_marks[seat])
            bot["cpu_clock"], bot["schedstat"] = clock.handles()
        elif is_another_thread(bot):
            clock.watch_all()
            bot["cpu_clock"] = bot["schedstat"] = -1

    def cpu_times(self) -> dict[int, CpuTime]:
        """Return the CPU time of all processes of each bot until now, by seat."""
        return {seat: clock.cpu(relist=True) for seat, clock in self._clocks.items()}
