"""A contest: what is played, and the matches that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from koth import __version__
from koth.contest.job import BotRef, Job, Requirements
from koth.contest.schedule import Format, ScheduledMatch, matches_of, schedule
from koth.contest.seating import seating
from koth.engine.secret import Key, Secret
from koth.engine.settings import choose
from koth.game import TimeControl
from koth.games import load as load_game
from koth.games import package_of
from koth.match import Entrant
from koth.sandbox.isolation import PLAIN, Isolation
from koth.standings.paired import ALPHA, least_blocks
from koth.standings.until import Goal, Looks


@dataclass(frozen=True)
class Contest:
    """What is played: enough to play it again; and how its bots are kept apart."""

    game: str
    ruleset: str
    overrides: Mapping[str, Any]
    secret: Secret
    games: int
    """Matches asked for, of each bot: over all stages of a contest that was extended."""
    bots: Sequence[Entrant]
    time_control: TimeControl
    isolation: Isolation = PLAIN
    seed: int | None = None
    """What the secret was spread from, if it was."""
    replays: str = "all"
    """Of replays: "all", only questions and "answers", or "none"."""
    table: int | None = None
    """So many seats at a table, if it was asked for."""
    seeds: str = "shared"
    """Whether the matches of a block share their dice."""
    until: Goal | None = None
    """What ends the contest before all games are played."""
    turns: int | None = None
    """A trial: every match ends after so many turns."""
    singly: bool = False
    """Whether the time of each question is put on record."""
    earlier: Sequence[Secret] = ()
    """The secrets of the contest before its extensions; `secret` is the last one's."""
    revealed: bool = False
    """Whether the host has told the secret himself: nothing is committed to then."""

    @property
    def commitment(self) -> str | None:
        """The hash of the secret, published before the first match; None where the host chose the secret."""
        return None if self.revealed else self.secret.commitment

    @property
    def stage(self) -> int:
        """The number of extensions so far."""
        return len(self.earlier)

    def key(self, match: ScheduledMatch) -> Key:
        """Return the key from which all dice of a match follow."""
        return (*self.earlier, self.secret)[match.stage].block(match.seed_group)

    def fresh_schedule(self) -> list[ScheduledMatch]:
        """Every match of a contest that begins, in order. Raises KothError when the bots can't be seated."""
        return schedule(len(self.bots), self.games, self.secret.tables, self.form)

    def matches_of(self, matches: Iterable[ScheduledMatch]) -> dict[str, int]:
        """Return how many of these matches each bot plays, by name."""
        counts = matches_of(len(self.bots), matches)
        return {bot.name: count for bot, count in zip(self.bots, counts, strict=True)}

    @property
    def form(self) -> Format:
        """The layout of its matches: their size and rotations. Raises KothError when the bots can't be seated."""
        return seating(load_game(self.game), len(self.bots), self.table, self.seeds)

    @property
    def entrants(self) -> list[tuple[str, str]]:
        """Name and digest of everybody."""
        return [(bot.name, bot.digest) for bot in self.bots]

    def looks(self, blocks: int) -> list[tuple[int, float]]:
        """Return after how many of the contest's `blocks` to look whether it may stop, and the error of each look."""
        if self.until is None:
            return [(blocks, ALPHA)]
        bots, form = len(self.bots), self.form
        planned = Looks.of(form.tables_each(self.games), self.least)
        found = [(-(-count * bots // form.size), planned.alpha(count)) for count in planned.blocks[:-1]]
        early = [(end, alpha) for end, alpha in found if end < blocks]
        return [*early, (blocks, ALPHA - sum(alpha for _, alpha in early))]

    @property
    def least(self) -> int:
        """The number of blocks of each bot from which on the standings hold verdicts."""
        return least_blocks(load_game(self.game).contest_defaults, len(self.bots))

    @cached_property
    def requirements(self) -> Requirements:
        """The requirements that a runner of its matches must meet."""
        game = load_game(self.game)
        return Requirements(__version__, self.game, game.version, package_of(game), self.isolation.level)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return asdict(choose(load_game(self.game), self.ruleset, self.overrides, files=False)[1])

    def job(self, match: ScheduledMatch) -> Job:
        """Return the job that plays this match."""
        return Job(
            match.index,
            self.requirements,
            self.ruleset,
            self._settings,
            self.key(match),
            tuple(BotRef.of(self.bots[place]) for place in match.seats),
            self.time_control,
            self.replays,
            self.singly,
            self.turns,
        )


def too_few(contest: Contest) -> str:
    """Say that the matches asked for are too few for any verdict; empty where they are not."""
    each, least, rotations = contest.form.tables_each(contest.games), contest.least, contest.form.rotations
    if len(contest.bots) < 2 or each >= least:
        return ""
    needed = least * rotations
    return f"too few matches for a verdict on any two bots: it takes {needed} of each (--matches {needed})"
