"""`koth check`: is this bot fit to play?"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from koth.cli.exit_codes import NO, OK
from koth.cli.said import HostOptions, interpreters, overrides, time_control_of
from koth.cli.screen import Doing, echo, text_block
from koth.diagnostics.checkup import MATCHES, Checkup, Problem, Step
from koth.diagnostics.checkup import check as look_over
from koth.discovery.entrants import find, only
from koth.discovery.plays import game_of
from koth.engine.settings import choose
from koth.errors import KothError, visible
from koth.game import Game
from koth.games import load, playable
from koth.sandbox.failures import Bug, refuse_at_bugs
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose as isolation_level
from koth.session.bot import Bot
from koth.session.time_control import for_each

SAY_EVERY = 5.0
"""Seconds between two words on what is waited for."""
SLOW = 0.1
"""Of its budget; a bot that takes more is shown what each of its units took."""
ALL = 100_000
"""Turns that no match has, where its rules say no number."""


class CheckOptions(HostOptions):
    """Options of `koth check`."""

    ruleset: str | None
    sets: tuple[str, ...]
    max_turns: int | None
    seed: int
    against: tuple[str, ...]
    start_timeout: float | None
    isolation: str | None
    as_json: bool


def check(bot: str, game: str | None, options: CheckOptions) -> NoReturn:
    """Look the bot over, say step by step how it went, and end with the exit code."""
    game = game or wanted_game(bot)
    loaded = load(game)
    ruleset, settings = choose(loaded, options["ruleset"], overrides(options["sets"]))
    isolation = replace(isolation_level(options["isolation"]), trusts_processes=True)
    doing = Doing()
    doing("looking for it")
    try:
        one = only_bot(loaded, bot, options, isolation)
        samples = rivals(loaded, options["against"], options, isolation, one.seats)
        with tempfile.TemporaryDirectory(prefix="koth-check-") as place:
            checkup = Checkup(
                loaded,
                ruleset,
                settings,
                options["max_turns"],
                options["seed"],
                Path(place),
                time_control_of(loaded, options["start_timeout"]),
                isolation,
                Waits(),
                doing,
            )
            shown_kinds: set[str] = set()
            steps: list[Step] = []

            def tell(step: Step) -> None:
                doing.stop()
                steps.append(step)
                if not options["as_json"]:
                    tell_step(step, shown_kinds)

            try:
                with refuse_at_bugs():
                    look_over(checkup, one, samples, tell)
            except Bug as error:
                tell(Step("bug", "the check ends here", [Problem("bug", 1, 0, str(error))]))
    finally:
        doing.stop()
    ok = all(step.ok for step in steps)
    if options["as_json"]:
        click.echo(json.dumps({"bot": one.name, "game": game, "ok": ok, "steps": [_as_json(s) for s in steps]}))
    else:
        echo(_verdict(steps, checkup.length))
    sys.exit(OK if ok else NO)


def wanted_game(bot: str) -> str:
    """Return the game that a bot is meant for; ask for it in a terminal, where no file names it. Raises KothError."""
    try:
        return game_of(bot)
    except KothError:
        if not sys.stdin.isatty() or not (bot.startswith("@") or Path(bot.rpartition("=")[2]).exists()):
            raise
    game: str = click.prompt("which game does it play?", type=click.Choice(playable()))
    return game


def only_bot(game: Game, word: str, options: HostOptions, isolation: Isolation) -> Bot:
    """Return the bot that a word of the command line names. Raises KothError where it names none, or several."""
    return only(game, word, interpreters(options), isolation, "check one at a time")


def rivals(
    game: Game, words: Sequence[str], options: HostOptions, isolation: Isolation, seats: Sequence[int] = ()
) -> list[Bot]:
    """Return the rivals that the command line names, else as many samples as a match has seats beside the bot.

    `seats` are the numbers of seats at which the bot plays (empty: any); samples play several times where there are
    too few for these. Raises KothError, also if the number of rivals does not fit `seats`.
    """
    most = game.contest_defaults.table or min(4, game.seats.stop - 1)
    if seats and most not in seats:
        most = max(seats)
    samples = game.default_entrants
    if not words:
        words = [f"@{name}" for name in samples[: most - 1]]
        again = [samples[k % len(samples)] for k in range(len(words), most - 1)] if seats and samples else []
        words += [f"{name}_{k}=@{name}" for k, name in enumerate(again, 2)]
    found, errors = find(game, words, interpreters(options), isolation)
    if errors:
        raise errors[0]
    if seats and found and len(found) + 1 not in seats:
        wanted = ", ".join(str(number - 1) for number in seats)
        raise KothError(f"its koth.toml has seats = {list(seats)}: name so many rivals: {wanted}, not {len(found)}")
    return found


def _as_json(step: Step) -> dict[str, Any]:
    problems = [{"meaning": problem.meaning, **vars(problem)} for problem in step.problems]
    about = {"step": step.name, "ok": step.ok, "text": step.text, "numbers": dict(step.numbers)}
    played = {"turns": step.turns, "whole": step.whole, "out": step.out} if step.name in MATCHES else {}
    return {**about, **played, "problems": problems, "remarks": list(step.remarks)}


def _verdict(steps: Sequence[Step], length: int | None) -> str:
    """Return the last line: fit or not, and what was tried."""
    tried = _tried(steps, length)
    if any(problem.kind == "bug" for step in steps for problem in step.problems):
        return f"not checked to the end{f' (tried: {tried})' if tried else ''}"
    if any(problem.kind != "rival" for step in steps for problem in step.problems):
        return f"not ready yet{f' (tried: {tried})' if tried else ''}"
    if any(step.problems for step in steps):
        return f"no fault of its own, but rivals are missing (tried: {tried})"
    noticed = ", but see what was noticed" if any(step.remarks for step in steps) else ": it is ready to play"
    return f"no fault{noticed} (tried: {tried})"


def _tried(steps: Sequence[Step], length: int | None) -> str:
    """Return in words how much of the matches was played; empty if none was."""
    played = [step for step in steps if step.turns]
    parts = []
    for step in played:
        of = "a whole match of " if step.whole else ""
        all_turns = f" of {length}" if length and not step.whole else ""
        out = ", until it was out" if step.out else ""
        turns = f"{of}{step.turns}{all_turns} turn{'s' * (step.turns != 1)}"
        parts.append(f"{turns} {'alone' if step.name == 'alone' else 'against others'}{out}")
    if not all(step.whole or step.out for step in played):
        parts.append(f"--max-turns {length or ALL} tries all")
    return "; ".join(parts)


class Waits:
    """Says what is waited for, now and then."""

    def __init__(self) -> None:
        self._said = 0.0

    def __call__(self, name: str, seconds: float) -> None:
        if time.monotonic() - self._said > SAY_EVERY:
            self._said = time.monotonic()
            text = f"{name} waits for a core, {seconds:.0f} s by now: other programs of this machine hold them"
            echo(f"koth: {text}", err=True)


def tell_step(step: Step, shown_kinds: set[str]) -> None:
    """Print one step; kinds of faults that were printed before get a single line."""
    if step.name in ("build", "start"):
        for line in _no_start(step):
            echo(line)
        return
    state = "" if step.remarks and step.ok else ": fine" if step.ok else ": not fine"
    echo(f"{step.name}: {step.text}{state}")
    for remark in step.remarks:
        echo(f"  {visible(remark)}")
    if step.numbers:
        echo(f"  {_numbers(step.numbers)}")
    for problem in step.problems:
        for line in _problem(problem)[: 1 if problem.kind in shown_kinds else None]:
            echo(line)
        if problem.kind != "rival":
            shown_kinds.add(problem.kind)


def _no_start(step: Step) -> list[str]:
    """Return why the bot never plays: first the line of its author's code, then what was printed."""
    (problem,) = step.problems
    if problem.kind in ("build", "bug"):
        return [visible(problem.text).rstrip(":"), *text_block("what the build printed", problem.stderr, whole=True)]
    kind = "" if problem.kind == "crash" else f"{problem.kind}: "
    first, *rest = problem.text.splitlines() or [problem.meaning]
    lines = [f"it does not start: {kind}{visible(first)}", *(f"  {visible(text)}" for text in rest)]
    if first.endswith("(exit status 0)"):
        lines.append("  it came to its end without an error: a bot goes on reading until the match is over")
    lines += text_block("it said", problem.said)
    said_already = problem.stderr.strip() == problem.text.strip()
    lines += text_block("it printed", "" if said_already else problem.stderr)
    return [*lines, *(f"  {visible(text)}" for text in problem.remark.splitlines())]


