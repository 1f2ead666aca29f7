"""A study's file: games, authors with commands, rounds, budgets, and withheld documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from koth.contest.seating import seating
from koth.discovery.manifest import read_tables
from koth.engine.settings import choose
from koth.errors import KothError, choices
from koth.files.shape import find_mismatch, shape_of
from koth.game import Game
from koth.games import load
from koth.services.contests import check_seed
from koth.services.options import (
    Count,
    HostOptions,
    Options,
    Processes,
    RunOptions,
    parse_seconds,
    types_of,
)
from koth_studies.turn_limits import AuthorCommand, TurnLimits

T = TypeVar("T")

AUTHOR_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
"""Valid names of authors, also used as names of folders."""
MEASURED = "measured"
"""The name of the bot that plays among the yardsticks; no author may use this name."""
CONTEST_KEYS = (
    "ruleset", "settings", "matches", "round_robin", "max_turns", "start_timeout", "move_time", "paid_thinking",
    "replays",
)  # fmt: skip
"""Options of a contest that a study sets for each game. Other options would give bots unequal numbers of matches."""
CHANGEABLE_KEYS = ("jobs", "commands", "cluster", "rounds", "repetitions")
"""Keys that may change when a study is continued."""
Withheld = Literal["replays", "standings", "why", "logs", "yardsticks"]


@dataclass(frozen=True, kw_only=True)
class StudyOptions(HostOptions):
    """The keys of a study's file outside tables."""

    rounds: Count
    """The number of rounds with commands, after round 0."""
    repetitions: Count = 1
    """The number of repetitions in each game, each beginning with the first bots."""
    seed: int | str | None = None
    """The seed of all dice."""
    commands: Processes = 1
    """The largest number of commands that run at the same time."""
    withhold: Sequence[str] = ()
    """Documents that authors do not get."""


@dataclass(frozen=True, kw_only=True)
class StudyGame(Options):
    """A game's table in a study's file, except the options of its contests."""

    yardsticks: Sequence[str] = ()
    """Bots that do not change (default: the game's default entrants)."""
    start: str | None = None
    """The bot with which every author begins (default: the bot that `koth new` writes)."""


@dataclass(frozen=True)
class PlannedGame:
    """A game of a study, with the contests' options by name, the yardsticks, and the first bot."""

    game: Game
    contest: Mapping[str, Any]
    yardsticks: Mapping[str, str]
    """Words for yardsticks (a path or @SAMPLE), by name."""
    start: Path | None


@dataclass(frozen=True)
class Study:
    """A study, as described by a file."""

    file: Path
    options: StudyOptions
    authors: Mapping[str, AuthorCommand]
    limits: TurnLimits
    games: Mapping[str, PlannedGame]

    @property
    def folder(self) -> Path:
        """The folder of the results: the file's name without its ending."""
        return self.file.with_suffix("")

    def author(self, name: str) -> AuthorCommand:
        """Return an author; relative paths in `reads` begin at the file's folder."""
        author = self.authors[name]
        return replace(author, reads=[str(self.file.parent / path) for path in author.reads])

    def host(self) -> dict[str, Any]:
        """Return the options for hosting all contests, by name."""
        return {field.name: getattr(self.options, field.name) for field in fields(HostOptions)}

    def constants(self) -> dict[str, Any]:
        """Return the values that must not change when the study is continued, as JSON."""
        names = [name for name in _field_names(StudyOptions) if name not in CHANGEABLE_KEYS]
        games = {
            name: {"contest": planned.contest, "yardsticks": planned.yardsticks, "start": planned.start}
            for name, planned in self.games.items()
        }
        authors = {name: asdict(author) for name, author in self.authors.items()}
        own = {name: getattr(self.options, name) for name in names}
        found: dict[str, Any] = _as_json({**own, "authors": authors, "budget": asdict(self.limits), "games": games})
        return found


def read_study(file: Path) -> Study:
    """Return the study that a file describes. Raises KothError that names the file, key and valid choices."""
    if file.suffix != ".toml" or not file.is_file():
        raise KothError(f"{file}: there is no such file; a study's file is called NAME.toml")
    file = file.absolute()
    found = read_tables(file)
    try:
        return _make_study(file, found)
    except KothError as error:
        raise KothError(f"{file}: {error}") from None


