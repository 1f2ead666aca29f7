"""The recording of a match: first its files, because rows name them; then rows and the key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from koth.contest.job import Failure, Job, Report
from koth.contest.private import write_private
from koth.contest.results import replay_place
from koth.contest.run import TRIES
from koth.files.beneath import remove_beneath, write_beneath
from koth.question import FAULT_KINDS
from koth.replay.writer import add_key
from koth_hill.connection import Hill
from koth_hill.faults import faults_of, moments_of, remove_words
from koth_hill.models import Author, Match, Seat, Version

DEATHS_IN_A_ROW = 5
"""The number of consecutive matches in which a version must die to be suspended."""
DEADLY_KINDS = frozenset(kind for kind, fault in FAULT_KINDS.items() if fault.of == "match")
"""Kinds of faults that end a bot for the match."""
OVER_STATES = (Match.State.PLAYED, Match.State.UNPLAYED, Match.State.VOID)


def write_replay(folder: Path, match: int, report: Report) -> None:
    """Write a match's replay, unless the recorder has written it at its path. Raises OSError."""
    if report.replay and not (folder / replay_place(match)).is_file():
        with write_beneath(folder, replay_place(match)) as file:
            file.write(report.replay)


@transaction.atomic
def add_rows(hill: Hill, job: Job, report: Report) -> bool:
    """Record the result of a match if it is still being played; return whether that was so.

    The same transaction writes bots' texts for their authors, except for deleted accounts: `authors.delete` locks the
    author, too, and removes earlier texts.
    """
    result = report.result
    mine = Match.objects.filter(pk=job.match, state=Match.State.PLAYING)
    if not mine.update(
        state=Match.State.PLAYED,
        reason="",
        job=report.job,
        turns=result.turns,
        digest=result.digest,
        ended=timezone.now(),
    ):
        return False
    audible = _find_places_with_words(Match.objects.get(pk=job.match))
    for place, bot in enumerate(job.seats):
        record = result.records.get(bot.name)
        faults, moments = faults_of(record), moments_of(record)
        if place not in audible:
            faults, moments = remove_words(faults), {}
        seat = Seat.objects.filter(match_id=job.match, place=place)
        seat.update(score=result.scores[bot.name], faults=faults, moments=moments)
    names = {bot.name for place, bot in enumerate(job.seats) if place in audible}
    write_private(hill.folder, job.match, {name: found for name, found in result.records.items() if name in names})
    return True


def _find_places_with_words(match: Match) -> set[int]:
    """Return the seats whose bots left texts for their authors; lock these accounts until the transaction ends."""
    seats = Seat.objects.filter(match=match)
    authors = Author.objects.filter(pk__in=seats.values("version__bot__author"), is_deleted=False)
    there = [author.pk for author in authors.select_for_update().order_by("pk")]
    return set(seats.filter(version__bot__author__in=there).values_list("place", flat=True))


@transaction.atomic
def add_failure(hill: Hill, match: int, failure: Failure) -> bool:
    """Record that a match could not be played, if it is still being played; return whether that was so.

    Schedule the match again until `TRIES` attempts have failed.
    """
    mine = Match.objects.filter(pk=match, state=Match.State.PLAYING)
    before = mine.values_list("tries", flat=True).first()
    if before is None:
        return False
    state = Match.State.UNPLAYED if before + 1 >= TRIES else Match.State.SCHEDULED
    if not mine.update(state=state, tries=before + 1, reason=failure.text):
        return False
    remove_part(hill, match)
    return True


def remove_part(hill: Hill, match: int) -> None:
    """Remove the partial replay of a match that was not played to its end."""
    remove_beneath(hill.folder, f"{replay_place(match)}.part")


@transaction.atomic
def reveal(hill: Hill, match: int) -> None:
    """Write the key of a finished match to its replay."""
    over = Match.objects.filter(pk=match, state__in=OVER_STATES, has_key=False)
    found = over.select_related("season").first()
    if found is not None and (hill.folder / replay_place(match)).is_file():
        add_key(hill.folder, replay_place(match), found.key)
    over.update(has_key=True)


def reveal_remaining(hill: Hill) -> None:
    """Write the keys that a killed runner had not written."""
    over = Match.objects.filter(state=Match.State.PLAYED, has_key=False).exclude(digest="")
    for match in over.values_list("pk", flat=True):
        reveal(hill, match)


def find_failing(match: int) -> Iterator[tuple[Version, str]]:
    """Yield a match's versions that died in each of their last matches, with the fault in this match."""
    for seat in Seat.objects.filter(match_id=match).select_related("version__bot").defer("version__archive"):
        died = sorted(DEADLY_KINDS & set(seat.faults))
        if not died:
            continue
        played = Seat.objects.filter(version=seat.version_id, match__state=Match.State.PLAYED)
        last = list(played.order_by("-match_id").values_list("faults", flat=True)[:DEATHS_IN_A_ROW])
        if len(last) == DEATHS_IN_A_ROW and all(DEADLY_KINDS & set(faults) for faults in last):
            fault = seat.faults[died[0]]
            yield seat.version, f"{died[0]}, turn {fault['turn']}: {fault['text']}"
