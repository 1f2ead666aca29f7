"""When bots that were asked at once are late, and when it is the machine's load that keeps them from answering."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterable

from koth.bots.clock import cpu_time, descendants
from koth.bots.command import ArenaError
from koth.bots.guardian import marked
from koth.bots.process import BotProcess

STEP = 0.02
"""Seconds between two looks at a bot that is close to its end, at least."""


class Overloaded(ArenaError):
    """Other processes of this machine kept a bot from answering: the match is void.

    `bot` is who waited; whoever knows its `name` adds it.
    """

    def __init__(self, text: str, bot: BotProcess) -> None:
        super().__init__(text)
        self.bot = bot
        self.name = ""

    def __reduce__(self) -> tuple[type[ArenaError], tuple[str]]:
        return ArenaError, (str(self),)  # a bot's process stays where it is


def cap(allowance: float) -> float:
    """Seconds by the wall clock after which a bot that the machine's load holds up makes a match void."""
    return max(3 * allowance, allowance + 1)


class Deadline:
    """The time of the bots that are asked one question: `budget` seconds, and with `banks` what each has left.

    `mark` is the line in their environment by which processes of theirs are known that have run away.
    """

    def __init__(self, bots: Iterable[BotProcess], budget: float, *, banks: bool, mark: str = "") -> None:
        self._allowed = {bot: budget + (bot.bank if banks else 0.0) for bot in bots}
        self._next = dict(self._allowed)
        self._mark = mark
        self._load: _Load | None = None
        self._soonest = self._first(self._next)

    def _first(self, waiting: Iterable[BotProcess]) -> float:
        """When (by `time.perf_counter`) somebody of them has to be looked at."""
        return time.perf_counter() + min((self._next[bot] - bot.clock.wall for bot in waiting), default=0.0)

    def pause(self) -> float:
        """Seconds until somebody has to be looked at again."""
        return max(0.0, self._soonest - time.perf_counter())

    def late(self, waiting: Iterable[BotProcess]) -> list[BotProcess]:
        """Those whose time is over. Raises Overloaded when others have kept one from its work for too long."""
        if time.perf_counter() < self._soonest:
            return []
        late = [bot for bot in waiting if bot.clock.wall >= self._next[bot] and self._is_late(bot)]
        self._soonest = self._first(bot for bot in waiting if bot not in late)
        return late

    def _is_late(self, bot: BotProcess) -> bool:
        spent = bot.clock.read()
        allowed = self._allowed[bot]
        left = allowed - spent.charged
        if left <= 0:
            return True
        if self._load is None:
            self._load = _Load(self._mark)
        if spent.wall - self._load.of_the_contest(bot) >= cap(allowed):
            text = f"a bot waited {spent.queue:.1f} of {spent.wall:.1f} s for other processes of this machine"
            raise Overloaded(text, bot)
        self._next[bot] = spent.wall + max(left, STEP)
        return False


class _Load:
    """What this contest's own processes do to the machine from now on: load of its own making voids nothing."""

    def __init__(self, mark: str) -> None:
        self._mark = mark.encode()
        parent = multiprocessing.parent_process()
        self._root = parent.pid if parent is not None and parent.pid else os.getpid()
        self._before = self._now()

    def _now(self) -> dict[int, float]:
        away = marked(self._mark) if self._mark and os.path.isdir("/proc/self") else []
        return {pid: cpu_time(pid) or 0.0 for pid in dict.fromkeys([*descendants(self._root), *away])}

    def of_the_contest(self, bot: BotProcess) -> float:
        """Seconds that the contest's other processes have held cores."""
        own = set(bot.clock.pids())
        return sum(
            max(0.0, seconds - self._before.get(pid, 0.0)) for pid, seconds in self._now().items() if pid not in own
        )
