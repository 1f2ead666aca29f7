"""`koth debug`: a bot of a recorded match, started again, brought to one turn, and stepped through from there."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from koth.cli.compiling import open_game
from koth.cli.screen import console, echo
from koth.contest.record import RunRecord
from koth.diagnostics.rerun import find_recorded_bot, read_run_of
from koth.discovery.interpreters import Interpreters
from koth.replay.reader import Replay
from koth.services.contests import check_grants
from koth.services.debug import DebugSession, start_debugging
from koth.services.opening import open_replay
from koth.services.options import DebugOptions

LONGEST_LINES, LONGEST_MESSAGE = 3, 2000
"""The most lines of a message in a terminal, and the most characters elsewhere."""


def debug(replay: str, options: DebugOptions) -> None:
    """Start the bot again, send it all that it received up to the turn, and show question by question from there."""
    with open_replay(replay) as path:
        open_game(Replay(path).header["game"])
        run = read_run_of(path)
        source = options.source or find_recorded_bot(run, options.bot).path
        with start_debugging(path, source, _find_grants(options, run, path), options) as (session, is_same):
            if not is_same:
                echo(f"{source} has changed since this match: the bot may give other answers")
            _step_through(session, options)


def _find_grants(options: DebugOptions, run: RunRecord | None, replay: Path) -> Interpreters:
    """Return what the host allows the bot: on the command line, otherwise in the run's record."""
    if options.interpreters or options.allow_read or not run:
        return options.grants
    return check_grants(run["interpreters"], options.grants, options.interpreters, replay)


def _step_through(session: DebugSession, options: DebugOptions) -> None:
    """Send the bot all that it received before `options.turn`, then show question by question."""
    moment = session.go_to(options.turn)
    if not session.is_gone:
        for line in session.arrival_lines(moment, options.turn):
            echo(line)
    shown = 0
    while moment is not None:
        for line in session.ask(moment, _shorten):
            echo(line)
        shown += 1
        wanted = 0 if shown < options.steps or session.is_gone else _ask_next_turn()
        if wanted is None:
            return
        moment = session.go_to(wanted)
    if session.is_gone:
        for line in session.end_lines():
            echo(line)
    elif shown:
        echo("the match ended here")


def _ask_next_turn() -> int | None:
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


def _shorten(text: str) -> str:
    """Return a message as a few lines for a terminal, or at most 2,000 characters elsewhere."""
    text = text.rstrip("\n")
    most = LONGEST_LINES * console.width if console.is_terminal else LONGEST_MESSAGE
    return (
        text
        if len(text) <= most
        else f"{text[:most]} ... ({len(text):,} characters; through a pipe, {LONGEST_MESSAGE:,})"
    )
