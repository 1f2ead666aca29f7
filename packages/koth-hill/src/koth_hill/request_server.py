"""The service of what authors wait for, tries and checks, beside the matches of the season."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread

from django.db import connection

from koth.sandbox.command import Overloaded
from koth_hill import checks, claims
from koth_hill.claims import Request
from koth_hill.connection import Hill
from koth_hill.copies import BotTools
from koth_hill.guard import check_tries, guard
from koth_hill.models import Try, Version
from koth_hill.planning import seats_of
from koth_hill.registry import current_season
from koth_hill.try_runner import play

LOOK_SECONDS = 0.5
"""Seconds between two checks of an idle runner for work."""
THREADS = 2
"""The number of requests that are served at the same time: at most one try and one check of an author."""


@dataclass
class RequestServer:
    """A server of requests: in threads, so that neither authors nor matches wait for each other, or one by one."""

    hill: Hill
    tools: BotTools
    on_doing: Callable[[str], None]
    on_checked: Callable[[Version], None]
    error: BaseException | None = None
    """The failure of the machine or the database that has ended a thread."""
    _lock: Lock = field(default_factory=Lock)
    _busy: set[tuple[type, int]] = field(default_factory=set)
    _is_closed: bool = False

    @contextmanager
    def open(self) -> Iterator[None]:
        """Serve requests in threads until the context ends; what is being served then is released by the caller."""
        for _ in range(THREADS):
            Thread(target=self._serve, daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                self._is_closed = True

    def _serve(self) -> None:
        try:
            while not self._is_closed and self.error is None:
                if not self.serve_next():
                    time.sleep(LOOK_SECONDS)
        except BaseException as error:  # the runner raises it
            self.error = error
        finally:
            connection.close()

    def serve_next(self) -> bool:
        """Serve the next request; return whether one was served."""
        with self._lock:
            request = None if self._is_closed else claims.claim_request(self._busy)
            if request is None:
                return False
            of = type(request), request.author_id
            self._busy.add(of)
        try:
            self._serve_request(request)
        except Overloaded as error:  # other processes take this machine: the request is not to blame
            self.on_doing(f"putting {request} off: {error}")
            Version.objects.filter(pk=request.pk, state=Version.State.CHECKING).update(state=Version.State.RECEIVED)
            return False
        finally:
            self._busy.discard(of)
        return True

    def _serve_request(self, request: Request) -> None:
        if isinstance(request, Try):
            self.on_doing(f"trying {request.name} of {request.author.name}")
            play(self.hill, self.tools, request)
        else:
            self._check(request)

    def _check(self, version: Version) -> None:
        """Find a version's bot and check it; then the version plays, or is refused."""
        self.on_doing(f"checking {version}")
        with guard(partial(checks.record_check, version)), self.tools.copies.work_folder() as work:
            check_tries(version.tries, "checked")
            bot = checks.read(self.tools, version, work)
            season = current_season()
            seats = seats_of(self.hill, season)
            on_doing = partial(self._report, str(version))
            checks.record_check(version, checks.find_problem(self.tools, season, seats, version, bot, work, on_doing))
        version.refresh_from_db(fields=["state", "reason"])
        self.on_checked(version)

    def _report(self, name: str, text: str) -> None:
        self.on_doing(f"checking {name}: {text}")
