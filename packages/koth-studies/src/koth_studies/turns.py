"""An author's turn: a command changes a bot in a folder, within limits of time and space."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Event
from types import NoneType
from typing import Any

from koth.files.folders import remove
from koth.files.shape import shape_of
from koth.sandbox.policy import TEMPORARY
from koth_studies.author_process import check_command, environment_of_author, run_command
from koth_studies.record import ATTEMPTS, read_file, write_file
from koth_studies.turn_limits import AuthorCommand, TurnLimits, TurnPlace
from koth_studies.usage_report import USAGE_FILE, add_usage, read_usage


@dataclass(frozen=True)
class Turn:
    """An author's turn, over all attempts: times in seconds, reported quantities (`usage`), and problem, or "".

    `is_sent` is True if the bot is sent to the contest; `attempts` is the number of attempts, interrupted ones
    included; `kind` is how the command ended (`author_process.Kind`).
    """

    seconds: float
    problem: str
    is_sent: bool = True
    cpu_seconds: float = 0.0
    usage: Mapping[str, float] = field(default_factory=dict)
    attempts: int = 1
    kind: str = "done"


TURN_SHAPE: Mapping[str, Any] = shape_of(Turn)
BOTS_SHAPE: Mapping[Any, Any] = {str: {**TURN_SHAPE, "check_problem": str, "version": (int, NoneType), "digest": str}}
"""The types of values in the files of turns and bots. A version is the number of its author's round."""


@dataclass(frozen=True)
class Attempt:
    """The use of one attempt: times in seconds, and reported quantities, which are final if the attempt is over."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    usage: Mapping[str, float] = field(default_factory=dict)
    is_over: bool = False


class Attempts:
    """The attempts of a turn, in a file beside the command's log: a koth that is killed loses no attempt's costs."""

    def __init__(self, place: TurnPlace) -> None:
        self._folder, self.all = place.log.parent, list[Attempt]()
        if (self._folder / ATTEMPTS).exists():
            kept = read_file(self._folder, ATTEMPTS, {"attempts": [shape_of(Attempt)]})["attempts"]
            self.all = [Attempt(**one) for one in kept]
        if self.all and not self.all[-1].is_over:  # koth was killed; the folder is as the attempt left it
            last = self.all[-1]
            self.write(replace(last, usage=read_usage(place.folder)[0] or last.usage, is_over=True))

    def begin(self) -> None:
        """Add an attempt."""
        self.all.append(Attempt())
        self.write(self.all[-1])

    def write(self, attempt: Attempt) -> None:
        """Write the last attempt as it is now. Raises OSError."""
        self.all[-1] = attempt
        write_file(self._folder, ATTEMPTS, {"attempts": [asdict(one) for one in self.all]})


def check_author(author: AuthorCommand, limits: TurnLimits, hidden: Path) -> None:
    """Refuse an author whose turns are impossible on this machine. Raises KothError and OSError.

    `hidden` is an existing folder, see `TurnPlace`.
    """
    environment_of_author(author)
    check_command(author, limits, hidden)


def take_turn(
    author: AuthorCommand, limits: TurnLimits, place: TurnPlace, prepare: Callable[[], None], is_ended: Event
) -> Turn:
    """Run an author's turn in a folder, and write the command's output to a log.

    `prepare`, called before each attempt, restores the folder to the state before the turn. `is_ended` ends the turn
    early; such a turn does not count. Raises KothError, SandboxError and OSError.
    """
    attempts, tries = Attempts(place), 0
    place.log.unlink(missing_ok=True)
    while True:
        prepare()
        remove(place.folder / USAGE_FILE)
        attempts.begin()
        begin, tries = time.monotonic(), tries + 1

        def note(cpu_seconds: float, begin: float = begin) -> None:
            attempts.write(Attempt(time.monotonic() - begin, cpu_seconds, read_usage(place.folder)[0]))

        ending = run_command(author, limits, place, is_ended, note)
        remove(place.folder / TEMPORARY)
        usage, mistake = read_usage(place.folder)
        attempts.write(Attempt(time.monotonic() - begin, ending.cpu_seconds, usage, is_over=True))
        if ending.kind != "failed" or tries > limits.retries:
            break
        if is_ended.wait(limits.retry_pause * 2 ** (tries - 1)):
            break
    return Turn(
        sum(one.seconds for one in attempts.all),
        ending.problem or mistake,
        ending.kind == "done" or (ending.kind == "spent" and limits.sends_unfinished),
        sum(one.cpu_seconds for one in attempts.all),
        add_usage(one.usage for one in attempts.all),
        len(attempts.all),
        ending.kind,
    )
