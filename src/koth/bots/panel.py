"""The bots of one match that are processes: asked all at once, waited for in one loop. It knows no game."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import secrets
import selectors
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from koth.bots import guardian
from koth.bots.clock import Queue
from koth.bots.deadline import Deadline
from koth.bots.exchange import AVAILABLE, Exchange
from koth.bots.process import BotProcess
from koth.bots.sandbox.usage import EVERY
from koth.bots.wires import NOTHING_USED, Answer, Fault, Ready, Used
from koth.game import Answers, Asks, Budgets

LAST_WORDS = 0.2
"""Seconds that bots have to end by themselves after the match."""

Heard = dict[BotProcess, Answer | Ready | Fault]
"""What bots mean that have answered."""

_panels = itertools.count()


class _Guard:
    """The guardian of this process, started with the first bot; `mark` is what its bots have in common."""

    process: subprocess.Popen[bytes] | None = None
    owner = 0
    mark = ""

    @classmethod
    def start(cls) -> None:
        if cls.owner == os.getpid():
            return
        cls.owner = os.getpid()
        cls.mark = f"{cls.owner}.{secrets.token_hex(6)}"
        if os.path.isdir("/proc/self"):
            argv = [sys.executable, "-s", "-S", os.path.abspath(guardian.__file__), f"KOTH_RUN={cls.mark}"]
            cls.process = subprocess.Popen(
                argv, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
            )
            atexit.register(cls.stop)

    @classmethod
    def stop(cls) -> None:
        if cls.process is not None and cls.owner == os.getpid() and cls.process.stdin is not None:
            cls.process.stdin.close()
            cls.process.wait()
            cls.process = None


class Panel:
    """The processes of one match, by seat. Use it as a context manager: nothing of it outlives the match."""

    def __init__(self, bots: Mapping[int, BotProcess], budgets: Budgets) -> None:
        self.bots = dict(bots)
        self.budgets = budgets
        self._selector = selectors.DefaultSelector()
        self._asked_before: set[int] = set()
        self._writing: set[BotProcess] = set()
        """Those who have not got all of their question yet: their input is waited for, too."""
        self._marks: dict[str, str] = {}
        self._own = Queue("/proc/thread-self/schedstat")
        """How long koth itself waits for a core: answers lie there unheard meanwhile."""
        self.gone: list[int] = []
        """The seats whose bots are gone."""
        self._exchange: Exchange | None = None
        self._watched = 0.0
        """When it was last looked at what the bots use of the machine."""

    def __enter__(self) -> Panel:
        if self.bots:
            _Guard.start()
            self._marks = {"KOTH_RUN": _Guard.mark, "KOTH_PANEL": f"{_Guard.mark}.{next(_panels)}"}
        return self

    def __exit__(self, *_: object) -> None:
        for bot in self.bots.values():
            bot.close()
        self._selector.close()
        self._own.close()
        if self.bots and os.path.isdir("/proc/self"):
            guardian.kill_marked(f"KOTH_PANEL={self._marks['KOTH_PANEL']}".encode())

    def start(self, facts: Mapping[int, Mapping[str, object]]) -> None:
        """Start every bot and wait until it is ready; who is not in time is gone. Raises ArenaError."""
        self._exchange = Exchange(list(self.bots.values()), self._own) if AVAILABLE else None
        for seat, bot in self.bots.items():
            bot.start(self._marks)
            if not bot.gone:
                self._selector.register(bot.stdout, selectors.EVENT_READ, (bot, "stdout"))
                self._selector.register(bot.stderr_fd, selectors.EVENT_READ, (bot, "stderr"))
                bot.asked = bot.wire.hello(facts[seat])
                bot.send(bot.asked)
        waiting = [bot for bot in self.bots.values() if not bot.gone and bot.wire.handshake]
        heard: Heard = {}
        self._listen(set(waiting), self.budgets.start, heard, banks=False)
        for bot in self.bots.values():
            bot.bank = self.budgets.bank
            bot.is_open = False
        for bot in waiting:
            bot.start_seconds = bot.times.pop().wall
            meaning = heard.get(bot)
            if isinstance(meaning, Ready) or bot.gone:
                continue
            if meaning is None and bot.is_running():
                bot.kill("late", f"not ready within {self.budgets.start:g} s")
            elif meaning is None:
                bot.kill("crash", "")
            else:
                text = meaning.text if isinstance(meaning, Fault) else "an answer"
                bot.kill("garbage", f"its first message was not the one that says it is ready: {text}")
        self._count_the_gone()
        if self.budgets.freeze:
            self._freeze(set(waiting))

    def ask(self, asks: Asks, spans: Mapping[int, tuple[int, int]], answers: Answers, turn: int) -> dict[int, Answer]:
        """Ask these seats at once, each about its rows of a question, and write what they answer to `answers`.

        Where there was a fault they hold the defaults. Returns the answers of those who have more to tell than
        what is written. A bot that was gone before has no fault any more; what is written of it stays.
        """
        there = {self.bots[seat]: span for seat, span in spans.items() if not self.bots[seat].gone}
        for bot in there:
            bot.turn = turn
            is_spared = bot.bank == self.budgets.bank and not bot.late_in_a_row
            bot.wire.used = NOTHING_USED if is_spared else Used(self.budgets.bank - bot.bank, bot.late_in_a_row)
        budget = self.budgets.question
        if not self._asked_before.issuperset(spans):
            budget += self.budgets.first
            self._asked_before.update(spans)
        done: set[BotProcess] = set()
        heard: Heard = {}
        if there and self._exchange is not None and self._exchange.can_ask(there):
            self._exchange_with(self._exchange, asks, there, answers, budget, done, heard)
        else:
            for bot, rows in zip(there, asks.parts(list(there.values())), strict=True):
                bot.asked = bot.wire.ask(rows)
        if len(done) < len(there):
            self._ask_the_others([bot for bot in there if bot not in done], budget, heard)
        if time.perf_counter() - self._watched > EVERY:
            self._look_around()
        if self.budgets.freeze:
            self._freeze(set(there))
        if len(done) == len(spans):
            return {}
        given = {}
        for seat, span in spans.items():
            bot = self.bots[seat]
            if bot in there and bot not in done:
                given[seat] = self._answer(bot, asks, span, heard, budget)
                given[seat].write(answers, seat, span)
        self._count_the_gone()
        return given

    def _ask_the_others(self, bots: Sequence[BotProcess], budget: float, heard: Heard) -> None:
        """Ask those of these bots that have not been asked yet, and wait for all that have not answered."""
        left = [bot for bot in bots if bot not in heard and not bot.gone]
        for bot in left:
            if not bot.is_open:
                bot.open_question()
        left = [bot for bot in left if not bot.gone]
        for bot in left:  # one right after the other: it costs much to wake a core that has gone to sleep
            if not bot.is_open:
                bot.begin()
        if left:
            self._listen(set(left), budget, heard)

    def _exchange_with(
        self,
        exchange: Exchange,
        asks: Asks,
        spans: Mapping[BotProcess, tuple[int, int]],
        answers: Answers,
        budget: float,
        done: set[BotProcess],
        heard: Heard,
    ) -> None:
        """Ask these bots, and hear those who answer soon: plain answers are written, and they are `done`."""
        if self.budgets.freeze:
            for bot in spans:
                bot.resume()
        waiting = set(spans)
        for bot, spent in exchange.ask(asks, spans, answers, budget, done):
            self._understand(bot, waiting, heard)
            if bot in heard or bot.gone:
                bot.pay(bot.clock.read() if spent is None else spent, budget)
        for bot in exchange.have_said():
            self._read(bot, "stderr", waiting - done, heard)
            if bot.gone and bot.is_open:
                bot.charge(budget)

    def _look_around(self) -> None:
        """Hear what those say who are not asked, and see what all use."""
        self._read_the_rest(0)
        self._watch()
        self._count_the_gone()

    def _read_the_rest(self, seconds: float) -> None:
        """Read what those say who are not asked, and wait so long for it."""
        for key, _ in self._selector.select(seconds):
            bot, pipe = key.data
            self._read(bot, pipe, set(), {})

    def _count_the_gone(self) -> None:
        self.gone = [seat for seat, bot in self.bots.items() if bot.gone]

    def _answer(self, bot: BotProcess, asks: Asks, span: tuple[int, int], heard: Heard, waited: float) -> Answer:
        """What one bot that was asked is taken to have answered."""
        meaning = heard.get(bot)
        if isinstance(meaning, Answer) and bot.overdue:
            bot.late(waited, self.budgets, answered=True)
            return Answer.fault_of(asks.rows(*span), "late")
        if meaning is not None:
            bot.late_in_a_row = 0
        if isinstance(meaning, Answer):
            bot.note_rows(meaning)
            return meaning
        if isinstance(meaning, Ready):
            meaning = Fault("garbage", "a message that it is ready, instead of an answer")
        if isinstance(meaning, Fault):
            bot.note(meaning.kind, meaning.text)
            return Answer.fault_of(asks.rows(*span), meaning.kind)
        if not bot.gone:
            bot.late(waited, self.budgets)
        return Answer.fault_of(asks.rows(*span), bot.last_kind if bot.gone else "late")

    def bye(self) -> None:
        """Tell every bot that the match is over, and let it end by itself if it does so at once."""
        there = [bot for bot in self.bots.values() if not bot.gone]
        for bot in there:
            bot.resume()
            bot.hang_up(bot.wire.bye())
        deadline = time.perf_counter() + LAST_WORDS
        while any(bot.is_running() for bot in there) and time.perf_counter() < deadline:
            self._read_the_rest(0.005)

    def _freeze(self, asked: set[BotProcess]) -> None:
        """Nobody thinks while others are asked."""
        for bot in self.bots.values():
            if bot in asked:
                bot.stop()

    def _listen(self, waiting: set[BotProcess], budget: float, heard: Heard, *, banks: bool = True) -> None:
        """Wait for one meaning of each of these bots until its `budget` is used up, and with `banks` its bank.

        Raises Overloaded when the load of this machine keeps one from its work for too long.
        """
        mark = f"KOTH_PANEL={self._marks['KOTH_PANEL']}" if waiting else ""
        deadline = Deadline(waiting, budget, banks=banks, mark=mark)
        for bot in waiting:
            self._write_on(bot)
        queued = self._own.read()
        while waiting:
            events = self._selector.select(min(deadline.pause(), EVERY))
            before, queued = queued, self._own.read()
            unheard = (queued[1] - before[1]) / 1e9 if before and queued else 0.0
            if time.perf_counter() - self._watched > EVERY:
                self._watch()
                for bot in [bot for bot in waiting if bot.gone]:
                    waiting.discard(bot)
                    bot.charge(budget)
            for key, _ in events:
                bot, pipe = key.data
                if pipe == "stdin":
                    bot.flush()
                else:
                    self._read(bot, pipe, waiting, heard)
                if bot in waiting and (bot in heard or bot.gone):
                    waiting.discard(bot)
                    bot.charge(budget, unheard)
                self._write_on(bot)
            for bot in deadline.late(waiting):
                waiting.discard(bot)
                bot.charge(budget)
        for bot in self._writing:
            self._selector.unregister(bot.stdin)
        self._writing.clear()

    def _watch(self) -> None:
        """Look at what each bot uses, also of those that are not asked now."""
        for bot in self.bots.values():
            bot.watch()
        self._watched = time.perf_counter()

    def _write_on(self, bot: BotProcess) -> None:
        """Wait for the input of a bot that has not got all of its question yet, and of no other."""
        if bot.unsent and bot not in self._writing:
            self._selector.register(bot.stdin, selectors.EVENT_WRITE, (bot, "stdin"))
            self._writing.add(bot)
        elif bot in self._writing and not bot.unsent:
            self._selector.unregister(bot.stdin)
            self._writing.discard(bot)

    def _read(self, bot: BotProcess, pipe: str, waiting: set[BotProcess], heard: Heard) -> None:
        """Something has come, or a pipe has ended."""
        if pipe == "stderr":
            there = bot.read_stderr() and not bot.gone
        else:
            bot.read()
            there = not (bot.ended or bot.flood or bot.gone)
        if not there:
            with contextlib.suppress(KeyError):
                self._selector.unregister(bot.stderr_fd if pipe == "stderr" else bot.stdout)
        self._understand(bot, waiting, heard)

    def _understand(self, bot: BotProcess, waiting: set[BotProcess], heard: Heard) -> None:
        """See what it means that has come from a bot."""
        if bot in waiting and bot not in heard and (meaning := bot.hear()) is not None:
            heard[bot] = meaning
        if bot in waiting and bot not in heard:
            if bot.flood:
                bot.kill("flood", bot.flood)
            elif bot.ended:
                bot.kill("crash", "")
