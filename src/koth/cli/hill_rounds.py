"""`koth hill rounds`: authors that are programs, and the curves of what they came to."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from koth.cli.compiling import open_game
from koth.cli.hill_run import HillProgress, ending_without_cluster
from koth.cli.new import put_start
from koth.cli.pages import guide_of, rules
from koth.cli.screen import counted, echo, print_json, program, show, table
from koth.cli.terminal import Terminal
from koth.cli.why import in_full
from koth.contest.lock import only_run
from koth.contest.reading import MatchReader
from koth.contest.workers import all_cores_but_one
from koth.errors import KothError
from koth.escaping import shell_word
from koth.hill.arena import Papers
from koth.hill.connection import Hill
from koth.hill.options import RoundsOptions
from koth.hill.registry import current_season
from koth.hill.rounds import Rounds
from koth.hill.rounds_record import CURVES, FOLDER, Plan, curves, read_plan, rounds_of
from koth.hill.scheduler import PLACEMENT
from koth.sandbox.levels import choose as isolation_level
from koth.services.machines import executor_of
from koth.services.why import why
from koth.standings.text import rank_text

TIMEOUT = 3600.0
"""Seconds of a command."""


def rounds(hill: Hill, options: RoundsOptions, as_json: bool) -> None:
    """Play rounds, or show those that were played."""
    plan = _plan(hill, options)
    if options.rounds is not None:
        _play(hill, plan, options.rounds, options)
    if as_json:
        found = {"authors": plan.authors, "curves": curves(hill), "rounds": rounds_of(hill)}
        print_json(found)
        return
    _show(hill)


def _plan(hill: Hill, options: RoundsOptions) -> Plan:
    """Return the plan on record, or a new one. Raises KothError."""
    known, authors = read_plan(hill), _authors(options.authors)
    if known is None:
        if not authors or options.rounds is None:
            raise click.UsageError("no rounds have begun here: --author NAME=COMMAND and --rounds N begin them")
        matches = options.matches or PLACEMENT * len(authors)
        return Plan(authors, matches, options.timeout or TIMEOUT)
    again = Plan(authors or known.authors, options.matches or known.matches, options.timeout or known.timeout)
    if again != known:
        begun = " ".join(f"--author {shlex.quote(f'{name}={line}')}" for name, line in known.authors.items())
        raise KothError(
            f"rounds stay as they began: {begun} --matches {known.matches} --timeout {known.timeout:.0f}s; "
            "leave these out"
        )
    return known


def _authors(words: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, equals, command = word.partition("=")
        if not equals or not command.strip():
            raise click.UsageError(f"--author wants NAME=COMMAND, not {word!r}")
        if name in found:
            raise click.UsageError(f"--author {name}: named twice")
        found[name] = command
    return found


def _play(hill: Hill, plan: Plan, count: int, options: RoundsOptions) -> None:
    isolation = options.confined(isolation_level(options.isolation))
    game = open_game(hill.game)
    progress = HillProgress()
    pages = {"rules.md": rules(game.name), "guide.md": guide_of(game.name)}
    played = Rounds(
        hill,
        game,
        plan,
        Papers(pages, partial(put_start, game), _why),
        options.grants,
        isolation,
        executor_of(options.jobs, options.cluster, Terminal()),
        options.jobs or all_cores_but_one(),
        progress.events,
        progress.say,
    )
    with ending_without_cluster(), progress.stopped(), only_run(hill.folder / FOLDER):
        try:
            played.play(count)
        except KeyboardInterrupt:
            go_on = f"{program()} hill rounds {shell_word(hill.folder)} --rounds {count}"
            progress.say(f"stopped, and nothing is lost; go on: {go_on}")
            raise


def _why(reader: MatchReader, bot: str) -> str:
    """Return why a bot failed: the faults in a line each, then each in full."""
    report = why(reader, bot)
    lines = [*report.lines(program=program())]
    lines += ["", *report.lines(partial(in_full, reader), program())] if report.faults else []
    return "".join(f"{line}\n" for line in lines)


def _show(hill: Hill) -> None:
    """Print a line for each author: where it began and where it is."""
    found, count, by = curves(hill), len(rounds_of(hill)) - 1, current_season().rank_by
    go_on = f"go on: {program()} hill rounds {shell_word(hill.folder)} --rounds {count + 1}"
    if count < 0:
        echo(f"no round is over; {go_on}")
        return
    rows = []
    for name, its in sorted(found.items(), key=lambda item: _last(item[1], by), reverse=True):
        rated = [at for at in its if at[by] is not None]
        ends = [rank_text(at[by], by) for at in (rated[:1] + rated[-1:])] or ["", ""]
        margin = rank_text(rated[-1]["margin"], by) if rated else ""
        version = "" if its[-1]["version"] is None else str(its[-1]["version"])
        rows.append([name, *ends, margin, version])
    title = f"{hill.game}, {counted(count, 'round', 'rounds')}, {by}s by all matches so far"
    right = "first", "last", "plus or minus", "version"
    show(table(("author", *right), rows, right, title))
    folder = hill.folder / FOLDER
    echo(f"picture: {folder / CURVES}; all of a round: {folder}/N; {go_on}")


def _last(its: list[dict[str, Any]], by: str) -> float:
    return next((at[by] for at in reversed(its) if at[by] is not None), float("-inf"))
