"""The closing time of a season, as hosts write it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from koth.errors import KothError, visible
from koth.services.options import UNITS

CLOSING_FORMS = "25m, 2h or 3d from now, or a time in UTC such as 2031-05-17 18:00"


def parse_closing_time(words: str) -> datetime | None:
    """Return the closing time that these words mean; None for "none" and for no words. Raises KothError."""
    words = words.strip()
    if words in ("", "none"):
        return None
    if found := re.fullmatch(r"([1-9][0-9]{0,3})\s*([mhd])(?:(?<=m)in(?:utes?)?|(?<=h)ours?|(?<=d)ays?)?", words):
        return timezone.now() + timedelta(seconds=int(found[1]) * UNITS[found[2]])
    try:
        time = datetime.fromisoformat(words)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise KothError(f"{visible(words[:40])!r} is not a closing time: write {CLOSING_FORMS}, or none") from None
