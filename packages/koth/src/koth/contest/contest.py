"""A contest: game, bots, settings, and the resulting matches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from koth import __version__
from koth.contest.job import BotRef, Job, Requirements
from koth.contest.schedule import ScheduledMatch, count_matches, schedule_contest
from koth.contest.seating import TableFormat, seating, variant_of
from koth.engine.secret import Key, Secret
from koth.engine.settings import choose, expand_variants
from koth.game import TimeControl
from koth.games import load as load_game
from koth.games import package_of
from koth.match import Entrant
from koth.sandbox.isolation import PLAIN, Isolation
from koth.standings.paired import ALPHA, least_blocks
from koth.standings.until import Goal, Looks


@dataclass(frozen=True, kw_only=True)
class Contest:
    """The definition of a contest: everything needed to play the same matches again, and the bots' isolation."""

    game: str
    ruleset: str
    overrides: Mapping[str, Any]
    """The settings that differ from the ruleset's, with the values of variants (see `expand_variants`)."""
    secret: Secret
    matches: int
    """The number of matches requested for each bot, summed over all stages of an extended contest."""
    bots: Sequence[Entrant]
    time_control: TimeControl
    isolation: Isolation = PLAIN
    seed: int | None = None
    """The seed from which the secret was derived, if any."""
    replays: str = "all"
    """The contents of replays: "all", "answers" (only questions and answers), or "none"."""
    seats: int | None = None
    """The requested number of seats of a match, if any."""
    seeds: str = "shared"
    """"shared" if the matches of a block have the same dice, else "independent"."""
    until: Goal | None = None
    """The goal that ends the contest before all matches are played."""
    max_turns: int | None = None
    """In a trial, the number of turns after which every match ends."""
    knockout: int | None = None
    """The number of bots, the best in the standings, that play a knockout after all other matches."""
    earlier: Sequence[Secret] = ()
    """The secrets of earlier stages; `secret` is the last stage's."""
    revealed: bool = False
    """True if the host chose and revealed the secret; then the commitment proves nothing."""

    @property
    def commitment(self) -> str:
        """The hash of the secret, published before the first match."""
        return self.secret.commitment

    @property
    def stage(self) -> int:
        """The number of extensions so far."""
        return len(self.earlier)

    def key(self, match: ScheduledMatch) -> Key:
        """Return the key that determines all dice of a match."""
        return (*self.earlier, self.secret)[match.stage].key(match.seed_group)

    def draw_schedule(self) -> list[ScheduledMatch]:
        """Return every match of a new contest, in order. Raises KothError when the bots can't be seated."""
        return schedule_contest(len(self.bots), self.matches, self.secret.tables, self.form)

    def count_matches(self, matches: Iterable[ScheduledMatch]) -> dict[str, int]:
        """Return the number of these matches that each bot plays, by name."""
        counts = count_matches(len(self.bots), matches)
        return {bot.name: count for bot, count in zip(self.bots, counts, strict=True)}

    @property
    def form(self) -> TableFormat:
        """The matches' number of seats and rotations. Raises KothError when the bots can't be seated."""
        return self._in_variants(seating(load_game(self.game), len(self.bots), self.seats, self.seeds))

    @property
    def pair_form(self) -> TableFormat:
        """The format of a pair's matches in the knockout."""
        return self._in_variants(seating(load_game(self.game), 2, 2, self.seeds))

    def _in_variants(self, form: TableFormat) -> TableFormat:
        return replace(form, variants=len(self._settings))

    @property
    def knockout_matches(self) -> int:
        """The largest number of matches in the knockout; 0 without a knockout."""
        pairs = min(self.knockout or 1, len(self.bots)) - 1
        return pairs * self.pair_form.matches(2, self.matches) if pairs else 0

    @property
    def entrants(self) -> list[tuple[str, str]]:
        """The name and digest of each bot."""
        return [(bot.name, bot.digest) for bot in self.bots]

    def looks(self, blocks: int) -> list[tuple[int, float]]:
        """Return each number of blocks after which the contest may stop, and that look's share of the error rate."""
        if self.until is None:
            return [(blocks, ALPHA)]
        bots, form = len(self.bots), self.form
        planned = Looks.of(form.blocks_each(self.matches), self.least)
        ends = ((-(-count * bots // form.size), planned.alpha(count)) for count in planned.blocks[:-1])
        found = [(-(-end // form.variants) * form.variants, alpha) for end, alpha in ends]
        early = [(end, alpha) for end, alpha in found if end < blocks]
        return [*early, (blocks, ALPHA - sum(alpha for _, alpha in early))]

    @property
    def least(self) -> int:
        """The least number of blocks of each bot for which the standings give verdicts."""
        return least_blocks(load_game(self.game).contest_defaults, len(self.bots))

    @cached_property
    def requirements(self) -> Requirements:
        """The requirements that a runner of the matches must meet."""
        game = load_game(self.game)
        return Requirements(__version__, self.game, game.version, package_of(game), self.isolation.level)

    @cached_property
    def _settings(self) -> list[dict[str, Any]]:
        """The settings of each variant."""
        game, variants = load_game(self.game), expand_variants(self.overrides)
        return [asdict(choose(game, self.ruleset, one, files=False)[1]) for one in variants]

    def job(self, match: ScheduledMatch, variant: int | None = None) -> Job:
        """Return the job that plays this match; by default blocks play the variants of the settings in turn."""
        which = variant_of(match.block) if variant is None else variant
        return Job(
            match.number,
            self.requirements,
            self.ruleset,
            self._settings[which % len(self._settings)],
            self.key(match),
            tuple(BotRef.of(self.bots[place]) for place in match.seats),
            self.time_control,
            self.replays,
            self.max_turns,
        )
