"""The early end of a contest: before all matches are played."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from koth.contest.lock import lock_run
from koth.contest.record import read_record
from koth.contest.secret_files import reveal_secrets
from koth.contest.store import Store
from koth.errors import KothError


class EndContest(KeyboardInterrupt):
    """Raised by a callback of a contest, to end the contest with the matches on record."""


def end_early(folder: Path) -> int:
    """End a contest with the matches on record, reveal keys and secrets, and return the number of these matches.

    Removes missing matches of the standings from the schedule, but keeps those of a knockout. Raises KothError while
    a process runs the contest, before the first match, and when the contest is over.
    """
    with lock_run(folder), closing(Store(folder)) as store:
        if read_record(folder)["secret"] is not None:
            raise KothError(f"{folder}: the contest is over")
        if not store.numbers():
            raise KothError(f"{folder}: no match is played yet")
        store.remove_parts()
        end_now(store)
        return len(store.numbers())


def end_now(store: Store) -> None:
    """End a contest that this process runs, with the matches on record. Raises KothError."""
    played = set(store.numbers())
    store.drop({match.number for match in store.schedule() if not match.round} - played)
    reveal_secrets(store)
    store.merge_log()
