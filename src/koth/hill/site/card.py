"""The card of a page, shown where its address is shared, and the title of the hill on it."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from koth.games import load
from koth.hill.uploads import read_policy


@dataclass(frozen=True)
class Card:
    """Title and text of a page in other people's words: in a chat, a feed, a search."""

    title: str
    text: str


def hill_title() -> str:
    """Return the title that the host gave the hill, or else its game's."""
    return read_policy().title or load(settings.HILL.game).title
