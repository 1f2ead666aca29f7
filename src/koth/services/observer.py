"""Observers of use cases: notes for the host, and progress, while koth works."""

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
    """The progress of a contest: `done` matches of `total`, the last of which was `match`."""

    done: int
    total: int
    match: MatchRow


class Observer:
    """An observer that ignores everything; subclasses override what they show."""

    def note(self, text: str) -> None:
        """Take a sentence that the host should read."""

    def agrees(self, question: str) -> bool:
        """Return whether the host wants to go on; True if nobody can be asked."""
        return True

    @contextmanager
    def doing(self, text: str, brief: bool = False) -> Iterator[Callable[[str], None]]:
        """Show the current work during this context; yield a function that reports its next step.

        With `brief` the work usually ends at once.
        """
        yield lambda step: None

    def playing(self, contest: Contest, store: Store, total: int) -> AbstractContextManager[Callbacks]:
        """Show a contest of `total` missing matches while it is played; the context yields its callbacks."""
        return self.counting(contest.game, total)

    def comparing(self, comparison: Comparison) -> AbstractContextManager[Callbacks]:
        """Show a comparison while it is played; the context yields its callbacks."""
        return self.counting("at most", comparison.most)

    def counting(self, text: str, total: int) -> AbstractContextManager[Callbacks]:
        """Show the number of played matches of a contest or a comparison, at most `total`; yield the callbacks."""
        return nullcontext(Callbacks())

    def compared(self, seen: ComparisonState) -> None:
        """Take the state of a comparison at an interim look."""


ShowProgress = Observer | Callable[[Progress], None] | bool | None
"""An observer, a function called after each match, or whether to show a bar (None: in terminals and notebooks)."""


def choose_observer(audience: ShowProgress) -> Observer:
    """Return the observer for an audience."""
    if isinstance(audience, Observer):
        return audience
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
