"""The command that starts a bot, and the text for a program's exit status."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from koth.sandbox.environment import environment_of
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import PLAIN, Isolation
from koth.sandbox.policy import FOR_BOTS, SandboxPolicy
from koth.sandbox.supervised_process import SupervisedProcess


class Overloaded(ArenaError):
    """Raised when other processes of this machine kept a bot from answering, or its build from ending.

    A match is then void. `seat` is the bot's seat, `turn` the turn, from 1 (0: while starting; None: while it was
    built); callers that know the bot's `name` add it.
    """

    def __init__(self, text: str, seat: int, turn: int | None = 0, name: str = "") -> None:
        super().__init__(text, seat)
        self.seat = seat
        self.turn = turn
        self.name = name

    def __str__(self) -> str:
        starting = "while it was built" if self.turn is None else "while starting"
        when = f"at turn {self.turn}" if self.turn else starting
        return f"{self.name or 'a bot'} {self.args[0]}, {when}"


@dataclass(frozen=True)
class Command:
    """The command of a bot: program, arguments, folder, and environment variables in addition to koth's.

    `reads` lists paths outside the folder that the bot must see; `policy` holds the bot's limits.
    """

    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[Path, ...] = ()
    policy: SandboxPolicy = FOR_BOTS
    hang_report: Literal["on request", "unasked", "observed"] = "observed"
    """The source of a hang's location: a stack location that the bot prints on request of koth
    (`koth.session.stack_location`) or unasked, or observation of the bot from outside."""


def spawn(command: Command, isolation: Isolation = PLAIN) -> SupervisedProcess:
    """Start a bot; no other function starts a bot's process.

    Raises SandboxError, and, without a sandbox, OSError or ValueError for a program that can't be started.
    """
    return isolation.start(
        command.argv,
        command.folder,
        {**environment_of(command.argv[0]), **command.environment},
        command.policy,
        command.reads,
        charged=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def describe_exit(code: int | None) -> str:
    """Return an exit status as text; empty while the process runs."""
    if code is None:
        return ""
    if code >= 0:
        return f"exit status {code}"
    with contextlib.suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
