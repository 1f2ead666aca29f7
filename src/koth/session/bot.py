"""A bot as it was found: what it is called, how it is built, how it is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from koth.game import Game
from koth.protocol.bot_protocol import BotProtocol
from koth.protocol.by_name import open_protocol
from koth.sandbox.command import Command
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import Isolation
from koth.sandbox.seal import Seal


@dataclass(frozen=True, kw_only=True)
class Bot(Command):
    """A bot as it was found: a command, and everything needed to start it in any match.

    `argv` is the program that speaks a protocol by itself; with `runner` its last word is a Python file that koth's
    runner loads. `options` go to the protocol. Its manifest may add to its environment, and ask for more of `policy`.
    """

    name: str
    path: Path
    protocol: str
    digest: str
    runner: bool = False
    build: tuple[tuple[str, ...], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    content: str = ""
    """The digest of its files; of several bots with the same files, `digest` says which it is."""
    made: tuple[Path, ...] = ()
    """Folders outside its own that hold what was compiled for it."""
    entry: str = ""
    """Which one it is of several at its path; empty where there is one only."""
    seats: tuple[int, ...] = ()
    """The numbers of seats at which it plays; empty: at all."""
    language: str = ""
    """What it is written in, as far as koth knows."""
    seal: Seal | None = None
    """On its private copy, and on what was compiled for it, once it has one."""

    def command(self, seed: int) -> Command:
        """Return the command for a match with this bot seed, in the environment too, so that its dice repeat."""
        seeds = {"PYTHONHASHSEED": str(seed % (1 << 32)), "KOTH_SEED": str(seed)}
        return replace(self, environment={**self.environment, **seeds})

    def plays_at(self, seats: int) -> bool:
        """Return whether the bot plays in matches of so many seats."""
        return not self.seats or seats in self.seats

    @property
    def where(self) -> str:
        """The bot's name on a command line: its path, and its entry there."""
        return f"{self.path}#{self.entry}" if self.entry else str(self.path)

    def check_seal(self, isolation: Isolation) -> None:
        """Check that the private copy is what it was when it was made. Raises ArenaError if not.

        Where bots can write to their folder, additions to it are no fault.
        """
        if self.seal is None:
            return
        try:
            broken = self.seal.broken(may_add=not isolation.is_at_least("partial"))
        except OSError as error:
            broken = f"{error.filename} ({error.strerror})"
        if broken:
            raise ArenaError(f"{self.name} is not what it was when the run began: {broken} was altered")

    def open_protocol(self, game: Game, settings: Any, seats: int) -> BotProtocol:
        """Make a new protocol object for one match."""
        return open_protocol(game, self.protocol, settings, seats, self.options)
