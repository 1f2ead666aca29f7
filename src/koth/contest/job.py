"""A match to play, and what comes of it: what goes to where it is played, and what comes back.

Neither holds a place on a disk or an open file: a job can be played on any machine that has koth and the game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from koth.contest.schedule import match_name
from koth.contest.speed import Machine
from koth.contest.timing import Cost
from koth.engine.secret import Key
from koth.errors import KothError
from koth.game import TimeControl
from koth.match import Entrant, Result
from koth.replay.reader import SUFFIX
from koth.session.bot import Bot


@dataclass(frozen=True)
class BotRef:
    """A bot as a job names it: by what is in its files, not by where they lie."""

    name: str
    digest: str
    content: str = ""
    """The digest of its files; of several bots in the same files `digest` and `entry` say which it is."""
    file: str = ""
    """What its folder or its one file is called."""
    entry: str = ""

    @classmethod
    def of(cls, bot: Entrant) -> BotRef:
        """Of a bot of the contest; who is no program can only be found where the contest is."""
        if not isinstance(bot, Bot):
            return cls(bot.name, bot.digest)
        return cls(bot.name, bot.digest, bot.content, bot.path.name, bot.entry)


def replay_file(folder: Path, match: int) -> Path:
    """Return the file of the replay of a match in a folder of replays."""
    return folder / f"{match_name(match)}{SUFFIX}"


@dataclass(frozen=True)
class Requirements:
    """What a place must have to play matches of a contest."""

    koth: str
    game: str
    version: int
    package: Mapping[str, str]
    """The installed package that the game comes from, and its version."""
    level: str
    """The weakest level of isolation at which its bots may run."""


@dataclass(frozen=True)
class Job:
    """A match of a contest. It has the key of its block, never the secret of the run."""

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
    singly: bool = False
    """Whether the time of each question is reported."""
    turns: int | None = None
    """It ends after so many, if it is a trial."""

    @property
    def id(self) -> str:
        """A digest of all that its result hangs on: two jobs with the same one are the same match."""
        requirements = (
            self.requirements.koth,
            self.requirements.game,
            self.requirements.version,
            dict(self.requirements.package),
        )
        seats = [(bot_ref.name, bot_ref.digest) for bot_ref in self.seats]
        rest = (self.ruleset, dict(self.settings), str(self.key), seats, asdict(self.time_control), self.turns)
        told = orjson.dumps([self.match, requirements, rest])
        return hashlib.blake2b(told, digest_size=16, person=b"koth job").hexdigest()


@dataclass(frozen=True)
class Report:
    """What came of a job: the result (its records hold no single times), and the replay without its key."""

    job: str
    match: int
    result: Result
    costs: Mapping[str, Cost]
    """By bot, of those that are programs."""
    replay: bytes
    machine: Machine


@dataclass(frozen=True)
class Failure:
    """Why a match could not be played: the arena's fault. `bot` was kept from its work, if it was that."""

    text: str
    bot: str = ""


@dataclass(frozen=True)
class MissingBots:
    """A place has not got the files of these bots (`Ticket.content`): it wants to be asked again, with them."""

    contents: tuple[str, ...]


@dataclass(frozen=True)
class ProgressEvent:
    """From a match that is being played: the turns so far, or for how long which bot is kept from its core."""

    match: int
    turn: int = 0
    waits: str = ""
    seconds: float = 0.0


OnProgress = Callable[[ProgressEvent], None]


class ClusterLost(KothError):
    """Whoever plays the matches is gone: the contest ends, what is on record stays there."""
