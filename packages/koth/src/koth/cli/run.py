"""`koth run` and `koth resume`: a contest, from finding the bots to printing the standings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from koth.cli.exit_codes import INCOMPLETE, INTERRUPTED
from koth.cli.live import print_end
from koth.cli.screen import counted, echo, print_json, program
from koth.cli.terminal import Terminal
from koth.contest.run_reader import RunReader
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError, visible
from koth.escaping import shell_word
from koth.services.contests import PlayedContest, resume_contest, run_contest
from koth.services.entrants import NamedEntries
from koth.services.options import PlayingOptions, RunOptions
from koth.services.standings import report_standings


def run(game: str | None, bots: Sequence[str], options: RunOptions, as_json: bool, view: bool) -> None:
    """Play a new contest, and print its standings. Raises KothError."""
    if game is None:
        raise KothError("name a game: `koth list` lists the games; then koth run GAME")
    with Terminal(view) as terminal:
        print_contest(options, as_json, run_contest(game, NamedEntries(bots), options, terminal))


def resume(folder: Path, bots: Sequence[str], options: PlayingOptions, as_json: bool, view: bool) -> None:
    """Continue a contest, and print its standings."""
    with Terminal(view) as terminal:
        print_contest(options, as_json, resume_contest(folder, NamedEntries(bots), options, terminal))


def print_contest(options: PlayingOptions, as_json: bool, played: PlayedContest) -> None:
    """Print the standings of a contest; end koth with an exit code if matches are missing or disputed."""
    end = played.outcome
    if as_json:
        print_json(_describe_run(played))
    else:
        print_end(played)
    beyond = options.grants.grants_beyond(Interpreters())
    again = " ".join([*beyond, f"{program()} resume {shell_word(played.folder)}"])
    for match, name, text in end.alarms:
        what = f"match {match} was reported twice, and the report of {name} differs"
        echo(f"koth: ALARM: {what} ({visible(text)}); the first report counts", err=True)
    if isinstance(played.stopped, KeyboardInterrupt):
        echo(f"koth: interrupted; go on with: {again}", err=True)
        sys.exit(INTERRUPTED)
    if played.stopped is not None:
        Terminal().note(f"{played.stopped}; finished matches are on record, go on with: {again}")
        sys.exit(INCOMPLETE)
    if end.unplayed:
        count = counted(len(end.unplayed), "match", "matches")
        echo(f"koth: {count} could not be played; try again: {again}", err=True)
    if end.unplayed or end.alarms:
        sys.exit(INCOMPLETE)


def _describe_run(played: PlayedContest) -> dict[str, Any]:
    """Return the report of `koth standings --format json`, and more of the run."""
    contest, end = played.contest, played.outcome
    keys = ("number", "block", "turns", "scores", "replay", "void")
    return {
        **report_standings(RunReader(played.folder), may_be_empty=True).as_json(),
        "seed": contest.seed,
        "commitment": None if contest.revealed else contest.commitment,
        "scheduled": end.scheduled,
        "until": None if end.look is None else end.look.as_json(str(contest.until)),
        "played": [{key: getattr(row, key) for key in keys} for row in end.rows],
        "unplayed": [{"match": item.match, "tries": item.tries, "reason": item.reason} for item in end.unplayed],
        "alarms": [{"match": match, "machine": name, "text": text} for match, name, text in end.alarms],
    }
