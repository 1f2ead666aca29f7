"""A guard around the steps in which a runner handles a stranger's bot: a bug must not end the runner."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager

from django.db import DataError, IntegrityError
from django.db import Error as DatabaseError

from koth.contest.job import ClusterLost, Failure
from koth.contest.run import STUCK
from koth.errors import KothError
from koth.sandbox.failures import ArenaError, check_shortage
from koth.sandbox.isolation import SandboxError
from koth_hill.models import AuditEntry, Match, Version
from koth_hill.registry import RUNNER, log_action

MOST_RUNNERS = 3
"""The number of runners that may end while they handle an item, before the item is refused."""
LONGEST_TRACEBACK = 8_000
"""The number of last characters of a traceback that the audit keeps."""
STUCK_AT = "stuck"
"""The kind of audit entries about versions whose matches could not be played."""


@contextmanager
def guard(refuse: Callable[[str], None]) -> Iterator[None]:
    """Refuse an item that koth can't handle, with the reason; record a bug of koth in the audit.

    Failures of this machine, the cluster or the database are raised again: no item is to blame.
    """
    try:
        yield
    except (ArenaError, SandboxError, ClusterLost, BrokenPipeError):
        raise
    except KothError as error:
        refuse(str(error))
    except Exception as error:
        if isinstance(error, OSError):
            check_shortage(error)
        if isinstance(error, DatabaseError) and not isinstance(error, DataError | IntegrityError):
            raise
        log_action("bug", traceback.format_exc()[-LONGEST_TRACEBACK:], RUNNER)
        refuse(f"a bug in koth ({type(error).__name__}), whose traceback the audit shows to the host")


def check_tries(tries: int, what: str) -> None:
    """Refuse an item during which `MOST_RUNNERS` runners have ended. Raises KothError."""
    if tries >= MOST_RUNNERS:
        raise KothError(
            f"{tries} runners of the hill ended while they {what} this; the host sees the runners in the audit"
        )


class Failures:
    """A count of matches in a row that could not be played, and the versions that took part in all of them."""

    def __init__(self) -> None:
        self.count = 0
        self._in_all: Set[int] = frozenset()

    def reset(self) -> None:
        """Forget the failures, because a match was played."""
        self.count = 0

    def add(self, versions: Set[int], failure: Failure) -> Version | None:
        """Count a failure; after `STUCK` in a row return the version to suspend.

        A version is blamed only for bugs of koth, not for failures of the machine, if the other versions can play on;
        a second version is blamed only after a match was played: otherwise no single bot is the cause. Raises
        KothError if no version is to blame.
        """
        self._in_all = self._in_all & versions if self.count else versions
        if not failure.is_bug:
            self._in_all = frozenset()
        self.count += 1
        if self.count < STUCK:
            return None
        self.count = 0
        before = AuditEntry.objects.filter(action=STUCK_AT).order_by("-pk").first()
        played = Match.objects.filter(state=Match.State.PLAYED)
        if before is not None:
            played = played.filter(ended__gt=before.at)
        playing = Version.objects.filter(pk__in=self._in_all, state=Version.State.PLAYING)
        version = playing.select_related("bot__author").defer("archive").order_by("-pk").first()
        others = Version.objects.filter(state=Version.State.PLAYING).count() - 1
        if version is None or others < len(versions) or (before is not None and not played.exists()):
            raise KothError(f"{STUCK} matches in a row could not be played; the last one: {failure.text}")
        return version
