"""News for an author: failed checks, rivals that overtook, challenges, ends of seasons; as a list and a feed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.core import signing
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from koth.hill import trials
from koth.hill.models import Author, Fit, Rating, Season, Upload, Version
from koth.hill.registry import current_season
from koth.hill.site.card import hill_title
from koth.hill.site.final_table import final_of

MOST_NEWS = 20
"""The number of news in the list."""
LATEST_FITS = 40
"""The number of latest fits of ratings in which overtaking rivals are searched for."""
NEWS_SALT = "koth.news"


@dataclass(frozen=True)
class News:
    """An event: its text, its time, and the address of its page."""

    at: datetime
    text: str
    url: str


def news_of(author: Author) -> list[News]:
    """Return the latest news of an author, newest first."""
    found = [
        *_find_refusals(author),
        *_find_overtakings(author),
        *_find_challenges(author),
        *_find_season_ends(author),
    ]
    return sorted(found, key=lambda news: news.at, reverse=True)[:MOST_NEWS]


def _find_refusals(author: Author) -> Iterator[News]:
    sent = author.uploads.filter(state=Upload.State.REFUSED).defer("data").order_by("-pk")[:MOST_NEWS]
    for upload in sent:
        yield News(
            upload.received, f"{upload.file} was refused: {upload.reason}", reverse("upload", args=[upload.pk])
        )
    states = (Version.State.REFUSED, Version.State.SUSPENDED)
    failed = Version.objects.filter(bot__author=author, state__in=states).select_related("bot").defer("archive")
    for version in failed.order_by("-pk")[:MOST_NEWS]:
        text = f"{version.bot.name}, version {version.number}, is {version.state}: {version.reason}"
        yield News(version.submitted, text, reverse("own-bot", args=[version.bot_id]))


def _find_overtakings(author: Author) -> Iterator[News]:
    """Yield the rivals that are ahead of a bot now and were behind it at an earlier one of the latest fits."""
    season = current_season()
    fits = list(Fit.objects.filter(season=season).order_by("-pk")[:LATEST_FITS])
    rated: dict[int, dict[str, float]] = {fit.pk: {} for fit in fits}
    rows = Rating.objects.filter(fit__in=fits).order_by("version__number")
    for fit, bot, rating in rows.values_list("fit_id", "version__bot__name", season.rank_by):
        rated[fit][bot] = rating
    playing = Version.objects.filter(state=Version.State.PLAYING)
    names = dict(playing.values_list("bot__name", "bot__author_id"))
    for own in [name for name, of in names.items() if of == author.pk]:
        for rival in [name for name, of in names.items() if of != author.pk]:
            at = _find_overtaking(fits, rated, own, rival)
            if at is not None:
                yield News(at, f"{rival} has overtaken {own}", reverse("bot", args=[rival]))


def _find_overtaking(fits: list[Fit], rated: dict[int, dict[str, float]], own: str, rival: str) -> datetime | None:
    """Return since when a rival is ahead; None if it is not, or was in all fits, which are newest first."""
    since = None
    for fit in fits:
        ratings = rated[fit.pk]
        if own not in ratings or rival not in ratings:
            return None
        if ratings[rival] <= ratings[own]:
            return since
        since = fit.at
    return None


def _find_challenges(author: Author) -> Iterator[News]:
    for trial in trials.challenges_to(author).select_related("author")[:MOST_NEWS]:
        assert trial.author is not None
        yield News(trial.scheduled, f"{trial.author.name} challenges you", reverse("match", args=[trial.pk]))


def _find_season_ends(author: Author) -> Iterator[News]:
    for season in Season.objects.filter(published__isnull=False).order_by("-pk")[:MOST_NEWS]:
        assert season.published is not None
        yield News(season.published, _end_of(season, author), reverse("season", args=[season.pk]))


def _end_of(season: Season, author: Author) -> str:
    final = final_of(season)
    rows = final.rows if final else ()
    own = [f"{row.bot}: rank {row.rank} of {len(rows)} in the final." for row in rows if row.author == author.name]
    return " ".join([f"Season {season.pk} has ended.", *own])


def feed_path(author: Author) -> str:
    """Return the secret address of an author's feed; a new password changes it."""
    return reverse("feed", args=[signing.dumps([author.pk, author.get_session_auth_hash()[:16]], salt=NEWS_SALT)])


class AuthorFeed(Feed):
    """An author's news as Atom."""

    feed_type = Atom1Feed

    def get_object(self, request: HttpRequest, token: str) -> Author:
        """Return the author of a feed's address. Raises Http404."""
        try:
            pk, sign = signing.loads(token, salt=NEWS_SALT)
        except signing.BadSignature:
            raise Http404 from None
        author = Author.objects.filter(pk=pk, is_active=True).first()
        if author is None or author.get_session_auth_hash()[:16] != sign:
            raise Http404
        return author

    def title(self, author: Author) -> str:
        """The title of the feed."""
        return f"{hill_title()}: news for {author.name}"

    def link(self, author: Author) -> str:
        """The page with the same news."""
        return f"{settings.SITE_URL}{reverse('mine')}"

    def items(self, author: Author) -> list[News]:
        """The entries."""
        return news_of(author)

    def item_title(self, item: Any) -> str:
        """The text of an entry."""
        return str(item.text)

    def item_description(self, item: Any) -> str:
        """Nothing: the title says all."""
        return ""

    def item_link(self, item: Any) -> str:
        """The address of the entry's page."""
        return f"{settings.SITE_URL}{item.url}"

    def item_guid(self, item: Any) -> str:
        """The identity of the entry."""
        return f"{settings.SITE_URL}{item.url}#{item.at.isoformat()}"

    def item_updateddate(self, item: Any) -> datetime:
        """The time of the event."""
        at: datetime = item.at
        return at
