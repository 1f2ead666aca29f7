"""koth from Python: the names that `import koth` offers. Keywords are the options of `koth.services`."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar

from koth.contest.reading import PUBLIC
from koth.discovery.samples import sample_names
from koth.errors import KothError, choices
from koth.games import load, playable
from koth.services import checks, comparisons, contests, matches
from koth.services.checks import BotCheck
from koth.services.comparisons import BotComparison
from koth.services.contests import PlayedContest
from koth.services.entrants import Entries, NamedEntries
from koth.services.export import export_site
from koth.services.observer import Progress, ShowProgress, choose_observer
from koth.services.opening import open_matches
from koth.services.options import CheckOptions, CompareOptions, MatchOptions, Options, PlayingOptions, RunOptions
from koth.services.results import PlayedMatch, Run
from koth.services.standings import StandingsReport
from koth.services.verify import Verification
from koth.services.verify import verify as verify_run
from koth.services.why import WhyReport
from koth.services.why import explain_faults as explain

__all__ = [
    "BotCheck",
    "BotComparison",
    "Entries",
    "KothError",
    "PlayedMatch",
    "Progress",
    "Run",
    "StandingsReport",
    "Verification",
    "WhyReport",
    "check",
    "compare",
    "export",
    "game_names",
    "open_run",
    "play_match",
    "resume",
    "run",
    "samples",
    "verify",
    "why",
]

T = TypeVar("T")
R = TypeVar("R", covariant=True)
P = ParamSpec("P")


class _OfGame(Protocol[P, R]):
    def __call__(self, game: str, bots: Entries, *args: P.args, **options: P.kwargs) -> R: ...


class _OfRun(Protocol[P, R]):
    def __call__(self, run: Run | Path | str, bots: Entries = ..., *args: P.args, **options: P.kwargs) -> R: ...


class _OfTwo(Protocol[P, R]):
    def __call__(self, old: str | Path, new: str | Path, *args: P.args, **options: P.kwargs) -> R: ...


class _OfBot(Protocol[P, R]):
    def __call__(self, bot: str | Path, *args: P.args, **options: P.kwargs) -> R: ...


def _of_game(kind: Callable[P, T]) -> Callable[[Callable[[str, Entries, T], R]], _OfGame[P, R]]:
    return partial(_take_options, kind)


def _of_run(kind: Callable[P, T]) -> Callable[[Callable[[Run | Path | str, Entries, T], R]], _OfRun[P, R]]:
    return partial(_take_options, kind)


def _of_two(kind: Callable[P, T]) -> Callable[[Callable[[str | Path, str | Path, T], R]], _OfTwo[P, R]]:
    return partial(_take_options, kind)


def _of_bot(kind: Callable[P, T]) -> Callable[[Callable[[str | Path, T], R]], _OfBot[P, R]]:
    return partial(_take_options, kind)


def _take_options(kind: Callable[..., Any], use: Callable[..., Any]) -> Any:
    """Let a function take the fields of its last argument, a dataclass of options, as keywords.

    Raises KothError for an unknown keyword.
    """
    own = signature(use)
    *first, _ = own.parameters.values()
    shown = signature(kind).parameters

    @wraps(use)
    def call(*args: Any, **named: Any) -> Any:
        given = {one.name: named.pop(one.name) for one in first if one.name in named}
        for name in named.keys() - shown.keys():
            raise KothError(f"there is no option {name!r}{choices(name, shown)}")
        return use(*args, **given, options=kind(**named))

    call.__signature__ = own.replace(parameters=[*first, *shown.values()])  # type: ignore[attr-defined]
    return call


@dataclass(frozen=True, kw_only=True)
class _Shown(Options):
    progress: ShowProgress = None
    """A callback that gets a `Progress` after each match; True: a bar, False: no bar, None: a bar in terminals and
    notebooks."""


@dataclass(frozen=True, kw_only=True)
class _ShownRun(RunOptions, _Shown): ...


@dataclass(frozen=True, kw_only=True)
class _ShownPlaying(PlayingOptions, _Shown): ...


@dataclass(frozen=True, kw_only=True)
class _ShownCompare(CompareOptions, _Shown): ...


@_of_game(_ShownRun)
def run(game: str, bots: Entries, options: _ShownRun) -> Run:
    """Play a contest of a game between bots, and return it. Options are `progress` and the fields of `RunOptions`.

    A bot is a path, `"@SAMPLE"`, or a Python function or class; a dict gives names. Functions and classes play in
    this process. Raises KothError, and KeyboardInterrupt after Ctrl-C; `resume` then continues the contest.
    """
    observer = choose_observer(options.progress)
    return _played(contests.run_contest(game, NamedEntries.of(bots), options, observer))


@_of_run(_ShownPlaying)
def resume(
    run: Run | Path | str,
    bots: Entries = (),
    options: _ShownPlaying = _ShownPlaying(),
) -> Run:
    """Play the missing matches of a contest, or more; `bots` join it, or replace the bots of the same names.

    Functions and classes that play must be passed again, by name. Options are `progress` and the fields of
    `PlayingOptions`. Raises KothError and KeyboardInterrupt.
    """
    folder = run.folder if isinstance(run, Run) else Path(run)
    observer = choose_observer(options.progress)
    return _played(contests.resume_contest(folder, NamedEntries.of(bots), options, observer))


def _played(played: PlayedContest) -> Run:
    """Return a played contest. Raises the error that stopped it."""
    if played.stopped is not None:
        played.stopped.add_note(f"the matches played are recorded; continue with koth.resume({str(played.folder)!r})")
        raise played.stopped
    return open_run(played.folder)


def open_run(where: Path | str) -> Run:
    """Return a contest, finished or not. Raises KothError if there is none.

    `where` is a run's folder, a hill's folder, a season's folder (`HILL/seasons/2`), or the address of a hill or
    season on a hill's site, for which Django is not needed here.
    """
    if "ipykernel" in sys.modules:
        os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # a notebook's cells run inside an event loop
    stack = ExitStack()
    run = Run(stack.enter_context(open_matches(str(where))))
    weakref.finalize(run, stack.close)
    run.record  # noqa: B018  (raises)
    return run


def why(run: Run | Path | str, bot: str | None = None, match: int | None = None) -> WhyReport:
    """Return why bots failed: all bots or one, in all matches or one. Raises KothError."""
    found = _run_of(run)  # whose reader is open as long as it
    return explain(found.reader, bot, match)


def verify(run: Run | Path | str) -> Verification:
    """Record all matches of a contest again; return the differences. Raises KothError."""
    found = _run_of(run)
    return verify_run(found.reader)


def export(run: Run | Path | str, out: Path | str) -> Path:
    """Write what the public sees of a contest as a site of plain files into a new folder; return the first page.

    Raises KothError.
    """
    with open_matches(run.reader.where if isinstance(run, Run) else str(run), PUBLIC) as reader:
        return export_site(reader, Path(out)).file


def _run_of(run: Run | Path | str) -> Run:
    return run if isinstance(run, Run) else open_run(run)


@_of_game(MatchOptions)
def play_match(game: str, bots: Entries, options: MatchOptions) -> PlayedMatch:
    """Play one match between bots in the order of their seats. Options are the fields of `MatchOptions`.

    A bot is a path, `"@SAMPLE"`, or a Python function or class; a dict gives names. Raises KothError.
    """
    return matches.play_match(game, bots, options)


@_of_two(_ShownCompare)
def compare(old: str | Path, new: str | Path, options: _ShownCompare) -> BotComparison:
    """Play two bots on the same boards until it is clear which one is better.

    A bot is a path, `"@SAMPLE"` or a commit. Options are `progress` and the fields of `CompareOptions`. Raises
    KothError and KeyboardInterrupt.
    """
    found = comparisons.compare_bots(str(old), str(new), options, choose_observer(options.progress))
    if found.interrupted:
        raise KeyboardInterrupt
    return found


@_of_bot(CheckOptions)
def check(bot: str | Path, options: CheckOptions) -> BotCheck:
    """Play a bot alone and against rivals, and return its problems. Options are the fields of `CheckOptions`.

    A bot is a path or `"@SAMPLE"`. Raises KothError.
    """
    return checks.check_bot(str(bot), options, choose_observer(None), lambda step: None)


def game_names() -> list[str]:
    """Return the names of all games: koth's own, then those of installed packages."""
    return list(playable())


def samples(game: str) -> list[str]:
    """Return the sample bots of a game as words for `run` and `play_match`. Raises KothError."""
    return [f"@{name}" for name in sample_names(load(game).name)]
