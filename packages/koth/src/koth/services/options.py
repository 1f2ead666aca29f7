"""Options of use cases: names, types, defaults and meanings.

Python functions take these options as keywords; `koth.cli.commands.options` makes the options of commands, with the
texts below the fields as help. `koth --help` must not wait for NumPy: import only light modules here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

from koth.discovery.grants import ALLOW_READ, INTERPRETERS
from koth.errors import KothError, choices
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import check_for_strangers, choose_level

if TYPE_CHECKING:
    from koth.discovery.interpreters import Interpreters
    from koth.game import Game, TimeControl

FREE_PLANS = ((None, None, None), (None, None, 2))
"""Values of `matches`, `until` and `seats` that allow a round robin."""
SEED_DIGITS = 32
"""The number of hex digits of a secret."""


GROUPS = CONTEST, STOP, BOTS, STRANGERS, RULES, OUTPUT = (
    "The contest",
    "When to stop",
    "The bots",
    "Strangers' bots",
    "The rules",
    "The output",
)
"""Groups of options, in the order in which help shows them."""


def option(group: str, default: Any = None) -> Any:
    """Return the field of an option, which help shows in this group."""
    return field(default=default, metadata={"group": group})


@dataclass(frozen=True)
class Bounds:
    """The smallest and largest valid number of an option, and the placeholder in help."""

    least: float
    most: float
    word: str = "N"


Count = Annotated[int, Bounds(1, 100_000)]
Index = Annotated[int, Bounds(0, 2**63 - 1)]
Processes = Annotated[int, Bounds(1, 256)]
Seconds = Annotated[float, Bounds(0.001, 600, "SECONDS")]
Amount = Annotated[float, Bounds(0, 1e9)]
Duration = Annotated[float, Bounds(1, 1e9, "TIME")]
UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
"""Seconds per unit of time."""


def parse_seconds(text: str) -> float:
    """Return the seconds of a time such as 30m. Raises KothError."""
    number, unit = text[:-1], text[-1:]
    if unit not in UNIT_SECONDS or not (number.isascii() and number.isdigit() and 0 < len(number) < 7):
        raise KothError(f"{text!r} is not a time: a whole number and s, m, h or d, as in 30m")
    return float(int(number) * UNIT_SECONDS[unit])


@cache
def types_of(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's options by name, without `| None`."""
    hints = get_type_hints(kind, localns={"ShowProgress": Any}, include_extras=True)
    return {name: _not_none(hint) for name, hint in hints.items()}


def _not_none(hint: Any) -> Any:
    rest = [part for part in get_args(hint) if part is not NoneType]
    return rest[0] if len(rest) == 1 and NoneType in get_args(hint) else hint


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options whose values the constructor checks. Raises KothError."""

    def __post_init__(self) -> None:
        own: Any = type(self)
        for name, kind in types_of(own).items():
            if (value := getattr(self, name)) is None:
                continue
            if get_origin(kind) is Annotated:
                _check_number(name, value, kind.__origin__, kind.__metadata__[0])
            elif get_origin(kind) is Literal and value not in get_args(kind):
                raise KothError(f"{name}: {value!r}{choices(str(value), get_args(kind))}")
            elif name == "seed" and not _is_seed(value):
                raise KothError(
                    f"seed must be a number from 0 to 2**63 - 1, or {SEED_DIGITS} hex digits, not {value!r}"
                )


def _check_number(name: str, value: Any, kind: type, bounds: Bounds) -> None:
    valid = int if kind is int else int | float
    if isinstance(value, bool) or not isinstance(value, valid) or not bounds.least <= value <= bounds.most:
        what = "a whole number" if kind is int else "a number"
        raise KothError(f"{name} must be {what} from {bounds.least:,} to {bounds.most:,}, not {value!r}")


def _is_seed(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) == SEED_DIGITS and set(value.lower()) <= set("0123456789abcdef")
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _read_programs() -> dict[str, str]:
    """Return the programs by word of the variable KOTH_INTERPRETERS. Raises KothError."""
    words = _read_list(INTERPRETERS)
    for word in words:
        if "=" not in word:
            raise KothError(f"{INTERPRETERS} wants WORD=PROGRAM, several with {os.pathsep} between, not {word!r}")
    return dict(word.split("=", 1) for word in words)


def _read_list(variable: str) -> list[str]:
    return [word for word in os.environ.get(variable, "").split(os.pathsep) if word]


@dataclass(frozen=True, kw_only=True)
class BotOptions(Options):
    """The bots' isolation, and what this machine grants to bots: in the terminal, variables say that."""

    isolation: str | None = option(STRANGERS)
    """Isolation of bots: none, limits, partial, strong or strong+cgroup (default: the best available here)."""
    interpreters: Mapping[str, str] = field(default_factory=_read_programs, metadata={"variable": INTERPRETERS})
    """Programs for words in bots' commands (default: the variable KOTH_INTERPRETERS)."""
    allow_read: Sequence[Path | str] = field(
        default_factory=partial(_read_list, ALLOW_READ), metadata={"variable": ALLOW_READ}
    )
    """Files and folders of the machine that bots may read, too (default: the variable KOTH_ALLOW_READ)."""

    @cached_property
    def grants(self) -> Interpreters:
        """Return the host's programs and readable paths for bots. Raises BotError."""
        from koth.discovery.interpreters import Interpreters  # takes NumPy

        return Interpreters.find(self.interpreters, [Path(path) for path in self.allow_read])

    @property
    def own_isolation(self) -> Isolation:
        """The isolation of the host's own bots, which may start processes. Raises SandboxError."""
        return replace(choose_level(self.isolation), trusts_processes=True)


