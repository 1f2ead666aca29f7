"""Options of use cases: their names, types and defaults. The command line and Python only pass them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from koth.discovery.interpreters import Interpreters
from koth.errors import KothError, choices
from koth.game import Game, TimeControl
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose as isolation_level
from koth.sandbox.levels import for_strangers
from koth.services.observer import ShowProgress

CHOICES = {"seeds": ("shared", "independent"), "replays": ("all", "answers", "none")}
"""The valid values of options by name."""
COUNTS = ("matches", "jobs", "seats", "max_turns", "round_robin")
"""The options that are whole numbers from 1 on."""
TIMES = ("start_timeout", "move_time")
"""The options in seconds."""
FREE_PLANS = ((None, None, None), (None, None, 2))
"""Values of `matches`, `until` and `seats` with which a round robin can be planned."""
SEED_DIGITS = 32
"""Hex digits of a secret."""


@dataclass(frozen=True, kw_only=True)
class _Checked:
    """Options whose values are checked when they are made. Raises KothError."""

    def __post_init__(self) -> None:
        values = {name: value for name, value in vars(self).items() if value is not None}
        for name in COUNTS:
            if name in values and not (_is_whole(values[name]) and values[name] >= 1):
                raise KothError(f"{name} must be a whole number from 1 on, not {values[name]!r}")
        for name in TIMES:
            if name in values and not (isinstance(values[name], int | float) and values[name] > 0):
                raise KothError(f"{name} must be a number above 0, not {values[name]!r}")
        for name, valid in CHOICES.items():
            if name in values and values[name] not in valid:
                raise KothError(f"{name}: {values[name]!r}{choices(str(values[name]), valid)}")
        if "seed" in values and not _is_seed(values["seed"]):
            raise KothError(
                f"seed must be a number from 0 to 2**63 - 1, or {SEED_DIGITS} hex digits, not {values['seed']!r}"
            )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_seed(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) == SEED_DIGITS and set(value.lower()) <= set("0123456789abcdef")
    return _is_whole(value) and 0 <= value < 1 << 63


@dataclass(frozen=True, kw_only=True)
class BotOptions(_Checked):
    """How bots are confined, and what the host grants them."""

    isolation: str | None = None
    """The level of isolation: none, limits, partial, strong or strong+cgroup; None for the best available here."""
    interpreters: Mapping[str, str] = field(default_factory=dict)
    """Programs to start for words of bots' commands, such as `python`."""
    allow_read: Sequence[Path | str] = ()
    """Files and folders that bots may read, too."""

    @cached_property
    def grants(self) -> Interpreters:
        """The host's programs and readable paths for bots. Raises BotError."""
        return Interpreters.given(self.interpreters, [Path(path) for path in self.allow_read])

    @property
    def own_isolation(self) -> Isolation:
        """The isolation of the host's own bots, which may start processes. Raises SandboxError."""
        return replace(isolation_level(self.isolation), trusts_processes=True)


@dataclass(frozen=True, kw_only=True)
class RulesOptions(_Checked):
    """The rules of a match."""

    ruleset: str | None = None
    """The name of one of the game's rulesets; None for its first."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the rules with other values than the ruleset's."""
    max_turns: int | None = None
    """Turns after which every match ends."""
    start_timeout: float | None = None
    """Seconds of a bot to start in; None for as many as the game says."""

    def time_control(self, game: Game) -> TimeControl:
        """Return the game's time control with these changes."""
        control = game.time_control
        return control if self.start_timeout is None else replace(control, start=self.start_timeout)


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A Dask scheduler whose workers play matches, and the files of its TLS."""

    address: str
    tls_ca_file: str = ""
    tls_cert: str = ""
    tls_key: str = ""


@dataclass(frozen=True, kw_only=True)
class PlayingOptions(BotOptions):
    """How the matches of a contest are played."""

    matches: int | None = None
    """Matches of each bot; None for as many as the game says, or as the contest has."""
    jobs: int | None = None
    """Matches at the same time; None for one on each core but one."""
    skip_broken: bool = False
    """Play without the bots that can't be built or started."""
    exclude: Sequence[str] = ()
    """Names of bots, files and folders to leave out; * is a wildcard."""
    untrusted: bool = False
    """The bots are strangers': refuse isolation below strong, and seeds that can be guessed."""
    allow_subprocesses: bool = False
    """Accept bots that start programs where the CPU time of those can't be measured."""
    cluster: Cluster | None = None
    """The cluster that plays the matches; None for this machine."""
    progress: ShowProgress = None
    """Called after each match with a `Progress`; True for a bar, False for none, None for one that somebody sees."""

    def confined(self, isolation: Isolation) -> Isolation:
        """Return this isolation with these options. Raises KothError if strangers' bots need a stronger one."""
        if self.untrusted:
            for_strangers(isolation)
        return replace(isolation, trusts_processes=self.allow_subprocesses)