def _make_study(file: Path, found: Mapping[str, Any]) -> Study:
    own = list(_field_names(StudyOptions))
    _check_keys(found, [*own, "budget", "authors", "games"])
    options = _make_options(StudyOptions, {key: found[key] for key in own if key in found})
    for word in options.withhold:
        if word not in get_args(Withheld):
            raise KothError(f"withhold: {word!r}{choices(word, get_args(Withheld))}")
    if options.untrusted:
        check_seed(options.seed)
    limits = _make_options(TurnLimits, found.get("budget", {}), "budget.")
    authors = {name: _make_author(name, table) for name, table in _find_tables(found, "authors").items()}
    games = {name: _plan_game(file, name, table) for name, table in _find_tables(found, "games").items()}
    for name, planned in games.items():
        in_rounds = len(authors) + ("yardsticks" not in options.withhold) * len(planned.yardsticks)
        for bots in (in_rounds, 1 + len(planned.yardsticks)):
            _check_tables(planned, bots)
        if taken := sorted({*authors, MEASURED} & {*planned.yardsticks, *planned.game.reserved_names}):
            raise KothError(
                f"games.{name}: {taken[0]} is the name of an author, and of a yardstick or the game's own"
            )
    return Study(file, options, authors, limits, games)


def _make_author(name: str, table: Mapping[str, Any]) -> AuthorCommand:
    if not AUTHOR_NAME.fullmatch(name) or name == MEASURED:
        raise KothError(f"authors.{name}: a name is a letter, then up to 39 letters, digits, _ and -; not {MEASURED}")
    return _make_options(AuthorCommand, table, f"authors.{name}.")


def _plan_game(file: Path, name: str, table: Mapping[str, Any]) -> PlannedGame:
    game, where = load(name), f"games.{name}."
    _check_keys(table, [*CONTEST_KEYS, *_field_names(StudyGame)], where)
    contest = {key: value for key, value in table.items() if key in CONTEST_KEYS}
    if {"matches", "round_robin"} <= contest.keys():
        raise KothError(f"{where}round_robin: it plans all matches; leave out {where}matches")
    _make_options(RunOptions, contest, where)
    choose(game, contest.get("ruleset"), contest.get("settings", {}))
    own = _make_options(StudyGame, {key: value for key, value in table.items() if key not in CONTEST_KEYS}, where)
    words = own.yardsticks or [f"@{name}" for name in game.default_entrants]
    yardsticks = dict(_parse_yardstick(file, word) for word in words)
    return PlannedGame(game, contest, yardsticks, None if own.start is None else file.parent / own.start)


def _check_tables(planned: PlannedGame, bots: int) -> None:
    """Refuse a number of bots with which pairs could not meet equally often. Raises KothError."""
    game = planned.game
    is_round_robin = "round_robin" in planned.contest
    size = seating(game, bots, 2 if is_round_robin else None).size
    if 1 < size < bots and not is_round_robin:
        text = f"{bots} bots would meet at tables of {size}, some pairs more often than others"
        raise KothError(f"games.{game.name}: {text}; name fewer yardsticks, or let every two meet: round_robin = N")


def _parse_yardstick(file: Path, word: str) -> tuple[str, str]:
    """Return the name of a yardstick, and the word for the bot; relative paths begin at the file's folder."""
    if word.startswith("@"):
        return word[1:], word
    path = file.parent / word
    return path.stem, str(path)


# --- tables of TOML as dataclasses


def _find_tables(found: Mapping[str, Any], key: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the TOML tables [key.NAME] by name. Raises KothError, also without any table."""
    tables: Mapping[str, Mapping[str, Any]] = found.get(key, {})
    if wrong := find_mismatch(tables, {str: {}}, key):
        raise KothError(wrong)
    if not tables:
        raise KothError(f"{key}: at least one table [{key}.NAME] is expected")
    return tables


def _field_names(kind: Any) -> list[str]:
    return [field.name for field in fields(kind)]


def _check_keys(table: Mapping[str, Any], valid: Sequence[str], where: str = "") -> None:
    for key in table:
        if key not in valid:
            raise KothError(f"{where}{key}: there is no such key{choices(key, valid)}")


def _make_options(kind: type[T], table: Mapping[str, Any], where: str = "") -> T:
    """Return a dataclass of options with a TOML table's values. Raises KothError."""
    own: Any = kind
    if wrong := find_mismatch(table, {}, where.rstrip(".")):
        raise KothError(wrong)
    _check_keys(table, _field_names(own), where)
    for field in fields(own):
        if field.name not in table and field.default is field.default_factory is MISSING:
            raise KothError(f"{where}{field.name}: a value is expected")
    types = types_of(own)
    values = {key: _convert_value(types[key], value, f"{where}{key}") for key, value in table.items()}
    try:
        return kind(**values)
    except KothError as error:
        raise KothError(f"{where}{error}") from None


def _convert_value(kind: Any, value: Any, where: str) -> Any:
    if get_origin(kind) in (Annotated, Literal):  # the dataclass checks them
        return value
    if kind is float and isinstance(value, str):
        try:
            return parse_seconds(value)
        except KothError as error:
            raise KothError(f"{where}: {error}") from None
    if wrong := find_mismatch(value, shape_of(kind), where):
        raise KothError(wrong)
    return value


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    return value if isinstance(value, str | int | float | NoneType) else str(value)
