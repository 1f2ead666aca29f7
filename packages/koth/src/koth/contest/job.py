"""A match to play, as a job for a runner, and the runner's report.

Jobs and reports refer to no disk or open file: any machine that has koth and the game can play a job.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from koth.contest.timing import MatchCost
from koth.engine.secret import Key
from koth.errors import KothError
from koth.game import TimeControl
from koth.games import GamePackage
from koth.match import Entrant, Result
from koth.session.bot import Bot


@dataclass(frozen=True)
class BotRef:
    """A bot in a job, identified by the files' content, not by a path."""

    name: str
    digest: str
    content: str = ""
    """The digest of the bot's files; `digest` and `entry` distinguish several bots in the same files."""
    file: str = ""
    """The name of the bot's folder or single file."""
    entry: str = ""

    @classmethod
    def of(cls, bot: Entrant) -> BotRef:
        """Return the reference of a bot; only the contest's own process can find a function."""
        if not isinstance(bot, Bot):
            return cls(bot.name, bot.digest)
        return cls(bot.name, bot.digest, bot.content, bot.path.name, bot.entry)


@dataclass(frozen=True)
class Requirements:
    """The requirements for a runner of a contest's matches."""

    koth: str
    game: str
    version: int
    package: GamePackage
    level: str
    """The weakest level of isolation at which the bots may run."""


@dataclass(frozen=True)
class Job:
    """A match of a contest to play. A job has the key of one seed group, never the secret of the run."""

    match: int
    requirements: Requirements
    ruleset: str
    settings: Mapping[str, Any]
    """All settings of the game."""
    key: Key
    seats: tuple[BotRef, ...]
    time_control: TimeControl
    replays: str = "all"
    """The contents of the replay: "all", "answers" (only questions and answers), or "none"."""
    max_turns: int | None = None
    """In a trial, the number of turns after which the match ends."""

    @property
    def id(self) -> str:
        """A digest of everything that determines the match's result."""
        of = self.requirements
        requirements = of.koth, of.game, of.version, of.package
        seats = [(bot_ref.name, bot_ref.digest) for bot_ref in self.seats]
        rest = (self.ruleset, dict(self.settings), str(self.key), seats, asdict(self.time_control), self.max_turns)
        data = orjson.dumps([self.match, requirements, rest])
        return hashlib.blake2b(data, digest_size=16, person=b"koth job").hexdigest()


@dataclass(frozen=True)
class Report:
    """The outcome of a job: the result (without times of single questions), and the replay (without a key)."""

    job: str
    match: int
    result: Result
    costs: Mapping[str, MatchCost]
    """Costs of the bots that are programs, by name."""
    replay: bytes
    machine: str
    """The name of the machine that played the match."""


@dataclass(frozen=True)
class Failure:
    """The reason why a match could not be played, by the arena's fault. `bot` is the delayed bot, if any."""

    text: str
    bot: str = ""
    is_bug: bool = False
    """True if the reason is a bug of the rules or of koth, not a failure of the machine."""


@dataclass(frozen=True)
class MissingBots:
    """A runner's request to submit the job again with these files: each `BotRef.content` and `BotRef.file`."""

    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ProgressEvent:
    """Progress of a match: the number of turns, or the bot that has waited for a core for `seconds`."""

    match: int
    turn: int = 0
    waits: str = ""
    seconds: float = 0.0


OnProgress = Callable[[ProgressEvent], None]


class ClusterLost(KothError):
    """Raised when the machines that play the matches are lost; finished matches stay on record."""
