"""Bots at the seats of a match, each with its conversation and its process."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from koth.engine.batch import Batch
from koth.errors import KothError
from koth.game import TimeControl
from koth.protocol.bot_protocol import BotProtocol, Ended
from koth.sandbox.command import Command, describe_exit
from koth.sandbox.isolation import PLAIN, Isolation
from koth.sandbox.supervised_process import END_TIMEOUT
from koth.session import stack_location
from koth.session.bot import Bot
from koth.session.conversation import Conversation, Faulted, Late, Limits
from koth.session.cost import Cost
from koth.session.cpu_clock import NANO, is_ending, now
from koth.session.faults import CLOSED, EXCERPT, NO_REASON, FaultReport
from koth.session.process import BotProcess
from koth.session.time_control import FREE_SHARE, FREE_THINKING


class SeatedBot:
    """A bot at its seat: its conversation, its process, and the steps that need both."""

    def __init__(
        self, number: int, command: Command, protocol: BotProtocol, limits: Limits, isolation: Isolation = PLAIN
    ) -> None:
        self.number = number
        self.conversation = Conversation(protocol, limits)
        self.process = BotProcess(command, isolation, limits.kept, limits.stderr)
        self._began_cpu = self._began_at = 0
        """The CPU time and the moment at which the open question began."""
        self._cpu = self._at = 0
        """The last reading of the clock, and its moment."""

    def begin_clock(self, *, is_thinking_paid: bool = False) -> None:
        """Begin to charge a question; with `is_thinking_paid` also for the CPU time since the last answer."""
        cpu, at = self.process.clock.read(), now()
        if is_thinking_paid:
            free = FREE_THINKING * NANO + FREE_SHARE * (at - self._at)
            self._began_cpu = min(cpu, self._cpu + int(free))
        else:
            self._began_cpu = cpu
        self._began_at = at

    def cost(self, cpu: int, at: int) -> Cost:
        """Return the cost of the open question until a reading of the bot's clock and the time of the reading."""
        self._cpu, self._at = cpu, at
        return Cost((cpu - self._began_cpu) / NANO, (at - self._began_at) / NANO)

    def silent_cost(self) -> Cost:
        """Return the cost of the open question until now."""
        return self.cost(self.process.clock.read(), now())

    def add_stderr(self, report: FaultReport) -> None:
        """Add the bot's stderr to the report of a fault."""
        self.process.read_stderr()
        report.stderr = self.process.stderr.text()[-EXCERPT:]

    def locate(self, late: Late, seen: str) -> None:
        """Add a late bot's stack location, which may take a moment, to the bot's report; kill the bot if it is out.

        `seen` describes the bot's activity as seen from outside, when its time was up.
        """
        if late.report is not None:
            place = self.process.find_location()
            there = f"; the bot was at {place}" if place else f"; {seen}" if seen and not late.partial else ""
            blocked = " (the bot does not read its input)" if self.process.unsent else ""
            late.report.add(there + blocked + late.partial)
            self.add_stderr(late.report)
        if late.is_out:
            self.conversation.explain_end()
            self.process.kill()

    def find_end(self, reason: Ended | None, until: float) -> Faulted:
        """Record the end of a bot whose output has ended, with its exit code; wait for the code until a given time.

        A process that is ending is waited for, however busy the machine is. The reason of the bot's own adapter takes
        precedence. A process that runs on has only closed its output.
        """
        last = until + END_TIMEOUT
        while (code := self.process.exit_code()) is None:
            if (moment := time.perf_counter()) > until and (moment > last or not is_ending(self.process.pid())):
                break
            self.process.read_stderr()
            time.sleep(0.002)
        kind, text = reason or (("closed", CLOSED) if code is None else ("crash", NO_REASON))
        return self.record_end(kind, text, code)

    def record_end(self, kind: str, text: str, code: int | None) -> Faulted:
        """Record why a bot is out, or the reason that the system reports (memory, a forbidden call); kill the bot."""
        process, conversation = self.process, self.conversation
        process.read_stderr()
        if kind == "crash" and not conversation.protocol.says_why_it_ends:
            text = stack_location.find_crash(process.stderr.text(), process.command.folder) or text
        kind, text = process.exit_reason(kind, text)
        process.kill()
        return conversation.end(kind, text, describe_exit(code))


@dataclass(frozen=True)
class Seating:
    """The match for which bots are seated: one match of a batch, with the names at all its seats."""

    batch: Batch
    names: Sequence[str]
    time_control: TimeControl
    ruleset: str = ""
    limits: Limits = field(default_factory=Limits)
    isolation: Isolation = PLAIN
    match: int = 0
    """The number of the match in its batch."""

    def seat(self, bots: Mapping[int, Bot], seeds: Mapping[int, int]) -> dict[int, SeatedBot]:
        """Return these bots at their seats, each with its seed; the referee starts the bots."""
        game, settings, seats = self.batch.game, self.batch.settings, self.batch.seats
        return {
            seat: SeatedBot(
                seat,
                bot.command(seeds[seat]),
                bot.open_protocol(game, settings, seats),
                self.limits,
                self.isolation,
            )
            for seat, bot in bots.items()
        }

    def match_info(self, seat: int, seed: int) -> dict[str, Any]:
        """Return the match info of one bot: the keys of the game, and koth's own keys; `seed` is the bot's own.

        Raises KothError if the game uses one of koth's own keys.
        """
        game = self.batch.game
        from_koth = {
            "game": game.name,
            "ruleset": self.ruleset,
            "seat": seat,
            "names": list(self.names),
            "seed": seed,
            "seconds": self.time_control.question,
            "bank": self.time_control.bank,
            "strikes": self.time_control.late_in_a_row,
        }
        match_info = game.match_info(self.batch.settings, self.batch.state, self.match, seat)
        if not from_koth.keys().isdisjoint(match_info):
            taken = ", ".join(sorted(from_koth.keys() & match_info.keys()))
            raise KothError(f"the game {game.name} has {taken} in its match info: koth sends this key itself")
        return from_koth | match_info
