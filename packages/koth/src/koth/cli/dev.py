"""`koth dev`: a new match after each save by the author, on a page that stays open."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from koth.cli.check import print_step
from koth.cli.saves import Saves
from koth.cli.screen import counted, echo
from koth.cli.terminal import Terminal
from koth.diagnostics.checkup import CheckStep, Checkup
from koth.discovery.entrants import find_only
from koth.discovery.folder import parse_spec
from koth.discovery.plays import find_game
from koth.discovery.samples import find_sample
from koth.errors import KothError, visible
from koth.game import Game
from koth.games import load
from koth.match import Result, StopMatch
from koth.sandbox.failures import refuse_at_bugs
from koth.services.checks import find_rivals, plan_check
from koth.services.options import CheckOptions
from koth.session.bot import Bot
from koth.viewer.server import print_address, serve_app
from koth.viewer.workbench import Now, State, Workbench, describe_failure, make_dev_app
from koth.warmup import first_time

ROUND_PATIENCE = 10.0
"""Seconds within which a round must end after it is asked to stop."""


def dev(bot: str, options: CheckOptions, port: int) -> None:
    """Serve the page, and play a match whenever a file of the bot is saved, until Ctrl-C."""
    loaded = load(options.game or find_game(bot))
    isolation = options.own_isolation
    path = find_path(loaded, bot)
    with tempfile.TemporaryDirectory(prefix="koth-dev-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        (folder / "replays").mkdir()
        checkup = plan_check(loaded, options, folder, Terminal(), lambda text: None)
        seats: Sequence[int] = ()
        with suppress(KothError):  # the first round says why it is not a bot
            seats = find_only(loaded, bot, options.grants, isolation, "check one at a time").seats
        others, missing = checkup.build_rivals(find_rivals(loaded, options.against, options.grants, isolation, seats))
        for problem in missing:
            raise KothError(problem.text)
        bench = Workbench(loaded, folder, path.stem)
        rounds = _Rounds(checkup, bot, others, bench, Saves(path), options)
        thread = threading.Thread(target=rounds.run, daemon=True)
        try:
            serve_app(make_dev_app(bench), port, _start_when_served(thread))
        finally:
            rounds.stop.set()
            if thread.is_alive():
                thread.join(ROUND_PATIENCE)


def find_path(game: Game, word: str) -> Path:
    """Return the path of the bot that a word of the command line names. Raises KothError if no such path exists."""
    _, target, _ = parse_spec(word)
    if target.startswith("@"):
        return find_sample(game.name, target[1:])
    path = Path(target)
    if not path.exists():
        raise KothError(f"{word}: no such file or folder")
    return path.absolute()


def _start_when_served(thread: threading.Thread) -> Any:
    """Return the callback that prints the page's address, and starts the first round."""

    def tell(address: str) -> None:
        print_address(address)
        thread.start()

    return tell


@dataclass
class _Rounds:
    """Rounds of `koth dev`: in each round the bot is found, built and started, and plays a match."""

    checkup: Checkup
    word: str
    others: Sequence[Bot]
    bench: Workbench
    saves: Saves
    options: CheckOptions
    stop: threading.Event = field(default_factory=threading.Event)
    _score: float | None = None
    """The score of the previous round."""

    def run(self) -> None:
        """Play rounds until `stop` is set."""
        number = 0
        while not self.stop.is_set():
            number += 1
            self.saves.look()
            self.bench.now = Now(number)
            try:
                with refuse_at_bugs():
                    self._play_round()
            except KothError as error:
                self._report_broken(CheckStep("build", str(error)))
            if not self.saves.are_new() and not self.saves.wait(self.stop):
                return

    def _set_state(self, state: State, text: str, **more: Any) -> None:
        self.bench.now = replace(self.bench.now, state=state, text=text, **more)

    def _report_broken(self, step: CheckStep) -> None:
        text, said = describe_failure(step)
        self._set_state("broken", text, said=said)
        self._print_heading()
        if step.problems:
            print_step(step, set())
        else:
            echo(visible(step.text, keep="\n"), err=True)

    def _print_heading(self) -> None:
        echo(f"--- {time.strftime('%H:%M:%S')} round {self.bench.now.number}")

    def _play_round(self) -> None:
        checkup = self.checkup
        self._set_state("building", "building it")
        bot = find_only(checkup.game, self.word, self.options.grants, checkup.isolation, "check one at a time")
        self._set_state("starting", "starting it" + first_time(checkup.game))
        built, step = checkup.build(bot)
        if not step.ok:
            self._report_broken(step)
            return
        against = ", ".join(other.name for other in self.others)
        self._set_state("playing", f"plays against {against}" if against else "plays without rivals")
        result = checkup.play_match(built, self.others, self.bench.replay, self._note_turn)
        if self.stop.is_set() or self.saves.are_new():
            self.bench.drop()
            return
        self._report_match(built, result)

    def _note_turn(self, turn: int) -> None:
        self.bench.now = replace(self.bench.now, turn=turn)
        turns = self.options.max_turns
        if self.stop.is_set() or (turns is not None and turn >= turns) or self.saves.are_new():
            raise StopMatch

    def _report_match(self, bot: Bot, result: Result) -> None:
        record, score = result.records[bot.name], result.scores[bot.name]
        problems = self.checkup.find_problems(self.bench.replay, bot, record)
        self.bench.keep(bot, result.records)
        before = "" if self._score is None else f" ({self._score:g} in the round before)"
        self._score = score
        text = f"{counted(result.turns, 'turn', 'turns')}, score {score:g}{before}"
        step = CheckStep("played", text, problems, remarks=self.checkup.slow_remarks(self.bench.replay, bot, record))
        self._set_state("played", text, problems=problems, remarks=step.remarks)
        self._print_heading()
        print_step(step, set())