def _numbers(numbers: Mapping[str, float]) -> str:
    """Return the bot's times and memory in words."""
    is_slow = numbers["worst"] > SLOW * numbers["budget"]
    each = for_each(numbers["worst"], int(numbers["asked"])) if is_slow else ""
    time = f"{numbers['median'] * 1e3:.1f} ms a turn (median), {numbers['worst'] * 1e3:.1f} ms at worst{each}"
    budget = f"of {numbers['budget'] * 1e3:g} ms that it has"
    units = f" for its {numbers['units']:g} units" if numbers["units"] > 1 else ""
    memory = f", {numbers['memory'] / 1e6:.0f} MB of memory" if numbers["memory"] else ""
    start = f"started in {numbers['start']:.2f} s; " if numbers["start"] else ""
    return f"{start}{time} {budget}{units}{memory}"


def _problem(problem: Problem) -> list[str]:
    """Return one kind of fault in full, as lines."""
    when = f"turn {problem.turn}" if problem.turn else "while starting"
    if problem.kind == "bug":
        return [f"  {visible(problem.text)}"]
    times = "" if problem.count == 1 else f", {problem.count} times in all"
    lines = [f"  {problem.kind}, {when}{times}: {problem.meaning}"]
    lines += [f"      {visible(text)}" for text in problem.text.splitlines() if text != problem.meaning]
    if problem.remark:
        lines.append(f"      {visible(problem.remark)}")
    if problem.ended:
        lines.append(f"      its process: {problem.ended}")
    lines += text_block("what it saw", problem.saw, whole=True)
    lines += text_block("it received", problem.received)
    lines += text_block("it said", problem.said)
    lines += text_block("an answer without a fault", problem.example)
    lines += text_block("the end of its stderr", problem.stderr)
    return lines
