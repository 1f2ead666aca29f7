"""An author's turn: a command, or a person, changes a bot in a folder, within limits of time and space."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from koth.files.folders import remove
from koth.sandbox.policy import TEMPORARY
from koth.studies.author_process import CommandEnd, check_workspace, environment_of_author, run_command
from koth.studies.turn_limits import AuthorCommand, TurnLimits, TurnPlace
from koth.studies.usage_report import USAGE_FILE, add_usage, read_usage

LOOK_SECONDS = 0.2
"""Seconds between checks whether a person is done."""
DONE_FILE = "done"
"""The file that a person creates to end a turn."""


@dataclass(frozen=True)
class Turn:
    """An author's turn, over all attempts: times in seconds, reported quantities (`usage`), and problem, or "".

    `is_sent` is True if the bot is sent to the contest; `attempts` is the number of attempts.
    """

    seconds: float
    problem: str
    is_sent: bool = True
    cpu_seconds: float = 0.0
    usage: Mapping[str, float] = field(default_factory=dict)
    attempts: int = 1


def check_author(author: AuthorCommand, limits: TurnLimits, hidden: Path) -> None:
    """Refuse an author whose turns are impossible on this machine. Raises KothError and OSError.

    `hidden` is an existing folder, see `TurnPlace`.
    """
    environment_of_author(author)
    if limits.author_isolation == "namespaces" and author.command:
        check_workspace(author, limits, hidden)


def take_turn(
    author: AuthorCommand, limits: TurnLimits, place: TurnPlace, prepare: Callable[[], None], is_ended: Event
) -> Turn:
    """Run an author's turn in a folder, and write the command's output to a log.

    `prepare`, called before each attempt, restores the folder to the state before the turn. `is_ended` ends the turn
    early; such a turn does not count, but a person can continue. Raises KothError, SandboxError and OSError.
    """
    endings: list[CommandEnd] = []
    reports: list[Mapping[str, float]] = []
    seconds, mistake = 0.0, ""
    goes_on = not author.command and place.log.exists()
    if not goes_on:
        place.log.unlink(missing_ok=True)
    while True:
        if not goes_on:
            prepare()
            remove(place.folder / USAGE_FILE)
        begin = time.monotonic()
        attempt = run_command if author.command else _wait_for_person
        ending = attempt(author, limits, place, is_ended)
        seconds += time.monotonic() - begin
        remove(place.folder / TEMPORARY)
        usage, mistake = read_usage(place.folder)
        endings.append(ending)
        reports.append(usage)
        if ending.kind != "failed" or len(endings) > limits.retries:
            break
        if is_ended.wait(limits.retry_pause * 2 ** (len(endings) - 1)):
            break
    return Turn(
        seconds,
        ending.problem or mistake,
        ending.kind == "done" or (ending.kind == "spent" and limits.sends_unfinished),
        sum(one.cpu_seconds for one in endings),
        add_usage(reports),
        len(endings),
    )


def _wait_for_person(author: AuthorCommand, limits: TurnLimits, place: TurnPlace, is_ended: Event) -> CommandEnd:
    """Wait until a person creates the file `DONE_FILE` in the folder; note in the log that the folder is ready."""
    folder = place.folder
    place.log.write_text(f"a person changes {folder}\n", encoding="utf-8", errors="backslashreplace")
    end = time.monotonic() + limits.timeout
    while not (is_done := os.path.lexists(folder / DONE_FILE)) and time.monotonic() < end:
        if is_ended.wait(LOOK_SECONDS):
            break
    if not is_done:
        return CommandEnd(f"its author was not done after {limits.timeout:g} s", "spent")
    remove(folder / DONE_FILE)
    return CommandEnd()