@dataclass(frozen=True, kw_only=True)
class RunOptions(PlayingOptions, RulesOptions):
    """Options of a new contest."""

    until: str | None = None
    """The goal that ends it early: "settled", or "top=3" for three first ranks; `matches` is the most then."""
    seats: int | None = None
    """Bots in one match; None for as many as the game says."""
    round_robin: int | None = None
    """Tables of two at which every two bots meet, instead of `matches`; None for no complete round robin."""
    seed: int | str | None = None
    """A number or 32 hex digits that all dice follow from; None for a new secret."""
    seeds: str | None = None
    """Dice of matches in which the same bots change seats: "shared" or "independent"; None: shared if trusted."""
    move_time: float | None = None
    """Seconds of a bot for each move; more comes out of its bank. None for as many as the game says."""
    freeze: bool = False
    """Suspend bots while they are not asked."""
    out: Path | str | None = None
    """The run's folder; None for runs/GAME-TIME."""
    replays: str = "all"
    """What is kept of each match: "all", only "answers" (pictures are computed when needed), or "none"."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.round_robin is not None and (self.matches, self.until, self.seats) not in FREE_PLANS:
            raise KothError("--round-robin plans all matches at tables of two: no --matches, --until or --seats")

    def time_control(self, game: Game) -> TimeControl:
        """Return the game's time control with these changes."""
        control = super().time_control(game)
        question = control.question if self.move_time is None else self.move_time
        return replace(control, question=question, freeze=control.freeze or self.freeze)


@dataclass(frozen=True, kw_only=True)
class ResumeOptions(PlayingOptions):
    """Options of a contest that goes on."""

    new_standings: bool = False
    """Go on where no earlier match counts any more: all bots play in each, and they change."""


@dataclass(frozen=True, kw_only=True)
class CompareOptions(BotOptions, RulesOptions):
    """Options of a comparison of two bots."""

    game: str | None = None
    """The game; None for the one that a bot's manifest or imports name."""
    against: Sequence[str] = ()
    """Rivals of both; none for the game's default entrants."""
    matches: int | None = None
    """Matches of each after which it ends without a verdict."""
    margin: float | None = None
    """Points per match up to which a difference counts as none."""
    seed: int | str | None = None
    """A number or 32 hex digits that all dice follow from; None for a new secret."""
    jobs: int | None = None
    """Matches at the same time; None for one on each core but one."""
    out: Path | str | None = None
    """The folder that keeps both contests with their replays; None for none."""
    progress: ShowProgress = None
    """Called after each match with a `Progress`; True for a bar, False for none, None for one that somebody sees."""


@dataclass(frozen=True, kw_only=True)
class CheckOptions(BotOptions, RulesOptions):
    """Options of a bot's check."""

    game: str | None = None
    """The game; None for the one that a bot's manifest or imports name."""
    against: Sequence[str] = ()
    """Rivals to play with; none for samples of the game."""
    seed: int = 1
    """The number that all dice of its matches follow from."""
