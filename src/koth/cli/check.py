"""`koth check`: is this bot fit to play?"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import click


@click.command("check")
@click.argument("bot", metavar="BOT")
@click.option("--game", required=True, help="Which game it plays.")
@click.option("--ruleset", help="Which rules (default: published).")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change one constant of the rules.")
@click.option("--turns", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Of each match.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Of each match.")
@click.option("--against", multiple=True, metavar="BOT", help="Against these (default: samples of the game).")
@click.option("--interpreter", "python", metavar="python=PATH", help="What `python` means.")
@click.option("--isolation", metavar="LEVEL", help="How it is kept apart (default: the best there is here).")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def check_command(bot: str, game: str, **options: Any) -> None:
    """Play BOT alone and against samples, and say in plain words what it does wrong.

    For each kind of fault: what the bot received, what it said, and an answer that would have been right.
    Exit code 0: no fault; 1: there were faults; 2: it is no bot that could be tried.
    """
    from koth.bots.field import find
    from koth.bots.sandbox.levels import choose as choose_isolation
    from koth.cli.screen import open_game, program
    from koth.contest.checkup import Checkup, check
    from koth.errors import KothError
    from koth.settings import choose

    loaded = open_game(game)
    overrides = dict(_pair(text) for text in options["sets"])
    ruleset, settings = choose(loaded, options["ruleset"], overrides)
    interpreters = _interpreters(options["python"])
    isolation = choose_isolation(options["isolation"])
    bots, errors = find(loaded, [bot], interpreters, isolation)
    if errors:
        raise errors[0]
    if len(bots) != 1:
        raise KothError(f"{bot}: {len(bots)} bots; check one at a time: {', '.join(b.name for b in bots)}")
    most = loaded.convention.table or min(4, loaded.seats.stop - 1)
    words = options["against"] or [f"@{name}" for name in loaded.field[: most - 1]]
    samples, errors = find(loaded, words, interpreters, isolation)
    if errors:
        raise errors[0]
    with tempfile.TemporaryDirectory(prefix="koth-check-") as place:
        checkup = Checkup(
            loaded, ruleset, settings, options["turns"], options["seed"], Path(place), loaded.budgets, isolation
        )
        told: set[str] = set()
        tell = (lambda step: None) if options["as_json"] else partial(_tell, told)
        steps = check(checkup, bots[0], samples, tell)
    ok = all(step.ok for step in steps)
    if options["as_json"]:
        click.echo(json.dumps({"bot": bots[0].name, "game": game, "ok": ok, "steps": [_as_json(s) for s in steps]}))
    else:
        start = f"not ready yet; a start that plays without a fault: {program()} new {game} DIR"
        click.echo("no fault: it is ready to play" if ok else start)
    sys.exit(0 if ok else 1)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set wants KEY=VALUE, not {text!r}")
    return key.strip(), value.strip()


def _interpreters(text: str | None) -> Any:
    """What `python` means here."""
    from koth.bots.languages import Interpreters

    if text is None:
        return Interpreters()
    key, _, path = text.partition("=")
    found = shutil.which(path)
    if key != "python" or found is None:
        raise click.UsageError(f"--interpreter wants python=PATH with a program, not {text!r}")
    return Interpreters(found)


def _as_json(step: Any) -> dict[str, Any]:
    problems = [{"meaning": problem.meaning, **vars(problem)} for problem in step.problems]
    return {"step": step.name, "ok": step.ok, "text": step.text, "numbers": dict(step.numbers), "problems": problems}


def _tell(told: set[str], step: Any) -> None:
    """One step on the screen; kinds of faults that were told of before get a line."""
    click.echo(f"{step.name}: {step.text}: {'fine' if step.ok else 'not fine'}")
    if step.numbers:
        click.echo(f"  {_numbers(step.numbers)}")
    for problem in step.problems:
        for line in _problem(problem)[: 1 if problem.kind in told else None]:
            click.echo(line)
        told.add(problem.kind)


def _numbers(numbers: Any) -> str:
    """How long it took, and how much memory."""
    time = f"{numbers['median'] * 1e3:.1f} ms a turn (median), {numbers['worst'] * 1e3:.1f} ms at worst"
    budget = f"of {numbers['budget'] * 1e3:g} ms that it has"
    memory = f", {numbers['memory'] / 1e6:.0f} MB of memory" if numbers["memory"] else ""
    return f"started in {numbers['start']:.2f} s; {time} {budget}{memory}"


def _problem(problem: Any) -> list[str]:
    """One kind of fault, in full."""
    from koth.cli.why import text_block
    from koth.errors import visible

    when = "while starting" if problem.turn < 0 else f"turn {problem.turn}"
    times = "" if problem.count == 1 else f", {problem.count} times in all"
    if problem.kind == "build":
        return text_block("what the build printed", problem.stderr)
    lines = [f"  {problem.kind}, {when}{times}: {problem.meaning}"]
    lines += [f"      {visible(text)}" for text in problem.text.splitlines()]
    if problem.ended:
        lines.append(f"      its process: {problem.ended}")
    lines += text_block("it received", problem.received)
    lines += text_block("it said", problem.said)
    lines += text_block("an answer without a fault", problem.example)
    lines += text_block("the end of its stderr", problem.stderr)
    return lines
