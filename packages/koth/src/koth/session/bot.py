"""A bot as it was found on the disk: name, build steps, start command."""

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
    """A bot as it was found on the disk: its command, and everything needed to start the bot in any match.

    `argv` starts a program that speaks the protocol itself; with `has_adapter` the last word is a Python file that
    koth's adapter loads. `arguments` follow `argv`. `options` go to the protocol. The bot's manifest may extend
    `environment` and the limits in `policy`.
    """

    name: str
    path: Path
    protocol: str
    digest: str
    arguments: tuple[str, ...] = ()
    has_adapter: bool = False
    build: tuple[tuple[str, ...], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    content: str = ""
    """The digest of the bot's files; bots with the same files have the same `content` and differ in `digest`."""
    made: tuple[Path, ...] = ()
    """Folders outside the bot's own that hold its compiled files."""
    entry: str = ""
    """The bot's name among several bots at one path; empty for a path with one bot."""
    left_out: frozenset[str] = frozenset()
    """The names of files and folders at the bot's path that belong to other bots, and are not copied."""
    seats: tuple[int, ...] = ()
    """The numbers of seats of matches in which the bot can play; empty for all."""
    language: str = ""
    """The programming language of the bot, if koth knows it."""
    seal: Seal | None = None
    """A record that reveals changes of the bot's private copy and compiled files; None before these exist."""

    def command(self, seed: int) -> Command:
        """Return the command for a match; the environment holds the seed, so that bots can be repeatable."""
        argv, environment = (*self.argv, *self.arguments), {**self.environment, "KOTH_SEED": str(seed)}
        return replace(self, argv=argv, environment=environment)

    def plays_at(self, seats: int) -> bool:
        """Return whether the bot plays in matches with this number of seats."""
        return not self.seats or seats in self.seats

    @property
    def where(self) -> str:
        """The bot's name on a command line: its path, and its entry at that path."""
        return f"{self.path}#{self.entry}" if self.entry else str(self.path)

    def check_seal(self, isolation: Isolation) -> None:
        """Check that the private copy has not changed since it was made. Raises ArenaError after a change.

        New files are allowed at isolation levels at which bots can write to their folders.
        """
        if self.seal is None:
            return
        try:
            broken = self.seal.find_change(may_add=not isolation.is_at_least("partial"))
        except OSError as error:
            broken = f"{error.filename} ({error.strerror})"
        if broken:
            raise ArenaError(f"the files of {self.name} were altered since the run began: {broken}")

    def open_protocol(self, game: Game, settings: Any, seats: int) -> BotProtocol:
        """Make a new protocol object for one match."""
        return open_protocol(game, self.protocol, settings, seats, self.options)
