"""`koth check`: is this bot fit to play?"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from koth.answers.checkup import Checkup, Problem, Step
from koth.answers.checkup import check as look_over
from koth.bots.folders.field import find
from koth.bots.folders.plays import game_of
from koth.bots.sandbox.levels import choose as isolation_level
from koth.cli.said import HostOptions, interpreters, overrides
from koth.cli.screen import open_game, program, text_block
from koth.errors import KothError, visible
from koth.settings import choose

SAY_EVERY = 5.0
"""Seconds between two words on what is waited for."""


class CheckOptions(HostOptions):
    """What `koth check` is told beside the bot and its game."""

    ruleset: str | None
    sets: tuple[str, ...]
    turns: int
    seed: int
    against: tuple[str, ...]
    isolation: str | None
    as_json: bool


def check(bot: str, game: str | None, options: CheckOptions) -> NoReturn:
    """Look the bot over, say step by step how it went, and end with the exit code."""
    game = game or game_of(bot)
    loaded = open_game(game)
    ruleset, settings = choose(loaded, options["ruleset"], overrides(options["sets"]))
    python = interpreters(options)
    isolation = replace(isolation_level(options["isolation"]), trusts_processes=True)
    bots, errors = find(loaded, [bot], python, isolation)
    if errors:
        raise errors[0]
    if len(bots) != 1:
        names, one = ", ".join(each.name for each in bots), f"{bot}#{bots[0].name}"
        raise KothError(f"{bot}: {len(bots)} bots; check one at a time: {one} (there are: {names})")
    most = loaded.convention.table or min(4, loaded.seats.stop - 1)
    words = options["against"] or [f"@{name}" for name in loaded.field[: most - 1]]
    samples, errors = find(loaded, words, python, isolation)
    if errors:
        raise errors[0]
    with tempfile.TemporaryDirectory(prefix="koth-check-") as place:
        checkup = Checkup(
            loaded,
            ruleset,
            settings,
            options["turns"],
            options["seed"],
            Path(place),
            loaded.budgets,
            isolation,
            _Waits(),
        )
        told: set[str] = set()
        tell = (lambda step: None) if options["as_json"] else partial(_tell, told)
        steps = look_over(checkup, bots[0], samples, tell)
    ok = all(step.ok for step in steps)
    faults = [problem for step in steps for problem in step.problems if problem.kind != "rival"]
    if options["as_json"]:
        click.echo(json.dumps({"bot": bots[0].name, "game": game, "ok": ok, "steps": [_as_json(s) for s in steps]}))
    elif faults:
        click.echo(f"not ready yet; a start that plays without a fault: {program()} new {game} DIR")
    else:
        noticed = ", but see what was noticed" if any(step.remarks for step in steps) else ": it is ready to play"
        click.echo(f"no fault{noticed}" if ok else "no fault of its own, but rivals are missing")
    sys.exit(0 if ok else 1)


def _as_json(step: Step) -> dict[str, Any]:
    problems = [{"meaning": problem.meaning, **vars(problem)} for problem in step.problems]
    about = {"step": step.name, "ok": step.ok, "text": step.text, "numbers": dict(step.numbers)}
    return {**about, "problems": problems, "remarks": list(step.remarks)}


class _Waits:
    """Says what is waited for, now and then."""

    def __init__(self) -> None:
        self._said = 0.0

    def __call__(self, name: str, seconds: float) -> None:
        if time.monotonic() - self._said > SAY_EVERY:
            self._said = time.monotonic()
            text = f"{name} waits for a core, {seconds:.0f} s by now: other programs of this machine hold them"
            click.echo(f"koth: {text}", err=True)


def _tell(told: set[str], step: Step) -> None:
    """One step on the screen; kinds of faults that were told of before get a line."""
    state = "" if step.remarks else ": fine" if step.ok else ": not fine"
    click.echo(f"{step.name}: {step.text}{state}")
    for remark in step.remarks:
        click.echo(f"  {visible(remark)}")
    if step.numbers:
        click.echo(f"  {_numbers(step.numbers)}")
    for problem in step.problems:
        for line in _problem(problem)[: 1 if problem.kind in told else None]:
            click.echo(line)
        if problem.kind != "rival":
            told.add(problem.kind)


def _numbers(numbers: Mapping[str, float]) -> str:
    """How long it took, and how much memory."""
    time = f"{numbers['median'] * 1e3:.1f} ms a turn (median), {numbers['worst'] * 1e3:.1f} ms at worst"
    budget = f"of {numbers['budget'] * 1e3:g} ms that it has"
    memory = f", {numbers['memory'] / 1e6:.0f} MB of memory" if numbers["memory"] else ""
    return f"started in {numbers['start']:.2f} s; {time} {budget}{memory}"


def _problem(problem: Problem) -> list[str]:
    """One kind of fault, in full."""
    when = "while starting" if problem.turn < 0 else f"turn {problem.turn}"
    times = "" if problem.count == 1 else f", {problem.count} times in all"
    if problem.kind == "build":
        return text_block("what the build printed", problem.stderr)
    lines = [f"  {problem.kind}, {when}{times}: {problem.meaning}"]
    lines += [f"      {visible(text)}" for text in problem.text.splitlines()]
    if problem.remark:
        lines.append(f"      {visible(problem.remark)}")
    if problem.ended:
        lines.append(f"      its process: {problem.ended}")
    lines += text_block("it received", problem.received)
    lines += text_block("it said", problem.said)
    lines += text_block("an answer without a fault", problem.example)
    lines += text_block("the end of its stderr", problem.stderr)
    return lines
