"""`koth debug`: a bot in a recorded match again, up to one turn, and on from there step by step."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from koth.cli.compiling import open_game
from koth.cli.said import HostOptions, interpreters
from koth.cli.screen import echo
from koth.contest.preflight import build
from koth.diagnostics.explain import by_unit, observation_text, said, shown
from koth.diagnostics.rerun import Moment, Rerun, recorded_bot, run_of
from koth.diagnostics.restart import DEBUGGERS, RestartedBot, attach_line, debugger_of, differences, with_debugger
from koth.diagnostics.why import readable
from koth.discovery.folder import load
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.game import FAULT_KINDS, FAULTS, Game
from koth.hill.client import is_address, match_at
from koth.protocol.bot_protocol import Answer
from koth.replay.reader import Replay
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose
from koth.services.contests import granted
from koth.session.bot import Bot

UNITS = 8
"""Units whose answers are shown."""


class DebugOptions(HostOptions):
    """Options of `koth debug`."""

    source: Path | None
    unit: int | None
    steps: int
    debugger: str | None
    port: int | None
    isolation: str | None


def debug(replay: str, bot: str, turn: int, options: DebugOptions) -> None:
    """Start the bot again, feed it what it received up to `turn`, and show question by question from there."""
    if not is_address(replay):
        _debug(Path(replay), bot, turn, options)
        return
    site, match = match_at(replay)
    with tempfile.TemporaryDirectory(prefix="koth-debug-") as folder:
        file = Path(folder) / f"match-{match}.jsonl.gz"
        file.write_bytes(site.replay(match))
        _debug(file, bot, turn, options)


def _debug(replay: Path, bot: str, turn: int, options: DebugOptions) -> None:
    record = Replay(replay)
    game = open_game(record.header["game"])
    again = Rerun(game, record, bot)
    how = recorded_bot(run_of(replay), bot)
    with tempfile.TemporaryDirectory(prefix="koth-debug-") as place:
        debugger = options["debugger"]
        isolation = choose(options["isolation"])
        source, given = options["source"] or how.path, _given(options, run_of(replay), replay)
        found = _bot(game, again, bot, source, Path(place), isolation, given)
        name = (debugger_of(found) if debugger == "auto" else debugger) if debugger else ""
        if name in DEBUGGERS and DEBUGGERS[name].port and isolation.is_at_least("partial"):
            text = f"isolation {isolation.level} keeps {name} from the bot; if you trust it"
            raise KothError(f"{text}: --isolation none")
        port = _port(name, options["port"])
        with RestartedBot(again, with_debugger(found, name, port) if name else found, isolation) as restarted:
            session = _Session(restarted, options["unit"], name, port)
            session.run(turn, options["steps"])


def _given(options: DebugOptions, run: Mapping[str, Any] | None, replay: Path) -> Interpreters:
    """Return what the host gives the bot: by this command line, else by the run's record."""
    if any((options["interpreters"], options["allow_read"])) or not run:
        return interpreters(options)
    return granted(run["interpreters"], interpreters(options), options["interpreters"], replay)


def _port(debugger: str, port: int | None) -> int:
    return port or (DEBUGGERS[debugger].port if debugger in DEBUGGERS else 0)


def _bot(
    game: Game,
    again: Rerun,
    name: str,
    source: Path | None,
    place: Path,
    isolation: Isolation,
    given: Interpreters,
) -> Bot:
    """Return the bot as it lies on this machine now, built."""
    if source is None:
        raise KothError(f"where is {name}? the replay does not lie in a run's folder; name it: --source BOT")
    bot = load(game, source, given, name, isolation)
    if again.digest and bot.digest != again.digest:
        echo(f"{source} has changed since this match: it may answer otherwise")
    built, problem = build(bot, place, isolation)
    if problem:
        raise KothError(f"{source}: {problem}")
    return built


