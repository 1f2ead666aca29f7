"""Output to the terminal during a command: notes and progress on stderr, and the page of --view."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import click

from koth.cli.exit_codes import INCOMPLETE
from koth.cli.live import announce_contest
from koth.cli.screen import Doing, echo, errors, waiting
from koth.contest.contest import Contest
from koth.contest.job import ClusterLost
from koth.contest.run import Callbacks
from koth.contest.store import Store
from koth.errors import at_words, visible
from koth.services.observer import Observer
from koth.viewer.server import open_in_browser
from koth.viewer.side_server import serve_beside


class Terminal(Observer):
    """The terminal output of a command. As a context manager, it serves the page of --view until Ctrl-C."""

    def __init__(self, view: bool = False) -> None:
        self._view = view
        self._pages = ExitStack()
        self._address = ""
        self.doing_now = Doing()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._pages:
            if self._address and kind is None:
                with suppress(KeyboardInterrupt):  # the way to end it, not a failure
                    echo(f"koth: {self._address} stays open until Ctrl-C", err=True)
                    while True:
                        time.sleep(1)

    def note(self, text: str) -> None:
        print(at_words(f"koth: {visible(text)}", sys.stderr), file=sys.stderr)

    def agrees(self, question: str) -> bool:
        if not (sys.stdin.isatty() and errors.is_terminal):
            return True
        return click.confirm(visible(question), default=False, err=True)

    @contextmanager
    def doing(self, text: str, brief: bool = False) -> Iterator[Callable[[str], None]]:
        with waiting(text, not brief, self.doing_now) as doing:
            yield doing

    @contextmanager
    def playing(self, contest: Contest, store: Store, total: int) -> Iterator[Callbacks]:
        if self._view:
            self._address = self._pages.enter_context(serve_beside(store.folder))
            echo(f"koth: watch the contest at {self._address}", err=True)
            open_in_browser(self._address)
        with announce_contest(contest, store) as shown:
            yield shown.callbacks


@contextmanager
def ending_without_cluster() -> Iterator[None]:
    """End koth with a message and an exit code if the connection to the cluster is lost."""
    try:
        yield
    except ClusterLost as error:
        echo(f"koth: {visible(str(error))}", err=True)
        sys.exit(INCOMPLETE)
