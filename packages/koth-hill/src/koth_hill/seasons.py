"""The steps of a season between its rules and the next season's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from koth.contest.record import other_version_text
from koth.engine.secret import Secret
from koth.engine.settings import choose_variants
from koth.errors import KothError, visible
from koth.game import Game
from koth.services.options import UNIT_SECONDS
from koth_hill import registry
from koth_hill.models import Season

CLOSING_FORMS = "25m, 2h or 3d from now, or a time in UTC such as 2031-05-17 18:00"


def open_next(game: Game, ruleset: str | None, changed: Mapping[str, Any], actor: str | None = None) -> Season:
    """Open the next season; versions that play stay in play, with new standings.

    Without a `ruleset` or changes, use the rules of the last season. Raises KothError.
    """
    with transaction.atomic():
        before = registry.current_season()
        if before.state != Season.State.PUBLISHED:
            raise KothError(f"publish season {before.pk} first: it is {before.state}")
        if ruleset is None and not changed:
            return registry.begin_season(game, before.ruleset, before.overrides, before.rank_by, actor)
        ruleset, values, _ = choose_variants(game, ruleset or before.ruleset, changed)
        return registry.begin_season(game, ruleset, values, before.rank_by, actor)


def parse_closing_time(words: str) -> datetime | None:
    """Return the closing time that `words` describe; None for "none" and for an empty text. Raises KothError."""
    words = words.strip()
    if words in ("", "none"):
        return None
    if found := re.fullmatch(r"([1-9][0-9]{0,3})\s*([mhd])(?:(?<=m)in(?:utes?)?|(?<=h)ours?|(?<=d)ays?)?", words):
        return timezone.now() + timedelta(seconds=int(found[1]) * UNIT_SECONDS[found[2]])
    try:
        time = datetime.fromisoformat(words)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise KothError(f"{visible(words[:40])!r} is not a closing time: write {CLOSING_FORMS}, or none") from None


def check_rules(game: Game, season: Season) -> None:
    """Raise KothError for a season without a secret, or opened under rules that this koth does not have."""
    try:
        Secret.from_hex(season.secret)
    except ValueError as error:
        raise KothError(f"season {season.pk} has no secret: {error}") from None
    if differs := other_version_text(game, season.game_version, season.package):
        raise KothError(
            f"season {season.pk} was opened {differs}: continue with that version, or end the season (koth hill "
            "season DIR publish) and open the next: bots play on in it, with new standings"
        )
