"""Comparison of two bots: both play the same matches, at the same seats, against the same rivals, with the same dice.

A comparison is two contests with one secret; one executor plays their matches alternately. All commands for
contests work with either contest.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from koth.contest.bundle import Bundle
from koth.contest.contest import Contest
from koth.contest.job import BotRef, Job, MissingBots
from koth.contest.results import Unplayed
from koth.contest.run import Callbacks, ContestPlay, JobPlayer, MakeExecutor
from koth.contest.schedule import schedule_around_first
from koth.contest.store import Store
from koth.game import Game
from koth.games import load
from koth.match import Entrant
from koth.replay.names import replay_name
from koth.sandbox.isolation import Isolation
from koth.standings.difference import Difference
from koth.standings.paired import least_blocks
from koth.standings.scores import Scores
from koth.standings.until import Looks


@dataclass(frozen=True)
class Side:
    """One side of a comparison: the contest of the compared bot (listed first) and the rivals, and the results."""

    contest: Contest
    store: Store

    @property
    def name(self) -> str:
        """The name of the compared bot."""
        return self.contest.bots[0].name


@dataclass(frozen=True)
class _SidesRunner:
    """The runner of both sides' matches on this machine; records each match in the folder of the match's contest."""

    isolation: Isolation
    replays: Mapping[str, Path]
    """The folders of replays, by compared bot."""
    bots: Mapping[str, Entrant]

    def replay(self, job: Job) -> Path:
        return self.replays[side_of(job, self.replays)] / replay_name(job.match)

    def entrants(self, game: Game, seats: Sequence[BotRef], bundles: Sequence[Bundle]) -> list[Entrant] | MissingBots:
        return [self.bots[bot_ref.name] for bot_ref in seats]


def side_of(job: Job, names: Mapping[str, object]) -> str:
    """Return which compared bot plays in a match; compared bots never meet."""
    return next(bot_ref.name for bot_ref in job.seats if bot_ref.name in names)


@dataclass
class ComparisonState:
    """The state of a comparison: how much better the second bot is (None while unknown), and the number of blocks."""

    difference: Difference | None = None
    blocks: int = 0
    most: int = 0
    rotations: int = 1
    over: bool = False
    """True if there is a verdict: a bot is better, both play alike, or the difference is within `--margin`."""
    unplayed: list[Unplayed] = field(default_factory=list)


class Comparison:
    """Two sides with the same secret and format, and bots with different names; `seen` is the latest state."""

    def __init__(self, sides: tuple[Side, Side], margin: float | None = None) -> None:
        self.sides = sides
        self.margin = margin
        contest = sides[0].contest
        form, rivals = contest.form, len(contest.bots) - 1
        most = form.blocks_each(contest.matches)
        self.defaults = load(contest.game).contest_defaults
        self.looks = Looks.of(most, least_blocks(self.defaults, 2))
        self.seen = ComparisonState(most=most, rotations=form.rotations)
        for side in sides:
            matches = schedule_around_first(rivals, form.tables_each(contest.matches), contest.secret.tables, form)
            side.store.keep_stage(0, form.size, side.contest.entrants, matches)

    @property
    def most(self) -> int:
        """The largest number of matches that both sides play together."""
        return 2 * self.seen.most * self.seen.rotations

    def play(
        self, make_executor: MakeExecutor, progress: Callbacks, looked: Callable[[ComparisonState], None]
    ) -> None:
        """Play until a verdict or the last match; call `looked` with the state at each interim look.

        Raises ClusterLost and KeyboardInterrupt; finished matches stay on record (see `look_now`).
        """
        contest, bots = self.sides[0].contest, {bot.name: bot for side in self.sides for bot in side.contest.bots}
        playing = {side.name: ContestPlay(side.contest, side.store, progress) for side in self.sides}
        runner = _SidesRunner(contest.isolation, {side.name: side.store.replays for side in self.sides}, bots)

        def of(job: Job) -> ContestPlay:
            return playing[side_of(job, playing)]

        with JobPlayer.open(contest, runner, make_executor, progress.on_progress) as player:
            for blocks in self.looks.blocks:
                if not player.play_out(self._missing_jobs(list(playing.values()), blocks), of):
                    break
                self.look(blocks)
                looked(self.seen)
                if self.seen.over:
                    break
        self.seen.unplayed = [item for side in self.sides for item in side.store.unplayed_matches()]

    def _missing_jobs(self, playing: Sequence[ContestPlay], blocks: int) -> Iterator[Job]:
        """Yield the missing jobs of the first `blocks` blocks, for each match side 0's before side 1's."""
        return heapq.merge(*(each.missing_jobs(blocks) for each in playing), key=lambda job: job.match)

    def look(self, blocks: int) -> None:
        """Update the state from those of the first `blocks` blocks that both sides have completed."""
        scores = self.paired_scores(blocks)
        found = len(scores) // self.seen.rotations
        if not found:
            return
        self.seen.difference = known = Difference.of(scores, self.defaults, self.looks.alpha(blocks))
        self.seen.blocks = found
        self.seen.over = bool(known.sign or known.is_alike or known.is_within(self.margin))

    def look_now(self) -> None:
        """Update the state after an interrupt, without a verdict: a verdict is reached at planned looks only."""
        self.look(self.seen.most)
        self.seen.over = False

    def paired_scores(self, blocks: int | None = None) -> Scores:
        """Return both bots' scores by match, for those of the first `blocks` blocks that both sides completed."""
        last = self.seen.most if blocks is None else blocks
        names = [side.name for side in self.sides]
        one, other = ({row.number: row for row in side.store.matches()} for side in self.sides)
        both: dict[int, list[dict[str, float]]] = {}
        for number, row in one.items():
            if number in other and row.block <= last:
                found = row.scores[names[0]], other[number].scores[names[1]]
                both.setdefault(row.block, []).append(dict(zip(("0", "1"), found, strict=True)))
        whole = [
            (block, scores) for block, rows in both.items() if len(rows) == self.seen.rotations for scores in rows
        ]
        return Scores.of(whole)
