"""The card that other sites show for a link to a page, and the hill's title on this card."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from koth.games import load
from koth_hill.uploads import read_policy


@dataclass(frozen=True)
class PageMeta:
    """The title and text of a page as shown by chats, feeds and search engines."""

    title: str
    text: str


def hill_title() -> str:
    """Return the hill's title as the host set it, otherwise the game's title."""
    return read_policy().title or load(settings.HILL.game).title
