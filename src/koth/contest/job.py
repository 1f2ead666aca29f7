"""A match to play, as a job that is sent to its runner, and the report that comes back.

Neither refers to a disk or an open file: a job can be played on any machine that has koth and the game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from koth.contest.timing import MatchCost
from koth.engine.secret import Key
from koth.errors import KothError
from koth.game import TimeControl
from koth.match import Entrant, Result
from koth.replay.names import SUFFIX, match_name
from koth.session.bot import Bot


@dataclass(frozen=True)
class BotRef:
    """A bot as a job names it: by the content of its files, not by their path."""

    name: str
    digest: str
    content: str = ""
    """The digest of its files; `digest` and `entry` distinguish several bots in the same files."""
    file: str = ""
    """The name of its folder or its one file."""
    entry: str = ""

    @classmethod
    def of(cls, bot: Entrant) -> BotRef:
        """Return the reference of a bot; a function can be found only in the contest's own process."""
        if not isinstance(bot, Bot):
            return cls(bot.name, bot.digest)
        return cls(bot.name, bot.digest, bot.content, bot.path.name, bot.entry)


def replay_file(folder: Path, match: int) -> Path:
    """Return the file of the replay of a match in a folder of replays."""
    return folder / f"{match_name(match)}{SUFFIX}"


@dataclass(frozen=True)
class Requirements:
    """The requirements that a runner must meet to play matches of a contest."""

    koth: str
    game: str
    version: int
    package: Mapping[str, str]
    """The installed package that the game comes from, and its version."""
    level: str
    """The weakest level of isolation at which its bots may run."""


@dataclass(frozen=True)
class Job:
    """A match of a contest. It has the key of its seed group, never the secret of the run."""

    match: int
    requirements: Requirements
    ruleset: str
    settings: Mapping[str, Any]
    """Every constant of the rules."""
    key: Key
    seats: tuple[BotRef, ...]
    time_control: TimeControl
    replays: str = "all"
    """Of its replay: "all", only questions and "answers", or "none"."""
    max_turns: int | None = None
    """The number of turns after which it ends, in a trial."""

    @property
    def id(self) -> str:
        """A digest of everything that the result depends on: jobs with the same id are the same match."""
        requirements = (
            self.requirements.koth,
            self.requirements.game,
            self.requirements.version,
            dict(self.requirements.package),
        )
        seats = [(bot_ref.name, bot_ref.digest) for bot_ref in self.seats]
        rest = (self.ruleset, dict(self.settings), str(self.key), seats, asdict(self.time_control), self.max_turns)
        data = orjson.dumps([self.match, requirements, rest])
        return hashlib.blake2b(data, digest_size=16, person=b"koth job").hexdigest()


@dataclass(frozen=True)
class Report:
    """The outcome of a job: the result (whose records have no times of questions), and the replay without its key."""

    job: str
    match: int
    result: Result
    costs: Mapping[str, MatchCost]
    """Costs by bot, of those that are programs."""
    replay: bytes
    machine: str
    """The name of the machine that played it."""


@dataclass(frozen=True)
class Failure:
    """The reason why a match could not be played: the arena's fault. `bot` is the delayed bot, if there was one."""

    text: str
    bot: str = ""
    is_bug: bool = False
    """The reason is a mistake of the rules or of koth, not a failure of the machine."""


@dataclass(frozen=True)
class MissingBots:
    """A runner's request for the files of these bots (`BotRef.content`): submit the job again with them."""

    contents: tuple[str, ...]


@dataclass(frozen=True)
class ProgressEvent:
    """Progress of a match: the turns so far, or the bot that is kept from its core and for how long."""

    match: int
    turn: int = 0
    waits: str = ""
    seconds: float = 0.0


OnProgress = Callable[[ProgressEvent], None]


class ClusterLost(KothError):
    """The loss of the machines that play the matches: the contest ends, and finished matches stay on record."""
