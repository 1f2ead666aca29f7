"""Options of a hill's commands; `koth.services.options` has the options of contests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from koth.services.options import BotOptions, Bounds, Count, Duration, Options, PlayingOptions, RulesOptions

if TYPE_CHECKING:
    from koth_hill.connection import Hill  # takes Django, which the words of commands do not

MOST_FINAL_MATCHES = 1000
"""The most matches of each bot in a final: they are all scheduled when the final begins."""


@dataclass(frozen=True, kw_only=True)
class InitOptions(RulesOptions):
    """Options of a new hill."""

    seats: Count | None = None
    """The number of bots in one match (default: the game's)."""
    rank_by: Literal["rating", "score"] | None = None
    """Rank bots by rating, or by score if a match has no winner (default: the game's)."""
    database: str | None = None
    """postgresql://USER:PASSWORD@HOST/NAME (default: SQLite in DIR)."""
    matches_a_day: Count | None = None
    """Play at most N matches in 24 hours."""
    replays: Literal["all", "answers", "none"] = "all"
    """What to keep of each match: everything, only answers (koth computes frames when needed), or nothing."""
    keep_days: Count | None = None
    """Remove replays, stderr and notes of matches older than N days."""


@dataclass(frozen=True, kw_only=True)
class SubmitOptions(BotOptions):
    """Options for sending a bot to a hill."""

    author: str | None = None
    """The bot's author; koth makes a missing account (default: host)."""


@dataclass(frozen=True, kw_only=True)
class InviteOptions(Options):
    """Options of an invitation."""

    url: str
    """The site's address, the same as for `koth hill serve`."""
    file: Path | None = None
    """A text file with names, one on each line."""
    codes: bool = False
    """Print short codes, to be typed on the page /code, instead of links."""
    host: bool = False
    """Give the new accounts a host's rights."""


@dataclass(frozen=True, kw_only=True)
class HillRunOptions(PlayingOptions):
    """Options of a hill's runner."""

    matches: Count | None = None
    """End after N matches."""
    seconds: Duration | None = None
    """End after this time: 90s, 30m, 12h or 7d."""


@dataclass(frozen=True, kw_only=True)
class SeasonOptions(RulesOptions):
    """Options of a season's step: the closing time, the rules of a new season, the length of a final."""

    at: str | None = None
    """With close: 25m, 2h or 3d from now, a time in UTC such as "2031-05-17 18:00", or none."""
    matches: Annotated[int, Bounds(1, MOST_FINAL_MATCHES)] | None = None
    """With final: the number of matches of each bot (default: the game's)."""
    knockout: Annotated[int, Bounds(2, 1024)] | None = None
    """With final: then a knockout of the first N bots, in pairs, with as many matches each."""


P = TypeVar("P", bound=PlayingOptions)


def for_strangers(hill: Hill, options: P) -> P:
    """Return the options with which bots of a hill are played, whoever plays them.

    On a hill with a site, bots are untrusted unless the host names a level of isolation.
    """
    return replace(options, untrusted=options.untrusted or (hill.has_site and options.isolation is None))
