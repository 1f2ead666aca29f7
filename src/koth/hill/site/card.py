"""The card of a page, shown where its address is shared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    """Title and text of a page in other people's words: in a chat, a feed, a search."""

    title: str
    text: str