class _Session:
    """Printer of one bot's match, question by question."""

    def __init__(self, restarted: RestartedBot, unit: int | None, debugger: str, port: int) -> None:
        self.restarted = restarted
        self.again = restarted.again
        self.unit = unit
        self.debugger = debugger
        self.port = port
        self._agreed = 0
        self._first = ""

    def run(self, turn: int, steps: int) -> None:
        """Feed it what it received before `turn`, then show question by question."""
        shown = 0
        for moment in self.again.moments():
            if self.restarted.seat.conversation.gone:
                break
            if moment.turn < turn:
                self._feed(moment)
                continue
            if not shown:
                self._arrived(moment.turn, turn)
                self._wait_for_debugger()
            self._show(moment)
            shown += 1
            if shown < steps or self.restarted.seat.conversation.gone:
                continue
            wanted = self._next()
            if wanted is None:
                return
            turn = wanted
        if self.restarted.seat.conversation.gone:
            self._report_end()
        elif not shown:
            self._arrived(None, turn)
        else:
            echo("the match ended here")

    def _feed(self, moment: Moment) -> None:
        answer = self.restarted.ask(moment)
        different = next(differences(self.again, moment, answer), None)
        self._agreed += different is None
        if different is not None and not self._first:
            self._first = f"question {moment.number} (turn {moment.turn}) is the first: {different[1]}"
        self.restarted.printed()

    def _arrived(self, turn: int | None, wanted: int) -> None:
        if turn is None:
            echo(f"it was asked nothing at turn {wanted} or later")
        elif turn != wanted:
            echo(f"it was asked nothing at turn {wanted}; the next question came at turn {turn}")
        if self._first:
            echo(f"not all answers before are the recorded ones: {self._first}")
        elif self._agreed:
            echo(f"all {self._agreed} answers before are the recorded ones")

    def _wait_for_debugger(self) -> None:
        if not self.debugger:
            return
        pid = self.restarted.seat.process.pid()
        echo(f"it waits for your debugger: {attach_line(self.debugger, self.port, pid)}")
        if sys.stdin.isatty():
            click.prompt("Enter asks the question", default="", show_default=False)

    def _show(self, moment: Moment) -> None:
        """Print one question: the board, what the bot receives, what it answers, and what is recorded."""
        echo(f"\nturn {moment.turn}, question {moment.number}: {moment.observations.question.doc}")
        row = self._row(moment)
        for line in observation_text(self.again, moment, row):
            echo(f"  {line}")
        answer = self.restarted.ask(moment)
        if self.restarted.seat.conversation.protocol.framing == "lines":
            echo(f"it receives: {_short(readable(self.restarted.seat.conversation.asked))}")
            echo(f"it answers:  {_short(readable(self.restarted.seat.conversation.said)) or 'nothing'}")
        else:
            self._tell_objects(moment, answer, row)
        different = [text for _, text in differences(self.again, moment, answer)]
        echo("as recorded" if not different else f"recorded otherwise: {'; '.join(different[:5])}")
        for text in _faults(answer):
            echo(f"fault: {text}")
        printed = "" if self.restarted.seat.conversation.gone else readable(self.restarted.printed()).rstrip()
        if printed:
            echo("it printed:\n  " + "\n  ".join(printed.splitlines()[-20:]))

    def _tell_objects(self, moment: Moment, answer: Answer, row: int) -> None:
        """Print what the chosen unit saw and what came back for it, as a class has it, then for other units."""
        observations = moment.observations
        echo(f"it sees:     {_short(by_unit(self.again, observations, shown(self.again, observations))[row])}")
        lines = by_unit(self.again, observations, said(self.again, observations, answer.fields))
        rows = [row] if self.unit is not None else [row, *(k for k in range(len(observations)) if k != row)]
        unit_lines = [lines[k] for k in rows if not answer.fault[k]]
        for number, line in enumerate(unit_lines[:UNITS]):
            echo(f"{' ' * 11 if number else 'it returns:'}  {_short(line)}")
        if len(unit_lines) > UNITS:
            echo(
                f"{' ' * 13}... and {len(unit_lines) - UNITS} more (--unit N shows the board as one of them sees it)"
            )

    def _row(self, moment: Moment) -> int:
        """Return the unit whose view is shown: the given one, else the first with a fault, else the first."""
        labels = moment.observations.question.labels(moment.observations)
        if self.unit is None:
            return int(moment.fault.astype(bool).argmax())
        if self.unit not in labels:
            raise KothError(f"no unit {self.unit} was asked at turn {moment.turn} (there are: {labels})")
        return labels.index(self.unit)

    def _next(self) -> int | None:
        """Return the turn that the author wants to see next (0: the next question), or None to end."""
        if not sys.stdin.isatty():
            return None
        while True:
            word = click.prompt("Enter: next question; a number: on to that turn; q", default="", show_default=False)
            if word in ("q", "quit"):
                return None
            if not word:
                return 0
            if word.isdecimal():
                return int(word)

    def _report_end(self) -> None:
        fault_report = self.restarted.fault_report
        assert fault_report is not None  # nobody is gone without a fault
        ended = f" ({fault_report.ending})" if fault_report.ending else ""
        meaning = "" if fault_report.kind == "crash" else f"{FAULT_KINDS[fault_report.kind].meaning}: "
        when = f"at turn {fault_report.turn}" if fault_report.turn else "while starting"
        echo(f"{when}: {fault_report.kind}: {meaning}{readable(fault_report.text.encode())}{ended}")
        stderr = readable(self.restarted.seat.process.stderr.text()[-2000:]).strip()
        if stderr:
            echo("its stderr:\n  " + "\n  ".join(stderr.splitlines()[-20:]))


def _faults(answer: Answer) -> list[str]:
    """Return what is wrong with an answer: the first few faults."""
    texts = [readable(text.encode()) for _, text in sorted(answer.errors)][:5]
    kinds = sorted({FAULTS[code] for code in answer.fault.tolist() if code})
    return texts or [f"{kind}: {FAULT_KINDS[kind].meaning}" for kind in kinds]


def _short(text: str) -> str:
    text = text.rstrip("\n")
    return text if len(text) <= 2000 else f"{text[:2000]} ... ({len(text)} characters)"
