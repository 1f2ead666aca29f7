"""The end of a contest before all its matches are played."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from koth.contest.lock import lock_run
from koth.contest.record import read_record, reveal_secrets
from koth.contest.store import Store
from koth.errors import KothError


def end_early(folder: Path) -> int:
    """End a contest with the matches on record, whose number is returned, and reveal its keys and secrets.

    Matches of the table that are not on record are taken out of the schedule; a knockout stays as far as it was
    played. Raises KothError while a process runs the contest, before its first match, and when it is over.
    """
    with lock_run(folder), closing(Store(folder)) as store:
        if read_record(folder)["secret"] is not None:
            raise KothError(f"{folder}: the contest is over")
        played = set(store.numbers())
        if not played:
            raise KothError(f"{folder}: no match is played yet")
        store.remove_parts()
        store.drop({match.number for match in store.schedule() if not match.round} - played)
        reveal_secrets(store)
        store.merge_log()
    return len(played)
