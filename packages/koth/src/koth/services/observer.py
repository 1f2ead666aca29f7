"""Observers of use cases, which show notes and progress while koth works."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from koth.contest.compare import Comparison, ComparisonState
from koth.contest.contest import Contest
from koth.contest.reading import MatchRow
from koth.contest.run import Callbacks
from koth.contest.store import Store


@dataclass(frozen=True)
class Progress:
    """The progress of a contest: `done` of `total` matches; the last match was `match`."""

    done: int
    total: int
    match: MatchRow


class Observer:
    """An observer that ignores everything; subclasses override methods."""

    def note(self, text: str) -> None:
        """Show a sentence to the host."""

    def agrees(self, question: str) -> bool:
        """Ask the host whether to go on; return True if no host can answer."""
        return True

    @contextmanager
    def doing(self, text: str, brief: bool = False) -> Iterator[Callable[[str], None]]:
        """Show the current work during this context; yield a function that shows the next step.

        With `brief` the work usually ends at once.
        """
        yield lambda step: None

    def playing(self, contest: Contest, store: Store, total: int) -> AbstractContextManager[Callbacks]:
        """Show the progress of a contest with `total` missing matches; the context yields the contest's callbacks."""
        return self.counting(contest.game, total)

    def comparing(self, comparison: Comparison) -> AbstractContextManager[Callbacks]:
        """Show the progress of a comparison; the context yields the callbacks for its matches."""
        return self.counting("at most", comparison.most)

    def counting(self, text: str, total: int) -> AbstractContextManager[Callbacks]:
        """Show the number of played matches, at most `total`; the context yields the callbacks."""
        return nullcontext(Callbacks())

    def compared(self, seen: ComparisonState) -> None:
        """Show a comparison's state at an interim look."""


SILENT = Observer()
"""The observer of calls that show nothing."""
ShowProgress = Callable[[Progress], None] | bool | None
"""A function to call after each match, or whether to show a bar (None: in terminals and notebooks)."""


def choose_observer(audience: ShowProgress) -> Observer:
    """Return the observer for an audience."""
    if callable(audience):
        return _Calling(audience)
    if "ipykernel" in sys.modules and audience is not False:
        return _Notebook()
    console = Console(stderr=True)
    shows = console.is_terminal if audience is None else audience
    return _Bar(console) if shows else Observer()


class _Calling(Observer):
    """An observer that calls a function after each match."""

    def __init__(self, call: Callable[[Progress], None]) -> None:
        self._call = call

    def counting(self, text: str, total: int) -> AbstractContextManager[Callbacks]:
        numbers = itertools.count(1)
        return nullcontext(Callbacks(lambda row: self._call(Progress(next(numbers), total, row))))


class _Printing(Observer):
    def note(self, text: str) -> None:
        print(f"koth: {text}", file=sys.stderr)


class _Notebook(_Printing):
    """An observer that shows a bar below a notebook's cell."""

    def counting(self, text: str, total: int) -> AbstractContextManager[Callbacks]:
        bar = import_module("IPython.display").ProgressBar(total)  # it is there where a notebook is
        bar.display()

        def match_done(row: MatchRow) -> None:
            bar.progress += 1

        return nullcontext(Callbacks(match_done))


class _Bar(_Printing):
    """An observer that shows a bar in a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @contextmanager
    def doing(self, text: str, brief: bool = False) -> Iterator[Callable[[str], None]]:
        with self._console.status(f"{text} ...") as status:
            yield lambda step: status.update(f"{step} ...")

    @contextmanager
    def counting(self, text: str, total: int) -> Iterator[Callbacks]:
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        with Bar(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=self._console) as bar:
            task = bar.add_task(text, total=total)
            yield Callbacks(lambda row: bar.advance(task))
