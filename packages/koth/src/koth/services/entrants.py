"""The bots of a contest before the first match: found, built and started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from koth.contest.contest import Contest
from koth.contest.preflight import COPIES, Broken, build, preflight
from koth.contest.record import SkippedBot
from koth.discovery.entrants import check_apart, find_entrants
from koth.discovery.folder import MOST_NAMED, BotSpec, FoundEntrants, split_entry
from koth.errors import BotError, KothError
from koth.files.folders import remove
from koth.game import Game
from koth.match import Entrant
from koth.replay.names import RUN_FILE
from koth.services.observer import Observer
from koth.services.options import PlayingOptions
from koth.session.bot import Bot
from koth.session.local import FunctionBot
from koth.warmup import compiling_beside, first_time

Entry = str | PathLike[str] | Callable[..., Any]
"""A path, `@SAMPLE`, or a Python function or class."""
Entries = Mapping[str, Entry] | Iterable[Entry]
"""Bots by name, or unnamed bots, which get the names of files, samples, functions or classes."""


@dataclass(frozen=True)
class NamedEntries:
    """The entries of a contest: words as on a command line, and functions and classes."""

    words: Sequence[str | BotSpec]
    functions: Sequence[FunctionBot] = ()
    order: Sequence[FunctionBot | None] = ()
    """The functions in the order of all entries; None for a word."""

    @classmethod
    def of(cls, entries: Entries) -> NamedEntries:
        """Separate words from functions and classes. Raises BotError."""
        words: list[str | BotSpec] = []
        order: list[FunctionBot | None] = []
        named = entries.items() if isinstance(entries, Mapping) else (("", entry) for entry in entries)
        for name, entry in named:
            if isinstance(entry, str | PathLike):
                words.append(BotSpec(name, *split_entry(fspath(entry))) if name else fspath(entry))
                order.append(None)
            else:
                order.append(FunctionBot.of(name or getattr(entry, "__name__", ""), entry))
        return cls(words, [bot for bot in order if bot is not None], order)

    def in_order(self, bots: Sequence[Bot]) -> list[Bot | FunctionBot]:
        """Return the words' bots and the functions, in the order of the entries.

        If a word names several bots, or none, functions follow all other bots.
        """
        if len(bots) != len(self.words) or not self.functions:
            return [*bots, *self.functions]
        rest = iter(bots)
        return [bot or next(rest) for bot in self.order]

    def __bool__(self) -> bool:
        return bool(self.words or self.functions)


@dataclass(frozen=True)
class FoundBots:
    """The bots that entries name, before building."""

    found: FoundEntrants = field(default_factory=FoundEntrants)
    functions: Sequence[FunctionBot] = ()
    names: Sequence[str] = ()
    """The names of all bots, in the order of the entries."""


@dataclass(frozen=True)
class ReadyBots:
    """The bots of a contest that can play, and the results of preflight."""

    ready: Sequence[Entrant]
    skipped: Sequence[SkippedBot]
    unrepeatable: Sequence[str]
    """The names of bots that give different answers to the same questions."""


def find_bots(
    game: Game, entries: NamedEntries, contest: Contest, options: PlayingOptions, observer: Observer
) -> FoundBots:
    """Return the bots that entries name. Raises KothError without bots, or if two have the same name."""
    with observer.doing("looking for bots", brief=True):
        found = find_entrants(game, entries.words, options.grants, contest.isolation, options.exclude)
    if options.untrusted:
        check_apart(found.bots)
    for note in found.notes:
        observer.note(note)
    if found.passed:
        names = [text.partition(":")[0] for text in found.passed]
        more = f" and {len(names) - MOST_NAMED} more" if names[MOST_NAMED:] else ""
        observer.note(f"passed over: {', '.join(names[:MOST_NAMED])}{more} (koth list FOLDER says why)")
    names = [bot.name for bot in entries.in_order(found.bots)]
    for function in entries.functions:
        name = function.name
        is_unicode = name == name.encode("utf-8", "ignore").decode()  # no half of a surrogate pair
        if names.count(name) > 1 or name in game.reserved_names or not name or not is_unicode:
            raise BotError(f"the function {function.name!r} needs another name: {{'NAME': function}} gives one")
    if not names and not found.problems:
        raise KothError("no bots: name at least one")
    return FoundBots(found, entries.functions, names)


def prepare_bots(
    game: Game, settings: Any, bots: FoundBots, folder: Path, contest: Contest, observer: Observer, skip: bool | None
) -> ReadyBots:
    """Build and start bots. Raises BotError.

    With `skip` bots that can't play are left out; None: the command has no option --skip-broken.
    """
    with observer.doing(f"starting every bot{first_time(game)}") as on_step:
        seats = contest.seats or game.contest_defaults.seats or len(bots.names)
        ready, broken, unrepeatable = _start(game, settings, bots.found.bots, folder, contest, seats, on_step)
    skipped = [SkippedBot(bot=item.bot.name, reason=item.reason) for item in broken]
    skipped += [SkippedBot(bot="", reason=str(error)) for error in bots.found.problems]
    if skipped and not skip:
        raise BotError(_skipped_text(skipped, can_skip=skip is not None))
    if not ready and not bots.functions:
        raise BotError("none of the bots can be started\n" + _skipped_text(skipped, can_skip=False))
    by_name: dict[str, Entrant] = {bot.name: bot for bot in ready}
    by_name |= {bot.name: bot for bot in bots.functions}
    return ReadyBots([by_name[name] for name in bots.names if name in by_name], skipped, unrepeatable)


def _start(
    game: Game,
    settings: Any,
    bots: Sequence[Bot],
    folder: Path,
    contest: Contest,
    seats: int,
    on_step: Callable[[str], None],
) -> tuple[list[Bot], list[Broken], list[str]]:
    """Build and start a private copy of each bot; return ready bots, broken bots, and names of unrepeatable bots."""
    ready, broken = [], []
    with compiling_beside(game, on_step):
        for bot in bots:
            built, problem = build(bot, folder / COPIES, contest.isolation)
            if problem:
                broken.append(Broken(bot, problem))
            else:
                ready.append(built)
    if not ready:
        return [], broken, []
    tried = preflight(
        game, settings, ready, contest.time_control, contest.isolation, ruleset=contest.ruleset, seats=seats
    )
    names = {item.bot.name for item in tried.broken}
    return [bot for bot in ready if bot.name not in names], broken + tried.broken, tried.unrepeatable


def _skipped_text(skipped: Sequence[SkippedBot], *, can_skip: bool) -> str:
    """Return why bots can't play, and remedies: `koth check`, and with `can_skip` --skip-broken."""
    reasons = [(f"{item['bot']}: " if item["bot"] else "") + item["reason"] for item in skipped]
    if len(reasons) == 1:
        lines = reasons
    else:
        lines = [f"{len(reasons)} bots can't play:"]
        for text in reasons:
            first, *rest = text.splitlines()
            lines += [f"  {first}", *(f"      {line}" for line in rest)]
    if len(skipped) == 1 and not skipped[0]["bot"]:
        return lines[0]  # a word that names nothing: the cure is another word
    without = "it" if len(reasons) == 1 else "them"
    cures = ["koth check BOT says more"] if any(item["bot"] for item in skipped) else []
    cures += [f"--skip-broken goes on without {without}"] if can_skip else []
    return "\n".join([*lines, *(["; ".join(cures)] if cures else [])])


@contextmanager
def removing_unused(folder: Path) -> Iterator[None]:
    """Remove a new run's folder after an error if it has no record yet."""
    existed = folder.exists()
    try:
        yield
    except BaseException:
        if not existed and not (folder / RUN_FILE).exists():
            remove(folder)
        raise
