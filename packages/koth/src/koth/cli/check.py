"""`koth check`: a check whether a bot is fit to play."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from koth.cli.exit_codes import NO, OK
from koth.cli.screen import echo, print_json
from koth.cli.terminal import Terminal
from koth.diagnostics.checkup import MATCH_STEPS, CheckStep, Problem
from koth.diagnostics.why import text_block
from koth.errors import visible
from koth.services.checks import check_bot
from koth.services.options import CheckOptions
from koth.session.time_control import format_share

SLOW_SHARE = 0.1
"""The share of a bot's time budget above which the check prints the time of each unit."""
ALL_TURNS = 100_000
"""A number of turns that no match reaches, for games whose rules set no limit."""


def check(bot: str, options: CheckOptions, as_json: bool) -> NoReturn:
    """Check a bot, print how each step went, and end with the exit code."""
    terminal, shown_kinds = Terminal(), set[str]()

    def step_done(step: CheckStep) -> None:
        terminal.doing_now.stop()
        if not as_json:
            print_step(step, shown_kinds)

    checked = check_bot(bot, options, terminal, step_done)
    if as_json:
        steps = [_as_json(step) for step in checked.steps]
        print_json({"bot": checked.bot, "game": checked.game, "ok": checked.ok, "steps": steps})
    else:
        echo(_verdict_text(checked.steps, checked.length))
    sys.exit(OK if checked.ok else NO)


def _as_json(step: CheckStep) -> dict[str, Any]:
    problems = [{"meaning": problem.meaning, **vars(problem)} for problem in step.problems]
    about = {"step": step.name, "ok": step.ok, "text": step.text, "numbers": dict(step.numbers)}
    played = {"turns": step.turns, "whole": step.whole, "out": step.out} if step.name in MATCH_STEPS else {}
    return {**about, **played, "problems": problems, "remarks": list(step.remarks)}


def _verdict_text(steps: Sequence[CheckStep], length: int | None) -> str:
    """Return the last line: whether the bot is fit, and what was tried."""
    tried = _trials_text(steps, length)
    if any(problem.kind == "bug" for step in steps for problem in step.problems):
        return f"not checked to the end{f' (tried: {tried})' if tried else ''}"
    if any(problem.kind != "rival" for step in steps for problem in step.problems):
        return f"not ready yet{f' (tried: {tried})' if tried else ''}"
    if any(step.problems for step in steps):
        return f"no fault of this bot, but rivals are missing (tried: {tried})"
    noticed = ", but see what was noticed" if any(step.remarks for step in steps) else ": it is ready to play"
    return f"no fault{noticed} (tried: {tried})"


def _trials_text(steps: Sequence[CheckStep], length: int | None) -> str:
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
        parts.append(f"--max-turns {length or ALL_TURNS} tries all")
    return "; ".join(parts)


def print_step(step: CheckStep, shown_kinds: set[str]) -> None:
    """Print one step; kinds of faults that were printed before take one line each."""
    if step.name in ("build", "start"):
        for line in _start_failure_lines(step):
            echo(line)
        return
    state = "" if step.remarks and step.ok else ": fine" if step.ok else ": not fine"
    echo(f"{step.name}: {step.text}{state}")
    for remark in step.remarks:
        echo(f"  {visible(remark)}")
    if step.numbers:
        echo(f"  {_numbers_text(step.numbers)}")
    for problem in step.problems:
        for line in _problem_lines(problem)[: 1 if problem.kind in shown_kinds else None]:
            echo(line)
        if problem.kind != "rival":
            shown_kinds.add(problem.kind)


def _start_failure_lines(step: CheckStep) -> list[str]:
    """Return lines that say why a bot does not start: first the error, then the bot's output."""
    (problem,) = step.problems
    if problem.kind in ("build", "bug"):
        return [visible(problem.text).rstrip(":"), *text_block("what the build printed", problem.stderr, whole=True)]
    kind = "" if problem.kind == "crash" else f"{problem.kind}: "
    first, *rest = problem.text.splitlines() or [problem.meaning]
    lines = [f"the bot does not start: {kind}{visible(first)}", *(f"  {visible(text)}" for text in rest)]
    if first.endswith("(exit status 0)"):
        lines.append("  the bot ended without an error: a bot must read until the match is over")
    lines += text_block("it said", problem.said)
    said_already = problem.stderr.strip() == problem.text.strip()
    lines += text_block("it printed", "" if said_already else problem.stderr)
    return [*lines, *(f"  {visible(text)}" for text in problem.remark.splitlines())]


def _numbers_text(numbers: Mapping[str, float]) -> str:
    """Return the bot's times and memory in words."""
    is_slow = numbers["worst"] > SLOW_SHARE * numbers["budget"]
    each = format_share(numbers["worst"], int(numbers["asked"])) if is_slow else ""
    time = f"{numbers['median'] * 1e3:.1f} ms a turn (median), {numbers['worst'] * 1e3:.1f} ms at worst{each}"
    budget = f"of {numbers['budget'] * 1e3:g} ms that it has"
    units = f" for its {numbers['units']:g} units" if numbers["units"] > 1 else ""
    memory = f", {numbers['memory'] / 1e6:.0f} MB of memory" if numbers["memory"] else ""
    start = f"started in {numbers['start']:.2f} s; " if numbers["start"] else ""
    return f"{start}{time} {budget}{units}{memory}"


def _problem_lines(problem: Problem) -> list[str]:
    when = f"turn {problem.turn}" if problem.turn else "while starting"
    if problem.kind == "bug":
        return [f"  {visible(problem.text)}"]
    times = "" if problem.count == 1 else f", {problem.count:,} times in all"
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
