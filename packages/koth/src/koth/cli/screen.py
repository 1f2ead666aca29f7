"""Output to the screen: tables, progress, and strangers' names with escapes."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from textwrap import fill

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.status import Status
from rich.table import Table
from rich.text import Text

from koth.errors import visible
from koth.escaping import shell_word
from koth.standings.text import counted as counted

WIDEST_LINE = 10_000
"""The number of characters of a line that is never broken."""

console = Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False, soft_wrap=True)


def echo(text: str = "", *, err: bool = False) -> None:
    """Print lines of plain text; control characters appear as escapes."""
    click.echo(visible(text, keep="\n\t"), err=err)


def escape_markup(text: str) -> str:
    """Return a stranger's text as literal text inside Rich's markup."""
    return escape(visible(text))


def print_json(value: object) -> None:
    """Print one line of JSON."""
    click.echo(json.dumps(value, allow_nan=False))


def answer(as_json: bool, found: object, *lines: str) -> None:
    """Print an answer: as one line of JSON, or as lines of text."""
    if as_json:
        print_json(found)
    else:
        echo("\n".join(lines))


def make_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[str] = (),
    title: str = "",
    caption: str = "",
) -> Table:
    """Return a table of literal text, in which the columns of `right` have numbers."""
    made = Table(title=escape_markup(title) or None, caption=escape_markup(caption) or None, header_style="bold")
    made.title_justify = made.caption_justify = "left"
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*map(escape_markup, row))
    return made


def print_table(*forms: Table) -> None:
    """Print a table on stdout: in a wide terminal with a box, in a narrow one without, elsewhere as plain columns.

    Given several forms of the table, widest first, a terminal gets the first form that fits.
    """
    if console.is_terminal:
        fits = (form for form in forms if _fits(form) or _fits(_without_box(form)))
        console.print(next(fits, forms[-1]), soft_wrap=False)
        return
    table = forms[0]
    title, caption = (Text.from_markup(str(text)) if text else None for text in (table.title, table.caption))
    table.title = table.caption = table.box = None
    table.padding = (0, 2, 0, 0)
    table.pad_edge = False
    plain = Console(file=StringIO(), width=WIDEST_LINE, color_system=None, highlight=False)
    with plain.capture() as captured:
        plain.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    for line in [title, *lines, caption]:
        if line:
            console.print(line if isinstance(line, Text) else Text(line))


def _fits(table: Table) -> bool:
    return Measurement.get(console, console.options.update(width=WIDEST_LINE), table).maximum <= console.width


def _without_box(table: Table) -> Table:
    """Return the table without a box, with headings broken between words."""
    table.box, table.show_edge, table.padding, table.pad_edge = SIMPLE_HEAD, False, (0, 1, 0, 0), False
    for column in table.columns:
        head = str(column.header)
        column.header = fill(head, max(map(len, head.split()), default=1))
    return table


@contextmanager
def waiting(text: str, plain: bool = True, doing: Doing | None = None) -> Iterator[Callable[[str], None]]:
    """Show a spinner in a terminal, elsewhere the line `plain`, if given. Yield a `Doing`."""
    doing = doing or Doing()
    if plain or errors.is_terminal:
        doing(text)
    try:
        yield doing
    finally:
        doing.stop()


BETWEEN_LINES = 2.0
"""Seconds between two lines of progress outside of a terminal."""


class Doing:
    """The current work, shown with a spinner in a terminal and as a line now and then elsewhere.

    Texts with the same words before their colon are shown at most every `BETWEEN_LINES` seconds.
    """

    def __init__(self) -> None:
        self._status: Status | None = None
        self._said, self._word = 0.0, ""

    def __call__(self, text: str) -> None:
        now, word = time.monotonic(), text.partition(":")[0]
        if word == self._word and now - self._said < (0.1 if errors.is_terminal else BETWEEN_LINES):
            return
        self._said, self._word = now, word
        if not errors.is_terminal:
            errors.print(f"{escape_markup(text)} ...")
        elif self._status is None:
            self._status = errors.status(f"{escape_markup(text)} ...")
            self._status.start()
        else:
            self._status.update(f"{escape_markup(text)} ...")

    def say(self, text: str) -> None:
        """Print a line on stderr, without the spinner."""
        self.stop()
        echo(text, err=True)

    def stop(self) -> None:
        """Remove the spinner, before other output or at the end."""
        if self._status is not None:
            self._status.stop()
        self._status, self._word = None, ""


def program() -> str:
    """Return what to type for `koth`: the name if the shell finds this program, otherwise the program's path."""
    here = Path(sys.executable).parent / "koth"
    found = shutil.which("koth")
    if not here.exists() or (found and Path(found).resolve() == here.resolve()):
        return "koth"
    near = os.path.relpath(here)
    return shell_word(near if not near.startswith("..") else str(here))


def seconds_text(value: float) -> str:
    """Return a time in milliseconds or seconds, as text."""
    return f"{value * 1e3:.1f} ms" if value < 1 else f"{value:.2f} s"
