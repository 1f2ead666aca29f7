"""The next table (group of bots that play together) of a season: reads the database and asks the scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from koth.contest.seating import seating
from koth.errors import KothError
from koth.game import ContestDefaults
from koth_hill import fits
from koth_hill.connection import Hill, database_name
from koth_hill.models import Fit, Match, Rating, Season, Seat, Version
from koth_hill.scheduler import RECENT_GROUPS, Candidate, PairingHistory, PlannedGroup, choose, choose_evenly

DAY = timedelta(days=1)


def within(time: timedelta = DAY) -> tuple[datetime, datetime]:
    """Return the range from `time` ago until now, for counts of what was done in it.

    Rows after now, written while the clock was ahead, are left out: else they would count until then.
    """
    now = timezone.now()
    return now - time, now


def count_today() -> int:
    """Return the number of matches that ended in the last 24 hours."""
    return Match.objects.filter(ended__range=within()).count()


def find_playing() -> list[Version]:
    """Return the versions that play, without their archives."""
    return list(Version.objects.filter(state=Version.State.PLAYING).select_related("bot__author").defer("archive"))


def find_entrants(season: Season) -> list[Version]:
    """Return the versions of the matches that are played now: of a final, its finalists."""
    is_final = season.is_in_final and bool(season.finalists)
    return season.find_finalists() if is_final else find_playing()


def count_played(versions: QuerySet[Version]) -> QuerySet[Version]:
    """Return versions, newest first, without archives; `played` is a version's number of matches."""
    matches = Q(seats__match__season__isnull=False, seats__match__state=Match.State.PLAYED)
    return versions.annotate(played=Count("seats", filter=matches)).defer("archive").order_by("-number")


@dataclass(frozen=True)
class SeasonLayout:
    """The seats and contest defaults of a game, as recorded in a season; the scheduler seats bots by these values."""

    name: str
    seats: range
    contest_defaults: ContestDefaults

    @classmethod
    def of(cls, hill: Hill, season: Season) -> SeasonLayout:
        """Return the layout that a season records. Raises KothError for numbers of bots that no game can have."""
        fewest, most = (*season.layout["seats"], 0, 0)[:2]
        if not 0 < fewest <= most:
            raise KothError(f"{database_name(hill)}: season {season.pk} has matches of {fewest} to {most} bots")
        layout = season.layout
        defaults = ContestDefaults(0, layout["aggregate"], layout["group"], seats_alike=layout["seats_alike"])
        return cls(hill.game, range(fewest, most + 1), defaults)


def seats_of(hill: Hill, season: Season) -> int | None:
    """Return the number of seats of a season's matches; None if it depends on the number of bots."""
    return hill.seats or season.layout["group"]


def table_size(hill: Hill, season: Season, bots: int) -> tuple[int, int]:
    """Return the number of seats of a match if `bots` bots play, and of rotations of a group. Raises KothError.

    A final of fewer bots than seats has smaller matches.
    """
    game = SeasonLayout.of(hill, season)
    least = max(2, game.seats.start, 0 if season.is_in_final else hill.seats or 0)
    if hill.seats != 1 and bots < least:
        raise KothError(f"a match needs {least} bots, but only {bots} {'plays' if bots == 1 else 'play'}")
    form = seating(game, bots, hill.seats)
    return form.size, form.rotations


def find_shortage(hill: Hill, season: Season) -> str:
    """Return a text that says why there are too few bots for a match; empty if there are enough bots."""
    try:
        table_size(hill, season, Version.objects.filter(state=Version.State.PLAYING).count())
    except KothError as error:
        return str(error)
    return ""


def find_spent_budget(hill: Hill) -> str:
    """Return a text that names the used-up budget of these 24 hours; empty if no budget is used up."""
    limit = hill.matches_a_day
    if limit is None or count_today() + Match.objects.filter(state=Match.State.PLAYING).count() < limit:
        return ""
    return f"the {limit} matches of these 24 hours are played"


@dataclass
class Schedule:
    """The groups of bots that a season has scheduled so far; `update` reads new groups from the database."""

    season: Season
    history: PairingHistory = field(default_factory=PairingHistory)
    _last: int = 0
    _fit: Fit | None = None
    _ratings: dict[int, Rating] = field(default_factory=dict)
    """The ratings of the fit, read once for many choices."""

    def update(self) -> None:
        """Count the groups that this or another runner has scheduled since the last update.

        Groups become visible in the order of their numbers (`koth_hill.claims`).
        """
        new = Match.objects.filter(season=self.season, round=None, pk__gt=self._last, block=F("pk"))
        last = new.aggregate(last=Max("pk"))["last"]
        if last is None:
            return
        new = new.filter(pk__lte=last)
        seats = Seat.objects.filter(match__in=new).order_by()
        groups = dict(seats.values_list("version_id").annotate(Count("pk")))
        met = seats.filter(match__seats__version_id__gt=F("version_id"))
        pairs = met.values_list("version_id", "match__seats__version_id").annotate(Count("pk"))
        authors = list(new.order_by("-pk").values_list("focus__bot__author__name", flat=True)[:RECENT_GROUPS])
        self.history.add_all(new.count(), groups, {(one, other): times for one, other, times in pairs}, authors[::-1])
        self._last = last

    def next(self, versions: Mapping[int, Version], size: int) -> PlannedGroup:
        """Choose the next group among these versions."""
        from koth.standings.rating import MEAN  # takes Numba

        self.update()
        if self.season.rank_by == "score":
            evenly = (Candidate(pk, version.bot.author.name) for pk, version in versions.items())
            return choose_evenly(evenly, self.history, size)
        fit = fits.newest_fit(self.season)
        if fit != self._fit:
            self._fit, self._ratings = fit, fits.latest_ratings(self.season)
        rated = self._ratings
        before = _find_predecessors(set(versions) - set(rated), versions)
        candidates = []
        for pk, version in versions.items():
            known = rated.get(pk)
            margin = float("inf") if known is None else known.margin
            basis = known or rated.get(before.get(pk, 0))
            known_of = pk, version.bot.author.name, self.history.groups[pk]
            candidates.append(Candidate(*known_of, MEAN if basis is None else basis.rating, margin))
        return choose(candidates, self.history, size)


def _find_predecessors(new: set[int], versions: Mapping[int, Version]) -> dict[int, int]:
    """Return the previous version of each `new` version; its rating is the first estimate for the new version."""
    bots = {versions[pk].bot_id: pk for pk in new}
    older = Version.objects.filter(bot_id__in=bots).exclude(pk__in=new).order_by("pk").values_list("bot_id", "pk")
    return {bots[bot]: pk for bot, pk in older}
