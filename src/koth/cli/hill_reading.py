"""Commands that read a hill, the same for its folder and for the address of its site."""

from __future__ import annotations

from typing import Any, Protocol

from koth.cli import hill_tables
from koth.cli.hill_tables import print_json


class Reader(Protocol):
    """A hill that can be read; every method returns what `--json` prints. Each may raise KothError."""

    def status(self) -> dict[str, Any]:
        """Return the season, and the number of versions and matches in each state."""

    def standings(self) -> dict[str, Any]:
        """Return the versions that play now, best first."""

    def rules(self) -> str:
        """Return the game and the ruleset of the season, for a title."""

    def matches(self, bot: str | None, last: int) -> list[dict[str, Any]]:
        """Return the latest matches, newest first; of one bot if it is named."""

    def bot(self, name: str) -> dict[str, Any]:
        """Return a bot's versions, newest first."""


def status(hill: Reader, as_json: bool) -> None:
    """Show how a hill is doing."""
    found = hill.status()
    print_json(found) if as_json else hill_tables.status(found)


def standings(hill: Reader, as_json: bool) -> None:
    """Show the standings."""
    found = hill.standings()
    print_json(found) if as_json else hill_tables.standings(found, hill.rules())


def matches(hill: Reader, bot: str | None, last: int, as_json: bool) -> None:
    """List the latest matches."""
    found = hill.matches(bot, last)
    print_json(found) if as_json else hill_tables.matches(found)


def bot(hill: Reader, name: str, as_json: bool) -> None:
    """Show a bot's versions."""
    found = hill.bot(name)
    print_json(found) if as_json else hill_tables.bot(found)
