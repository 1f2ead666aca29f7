"""Results of an author's bots: each match with rivals and rank and the rating's change."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Prefetch, QuerySet

from koth_hill.models import Author, Match, Rating, Season, Seat
from koth_hill.site.matches import OVER_STATES


@dataclass(frozen=True)
class BotMatch:
    """A match of a bot: the bot's seat, the other seats (best first), the bot's rank (1: no other bot scored more).

    Ratings are fitted after several matches. `change` is the change of the bot's rating at the first fit after the
    match, `among` the number of the bot's matches since the fit before. `change` is None if no fit followed, and for
    all but the last of these matches.
    """

    seat: Seat
    rivals: list[Seat]
    place: int
    change: float | None = None
    among: int = 1

    @property
    def of(self) -> int:
        """Return the number of bots in the match."""
        return len(self.rivals) + 1

    @property
    def result(self) -> str:
        """Return "won", "lost" or "tied" in a match of two; in others "won" for the best, "last", or ""."""
        scores = [rival.score for rival in self.rivals if rival.score is not None]
        own = self.seat.score
        if own is None or not scores or self.seat.match.state == Match.State.VOID:
            return ""
        if own > max(scores):
            return "won"
        if own == max(scores):
            return "tied"
        return ("lost" if len(scores) == 1 else "last") if own < min(scores) else ""


@dataclass
class Curve:
    """The ratings or scores by which a version ranks, with the times of the fits."""

    times: list[datetime] = field(default_factory=list)
    ratings: list[float] = field(default_factory=list)


def curves_of(author: Author, season: Season) -> dict[int, Curve]:
    """Return the curves of the versions of an author's bots in a season."""
    rows = Rating.objects.filter(fit__season=season, fit__is_final=False, version__bot__author=author).order_by("fit")
    found: defaultdict[int, Curve] = defaultdict(Curve)
    for version, at, rating in rows.values_list("version_id", "fit__at", season.rank_by):
        found[version].times.append(at)
        found[version].ratings.append(rating)
    return found


def matches_of(seats: QuerySet[Seat], last: int, curves: dict[int, Curve]) -> list[BotMatch]:
    """Return the latest matches of these seats, newest first."""
    others = Seat.objects.select_related("version__bot").defer("version__archive").order_by("-score", "place")
    over = (
        seats.filter(match__state__in=OVER_STATES).select_related("match", "version__bot").defer("version__archive")
    )
    own = over.prefetch_related(Prefetch("match__seats", others)).order_by("-match_id")[:last]
    changes, found = _find_changes(list(own), curves), []
    for seat in own:
        rivals = [other for other in seat.match.seats.all() if other.pk != seat.pk]
        better = sum((other.score or 0) > (seat.score or 0) for other in rivals)
        found.append(BotMatch(seat, rivals, better + 1, *changes[seat.pk]))
    return found


def _find_changes(seats: Sequence[Seat], curves: dict[int, Curve]) -> dict[int, tuple[float | None, int]]:
    """Return for each seat the change of the rating after its match, and the number of matches that caused it."""
    groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for seat in seats:
        curve = curves.get(seat.version_id)
        if curve is not None and seat.match.ended is not None:
            groups[seat.version_id, bisect_left(curve.times, seat.match.ended)].append(seat.pk)
    found: dict[int, tuple[float | None, int]] = {seat.pk: (None, 1) for seat in seats}
    for (version, at), group in groups.items():
        ratings = curves[version].ratings
        if 0 < at < len(ratings):
            found[group[0]] = ratings[at] - ratings[at - 1], len(group)
    return found
