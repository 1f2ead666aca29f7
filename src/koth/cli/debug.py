"""`koth debug`: a bot of a recorded match started again, up to one turn, and step by step from there."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from koth.cli.compiling import open_game
from koth.cli.screen import console, echo
from koth.diagnostics.rerun import AskedMoment, find_recorded_bot, read_run_of
from koth.diagnostics.why import readable_text
from koth.discovery.interpreters import Interpreters
from koth.game import FAULT_KINDS
from koth.hill.opening import open_replay
from koth.replay.reader import Replay
from koth.services.contests import check_grants
from koth.services.debug import DebuggedAnswer, DebugSession, start_debugging
from koth.services.options import DebugOptions
from koth.session.faults import FaultReport

MOST_UNITS = 8
"""Units whose answers are shown."""
LONGEST_LINES, LONGEST_MESSAGE = 3, 2000
"""Lines of a message in a terminal, and its characters elsewhere."""


def debug(replay: str, options: DebugOptions) -> None:
    """Start the bot again, feed it what it received up to the turn, and show question by question from there."""
    with open_replay(replay) as path:
        open_game(Replay(path).header["game"])
        run = read_run_of(path)
        source = options.source or find_recorded_bot(run, options.bot).path
        with start_debugging(path, source, _find_grants(options, run, path), options) as (session, is_same):
            if not is_same:
                echo(f"{source} has changed since this match: it may answer otherwise")
            _step_through(session, options)


def _find_grants(options: DebugOptions, run: Mapping[str, Any] | None, replay: Path) -> Interpreters:
    """Return what the host gives the bot: by this command line, else by the run's record."""
    if options.interpreters or options.allow_read or not run:
        return options.grants
    return check_grants(run["interpreters"], options.grants, options.interpreters, replay)


def _step_through(session: DebugSession, options: DebugOptions) -> None:
    """Feed the bot what it received before `turn`, then show question by question."""
    moment = session.go_to(options.turn)
    if not session.is_gone:
        _print_arrival(session, moment, options.turn)
    if moment is not None:
        _wait_for_debugger(session)
    shown = 0
    while moment is not None:
        _print_question(session, moment)
        shown += 1
        wanted = 0 if shown < options.steps or session.is_gone else _ask_next_turn()
        if wanted is None:
            return
        moment = session.go_to(wanted)
    if session.is_gone:
        _print_end(*session.end())
    elif shown:
        echo("the match ended here")


def _print_arrival(session: DebugSession, moment: AskedMoment | None, wanted: int) -> None:
    if moment is None:
        last = session.last_turn
        text = "" if last is None else f"; the last question came at turn {last}: --turn {last}"
        echo(f"it was asked nothing at turn {wanted} or later{text}")
    elif moment.turn != wanted:
        echo(f"it was asked nothing at turn {wanted}; the next question came at turn {moment.turn}")
    if session.first_difference:
        echo(f"not all answers before are the recorded ones: {session.first_difference}")
    elif session.agreed:
        echo(f"all {session.agreed} answers before are the recorded ones")


def _wait_for_debugger(session: DebugSession) -> None:
    if not (line := session.attach_line()):
        return
    echo(f"it waits for your debugger: {line}")
    if sys.stdin.isatty():
        click.prompt("Enter asks the question", default="", show_default=False)


def _print_question(session: DebugSession, moment: AskedMoment) -> None:
    """Print one question: the board, what the bot receives, what it answers, and what is recorded."""
    echo(f"\nturn {moment.turn}, question {moment.number}: {moment.observations.question.doc}")
    for line in session.board(moment):
        echo(f"  {line}")
    answer = session.ask(moment)
    if answer.is_class:
        _print_objects(answer)
    else:
        echo(f"it receives: {_shorten(answer.received)}")
        echo(f"it answers:  {_shorten(answer.sent[0]) or 'nothing'}")
    different = "; ".join(answer.differences[:5])
    echo(f"recorded otherwise: {different}" if different else "as recorded")
    for text in answer.faults:
        echo(f"fault: {text}")
    if answer.printed:
        echo("it printed:\n  " + "\n  ".join(answer.printed.splitlines()[-20:]))


def _print_objects(answer: DebuggedAnswer) -> None:
    """Print what a unit saw and what came back for it, as a class has it, then for other units."""
    echo(f"it sees:     {_shorten(answer.received)}")
    for number, line in enumerate(answer.sent[:MOST_UNITS]):
        echo(f"{' ' * 11 if number else 'it returns:'}  {_shorten(line)}")
    if len(answer.sent) > MOST_UNITS:
        more = len(answer.sent) - MOST_UNITS
        echo(f"{' ' * 13}... and {more} more (--unit N shows the board as one of them sees it)")


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


def _print_end(end: FaultReport, stderr: str) -> None:
    ended = f" ({end.ending})" if end.ending else ""
    meaning = "" if end.kind == "crash" else f"{FAULT_KINDS[end.kind].meaning}: "
    when = f"at turn {end.turn}" if end.turn else "while starting"
    echo(f"{when}: {end.kind}: {meaning}{readable_text(end.text.encode())}{ended}")
    if stderr:
        echo("its stderr:\n  " + "\n  ".join(stderr.splitlines()[-20:]))


def _shorten(text: str) -> str:
    """Return a message in a few lines where a person reads it, in one of 2,000 characters elsewhere."""
    text = text.rstrip("\n")
    most = LONGEST_LINES * console.width if console.is_terminal else LONGEST_MESSAGE
    return (
        text
        if len(text) <= most
        else f"{text[:most]} ... ({len(text):,} characters; through a pipe, {LONGEST_MESSAGE:,})"
    )
