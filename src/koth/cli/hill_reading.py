"""Commands that show the state of a hill, the same for its folder and for the address of its site."""

from __future__ import annotations

from typing import Any, Protocol

from koth.cli import hill_output
from koth.cli.screen import print_json


class HillAnswers(Protocol):
    """A source of a hill's answers: its site's API (`koth.hill.client.Site`), or its folder."""

    @property
    def token(self) -> str:
        """The token of an author; empty if there is none."""

    def get(self, path: str, **query: object) -> Any:
        """Return the answer to a request. Raises KothError."""


def status(hill: HillAnswers, as_json: bool) -> None:
    """Show the state of a hill, and with a token the author's own bots."""
    found = hill.get("hill")
    if hill.token:
        own = {"bots": hill.get("me/bots"), "uploads": hill.get("uploads")}
        found["you"] = {**hill.get("me"), **own}
    print_json(found) if as_json else hill_output.status(found)


def standings(hill: HillAnswers, as_json: bool) -> None:
    """Show the versions that play now, best first."""
    found = hill.get("standings")
    if as_json:
        print_json(found)
        return
    now = hill.get("hill")
    hill_output.standings(found, f"{now['game']} ({now['season']['ruleset']})")


def matches(hill: HillAnswers, bot: str | None, last: int, as_json: bool) -> None:
    """List the latest matches, newest first; only those of `bot` if it is given."""
    found = hill.get("matches", bot=bot, last=last)
    print_json(found) if as_json else hill_output.matches(found)


def bot(hill: HillAnswers, name: str, as_json: bool) -> None:
    """Show a bot's versions, newest first: with reasons if the bot is the author's own."""
    own = hill.get("me/bots") if hill.token else []
    found = next((bot for bot in own if bot["bot"] == name), None) or hill.get(f"bots/{name}")
    found = {**found, "versions": [{"reason": "", **version} for version in found["versions"]]}
    print_json(found) if as_json else hill_output.bot(found)
