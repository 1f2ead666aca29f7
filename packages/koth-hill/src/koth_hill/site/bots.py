"""Public pages about bots and their authors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from koth.question import FAULT_KINDS
from koth.standings.text import rank_text
from koth_hill import fits
from koth_hill.models import Author, Bot, Match, Rating, Season, Seat, Version
from koth_hill.planning import count_played
from koth_hill.registry import current_season
from koth_hill.site.card import PageMeta, hill_title
from koth_hill.site.matches import prefetch_seats
from koth_hill.site.snapshot import snapshot
from koth_hill.site.standings_rows import Row, axis_reach

CURVE_POINTS = 200
"""The largest number of values in a rating's curve."""
LATEST_MATCHES = 10
"""The number of latest matches on a bot's page."""


def _list_bots(versions: QuerySet[Version]) -> list[dict[str, Any]]:
    """Return the newest version of each bot, with the bot's row in the standings, by rank."""
    ranked = snapshot().rows
    rows = {row.line.bot: row for row in ranked}
    newest = versions.values("bot").annotate(last=Max("pk")).values("last")
    found = Version.objects.filter(pk__in=newest).select_related("bot__author").defer("archive").order_by("bot__name")
    listed = [{"version": version, "row": rows.get(version.bot.name)} for version in found]
    return sorted(listed, key=lambda one: ranked.index(one["row"]) if one["row"] else len(ranked))


def find_beaten(rows: Sequence[Row], name: str) -> list[str]:
    """Return the bosses that stand behind a bot in these rows; none for a bot that is still new."""
    at = next((place for place, row in enumerate(rows) if row.line.bot == name), len(rows))
    behind = rows[at + 1 :] if at < len(rows) and rows[at].line.placed else []
    return [row.line.bot for row in behind if not row.line.rank and row.line.placed]


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """List all bots: bots in the standings with their ranks, and bots that do not play."""
    listed = _list_bots(Version.objects.exclude(bot=None).order_by())
    about = PageMeta("Bots", f"{len(listed):,} bots of the hill.")
    return render(request, "bots.html", {"listed": listed, "rank_by": current_season().rank_by, "about": about})


def find_rivals(bot: Bot, season: Season) -> list[dict[str, Any]]:
    """Return a bot's rivals in a season, most frequent first: `name`, the number of common `matches`, the numbers of
    matches that the bot ended `ahead`, in `ties` and `behind`, and the `share` of won matches in per cent, with half
    of the ties.
    """
    other = "match__seats__score"
    own = Seat.objects.filter(version__bot=bot, match__season=season, match__state=Match.State.PLAYED).order_by()
    met = own.values(name=F("match__seats__version__bot__name")).annotate(
        matches=Count("pk"),
        ahead=Count("pk", filter=Q(score__gt=F(other))),
        ties=Count("pk", filter=Q(score=F(other))),
        behind=Count("pk", filter=Q(score__lt=F(other))),
    )
    rivals = [
        {**row, "share": 100 * (row["ahead"] + row["ties"] / 2) / row["matches"]}
        for row in met
        if row["name"] != bot.name
    ]
    return sorted(rivals, key=lambda row: (-row["matches"], row["name"]))


def find_curves(versions: Iterable[Version], season: Season) -> dict[str, Any] | None:
    """Return the ratings or scores of a bot's versions over a season for `ratings.js`; None for fewer than two
    values.

    A version's curve ends where the next version's curve begins.
    """
    found: dict[int, list[tuple[int, float, float]]] = {version.pk: [] for version in versions}
    rows = Rating.objects.filter(fit__season=season, fit__is_final=False, version__in=found).order_by("fit__matches")
    for version, *point in rows.values_list("version_id", "fit__matches", season.rank_by, "margin"):
        found[version].append(tuple(point))
    drawn: list[dict[str, Any]] = []
    end = float("inf")
    for version in sorted(versions, key=lambda version: -version.number):
        own = [point for point in found[version.pk] if point[0] < end]
        if own:
            end = own[0][0]
            step = -(-len(own) // CURVE_POINTS)
            drawn.append({"name": f"v{version.number}", "points": [*own[:-1:step], own[-1]]})
    ranked = [value for curve in drawn for _, value, _ in curve["points"]]
    if len(ranked) < 2:
        return None
    return {"by": season.rank_by, "beyond": axis_reach(ranked, season.rank_by), "curves": drawn[::-1]}


def fault_counts(bot: Bot) -> list[dict[str, Any]]:
    """Return a bot's faults by kind: numbers of faults and of matches with such faults, and the kind's meaning."""
    counts: Counter[str] = Counter()
    matches: Counter[str] = Counter()
    played = Seat.objects.filter(version__bot=bot, match__state=Match.State.PLAYED).exclude(faults={})
    for faults in played.values_list("faults", flat=True):
        for kind, fault in faults.items():
            counts[kind] += fault["count"]
            matches[kind] += 1
    return [
        {"kind": kind, "meaning": FAULT_KINDS[kind].meaning, "count": count, "matches": matches[kind]}
        for kind, count in counts.most_common()
    ]


@require_safe
def bot(request: HttpRequest, name: str) -> HttpResponse:
    """Show a bot: versions with history, rivals, faults, latest matches."""
    found = get_object_or_404(Bot.objects.select_related("author"), name=name)
    season = current_season()
    by = season.rank_by
    versions = list(count_played(found.versions.all()))
    ranked = {version: getattr(row, by) for version, row in fits.latest_ratings(season).items()}
    now = snapshot()
    row = next((row for row in now.rows if row.line.bot == name), None)
    same = next((names for names in now.standings.same if name in names), [])
    own = request.user.is_authenticated and (request.user.is_host or request.user.pk == found.author_id)
    latest = Match.objects.filter(pk__in=Seat.objects.filter(version__bot=found).values("match_id"))
    rank = "" if row is None else f"rank {row.line.rank}" if row.line.rank else "boss"
    place = "" if row is None else f"{rank}, " + (f"{by} {row.ranked}" if row.ranked else "")
    context = {
        "bot": found,
        "row": row,
        "rank": rank,
        "beaten": find_beaten(now.rows, name),
        "rank_by": by,
        "playing": next((one.pk for one in versions if one.state == Version.State.PLAYING), None),
        "is_own": own,
        "same": [other for other in same if other != name],
        "versions": [{"version": version, "ranked": rank_text(ranked.get(version.pk), by)} for version in versions],
        "ratings": find_curves(versions, season),
        "rivals": find_rivals(found, season),
        "faults": fault_counts(found),
        "latest": prefetch_seats(latest.order_by("-pk")[:LATEST_MATCHES]),
        "about": PageMeta(f"{found.name} · {hill_title()}", f"A bot of {found.author.name}: {place}"),
    }
    return render(request, "bot.html", context)


@require_safe
def author(request: HttpRequest, name: str) -> HttpResponse:
    """Show an author and the author's bots."""
    found = get_object_or_404(Author, name=name)
    listed = _list_bots(Version.objects.filter(bot__author=found).order_by())
    rows = snapshot().rows
    beaten = {one: None for bot in listed for one in find_beaten(rows, bot["version"].bot.name)}
    context = {
        "author": found,
        "beaten": list(beaten),
        "listed": listed,
        "rank_by": current_season().rank_by,
        "about": PageMeta(found.name, f"{len(listed):,} bot{'s'[: len(listed) != 1]} in {hill_title()}."),
    }
    return render(request, "author.html", context)
