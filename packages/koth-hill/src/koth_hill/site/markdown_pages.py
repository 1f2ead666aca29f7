"""Pages written in Markdown: a game's rules, and how a bot is written for the game."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from koth.viewer.server import file_of_game

RULES = "RULES.md"


@dataclass(frozen=True)
class MarkdownPage:
    """A page: the title, the first paragraph as text, and all below the title as HTML."""

    title: str
    first: str
    html: SafeString


@functools.cache
def rules_of(game: str) -> MarkdownPage | None:
    """Return the rules of a game; None if the game has no written rules."""
    file = file_of_game(game, RULES)
    return None if file is None else markdown_page(file.read_text(encoding="utf-8"))


@functools.cache
def guide_page(game: str) -> MarkdownPage:
    """Return the page on writing a bot for a game."""
    from koth.services.guide import guide_of  # takes Numba

    return markdown_page(guide_of(game))


def markdown_page(text: str) -> MarkdownPage:
    """Return a page of Markdown as HTML, ignoring HTML in the Markdown.

    Leave out relative links, and pictures: their files do not exist here.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(re.sub(r"<!--.*?-->\n?", "", text, flags=re.S))
    title = _plain_text(tokens[1]) if len(tokens) > 1 and tokens[0].tag == "h1" else ""
    body = tokens[3:] if title else tokens
    first = next((_plain_text(body[k + 1]) for k, token in enumerate(body) if token.type == "paragraph_open"), "")
    for k, token in enumerate(body):
        if token.type == "heading_open":
            heading = _plain_text(body[k + 1]).lower()
            token.attrSet("id", re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))  # as on the forges
        if token.type == "inline":
            token.children = _remove_links(token.children or [])
        if token.attrs.pop("style", "") == "text-align:right":  # the policy forbids inline styles
            token.attrSet("class", "number")
        if token.type == "table_open":
            token.attrSet("tabindex", "0")
    html = parser.renderer.render(body, parser.options, {}).replace("<pre>", '<pre tabindex="0">')  # they scroll
    html = html.replace("<th></th>", "<td></td>")  # no head, for who hears the page
    return MarkdownPage(title, first, mark_safe(html))


def _plain_text(inline: Token) -> str:
    return "".join(" " if token.type == "softbreak" else token.content for token in inline.children or [])


def _remove_links(tokens: list[Token]) -> list[Token]:
    """Return these tokens without pictures and without the links that do not work here."""
    found: list[Token] = []
    dropped = False
    for token in tokens:
        if token.type == "link_open":
            parts = urlsplit(str(token.attrGet("href")))
            dropped = bool(parts.path) and not parts.scheme
        if token.type != "image" and not (dropped and token.type in ("link_open", "link_close")):
            found.append(token)
    return found