@dataclass(frozen=True, kw_only=True)
class RulesOptions(Options):
    """The rules of a match."""

    ruleset: str | None = option(RULES)
    """The game's ruleset to play (default: the first)."""
    settings: Mapping[str, Any] = field(default_factory=dict, metadata={"group": RULES})
    """Give a setting of the rules another value (`koth docs GAME/rules` lists the settings);
    a contest plays several, with commas, equally often."""


@dataclass(frozen=True, kw_only=True)
class StandingsOptions(Options):
    """The matches that printed standings count."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    """Count only matches with this value of a setting, of a contest that plays several."""


@dataclass(frozen=True, kw_only=True)
class TimedOptions(RulesOptions):
    """The rules of a match, and the start timeout."""

    start_timeout: Seconds | None = option(RULES)
    """Time in which a bot must start (default: the game's)."""

    def time_control(self, game: Game) -> TimeControl:
        """Return the game's time control with these changes."""
        control = game.time_control
        return control if self.start_timeout is None else replace(control, start=self.start_timeout)


@dataclass(frozen=True, kw_only=True)
class TrialOptions(TimedOptions):
    """The rules of a match that may be stopped early."""

    max_turns: Count | None = option(STOP)
    """End every match after N turns, as for a quick trial."""


@dataclass(frozen=True, kw_only=True)
class EntrantOptions(BotOptions):
    """The choice of bots in a folder."""

    exclude: Sequence[str] = option(BOTS, ())
    """Leave out bots, files and folders of this name (* is a wildcard)."""


@dataclass(frozen=True, kw_only=True)
class JobsOptions(Options):
    """The number of matches played at a time."""

    jobs: Processes | None = option(CONTEST)
    """Play N matches at the same time (default: one on each core but one)."""


@dataclass(frozen=True, kw_only=True)
class HostOptions(BotOptions, JobsOptions):
    """The machines that play a host's matches, and whether the bots are trusted."""

    untrusted: bool = option(STRANGERS, False)
    """The bots are strangers' bots: refuse isolation below strong, seeds that can be guessed, and bots that start
    programs if koth can't measure their CPU time."""
    cluster: str | None = option(CONTEST)
    """Let the workers of this Dask scheduler play the matches."""

    def confine(self, isolation: Isolation) -> Isolation:
        """Return the isolation, changed by these options. Raises KothError if it is too weak for strangers' bots."""
        if self.untrusted:
            check_for_strangers(isolation)
        return replace(isolation, trusts_processes=not self.untrusted)


@dataclass(frozen=True, kw_only=True)
class PlayingOptions(HostOptions, EntrantOptions):
    """Options of a new or continued contest."""

    matches: Count | None = option(STOP)
    """Matches that each bot plays (default: the game's number, or up to twice as many if a verdict takes them)."""
    knockout: Annotated[int, Bounds(2, 1024)] | None = option(CONTEST)
    """Afterwards let the best N bots play a knockout, with the same number of matches per pair."""
    skip_broken: bool = option(BOTS, False)
    """Play without the bots that can't be built or started."""


@dataclass(frozen=True, kw_only=True)
class RunOptions(PlayingOptions, TrialOptions):
    """Options of a new contest."""

    until: str | None = option(STOP)
    """Stop when all ranks are settled (settled) or the first three are (top=3); then `matches` is the maximum."""
    seats: Count | None = option(CONTEST)
    """The number of bots in one match (default: the game's)."""
    round_robin: Count | None = option(CONTEST)
    """Let every two bots meet N times, each time from both seats if seats differ."""
    seed: int | str | None = option(CONTEST)
    """Play the contest of this seed: a number or 32 hex digits that determine all dice (default: a new seed)."""
    dice: Literal["shared", "independent"] | None = option(CONTEST)
    """Dice of matches in which the same bots change seats (default: independent for strangers' bots, because bots can
    remember dice; otherwise shared)."""
    move_time: Seconds | None = option(RULES)
    """A bot's time for each move; additional time is taken from the bot's bank (default: the game's)."""
    paid_thinking: bool = option(RULES, False)
    """Charge bots for the CPU time that they use between questions, too."""
    out: Path | str | None = option(OUTPUT)
    """The run's folder (default: runs/GAME-TIME)."""
    replays: Literal["all", "answers", "none"] = option(OUTPUT, "all")
    """Record all of a match, only answers (pictures are computed when needed), or no replay."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.round_robin is not None and (self.matches, self.until, self.seats) not in FREE_PLANS:
            raise KothError("--round-robin plans all matches at tables of two: no --matches, --until or --seats")

    def time_control(self, game: Game) -> TimeControl:
        """Return the game's time control with these changes."""
        control = super().time_control(game)
        question = control.question if self.move_time is None else self.move_time
        return replace(control, question=question, paid_thinking=control.paid_thinking or self.paid_thinking)


@dataclass(frozen=True, kw_only=True)
class _AuthorOptions(BotOptions, TrialOptions):
    game: str | None = option(BOTS)
    """The game to play (default: the game in the bot's manifest or imports)."""
    against: Sequence[str] = option(BOTS, ())
    """A rival to play against (default: the game's samples)."""


@dataclass(frozen=True, kw_only=True)
class CheckOptions(_AuthorOptions):
    """Options of a bot's check."""

    seed: Index = option(CONTEST, 1)
    """Play the match with this seed, which determines all dice."""


@dataclass(frozen=True, kw_only=True)
class CompareOptions(_AuthorOptions, JobsOptions):
    """Options of a comparison of two bots."""

    matches: Count | None = option(STOP)
    """Stop after at most N matches of each bot (default: 96 boards)."""
    margin: Amount | None = option(STOP)
    """Treat a difference of at most N points per match as no difference."""
    seed: int | str | None = option(CONTEST)
    """Play the boards of this seed, which determines all dice (default: a new seed)."""
    out: Path | str | None = option(OUTPUT)
    """Keep both contests with their replays: PATH/old and PATH/new."""


@dataclass(frozen=True, kw_only=True)
class MatchOptions(BotOptions, TrialOptions):
    """Options of a match."""

    seed: Index | None = option(CONTEST)
    """The number that determines all dice; None for a new secret."""
    out: Path | str | None = option(OUTPUT)
    """The replay's file; None for a file that is removed when this process ends."""


@dataclass(frozen=True, kw_only=True)
class PlayOptions(BotOptions, TimedOptions):
    """Options of a match with a person."""

    level: str | None = None
    """Difficulty: practice, easy, normal or hard (default: easy if no BOT is named)."""
    name: str = "you"
    """Your name in the match."""
    seed: Index | None = option(CONTEST)
    """Play the match with this seed, which determines all dice (default: a new seed)."""
    out: Path | None = option(OUTPUT)
    """The replay's file (default: runs/play-GAME-TIME.koth.gz)."""


@dataclass(frozen=True, kw_only=True)
class ListOptions(EntrantOptions):
    """Options for listing the bots in folders."""

    game: str | None = option(BOTS)
    """The game of the bots (default: found by a manifest, or by the API that a bot imports)."""


@dataclass(frozen=True, kw_only=True)
class DebugOptions(BotOptions):
    """Options for starting a recorded bot again."""

    bot: str
    """The bot to start."""
    turn: Count
    """Stop at the questions of this turn (the first turn is 1)."""
    source: Path | None = None
    """The bot's present path (default: the path in the run)."""
    unit: Index | None = None
    """Show the board as this unit of the bot sees it (default: the first unit with a fault, or the first)."""
    steps: Count = 1
    """The number of questions to show, from the turn's first question on."""


@dataclass(frozen=True, kw_only=True)
class ExportOptions(Options):
    """Options of a replay's page or film, or of a contest's site."""

    first: Index = 0
    """First turn of the film."""
    last: Index | None = None
    """Last turn of the film."""
    title: str = ""
    """The title of a contest's site."""
    text: str = ""
    """A text on a contest's site; addresses in the text become links."""
