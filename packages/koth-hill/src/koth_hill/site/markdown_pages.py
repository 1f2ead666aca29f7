"""Pages written in Markdown: a game's rules, and koth's guide."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from koth.games import names
from koth.viewer.server import file_of_game

GUIDE = Path(str(resources.files("koth") / "docs"))
RULES = "RULES.md"
OF_GAME = re.compile(r"(?:.*/)?games/([^/]+)/RULES")
"""Links to a game's rules in koth's documents, without `.md`."""


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
    return None if file is None else markdown_page(file.read_text(encoding="utf-8"), lambda page: None)


@functools.cache
def guide_names() -> frozenset[str]:
    """Return the names of the pages of koth's guide; the rules of a game are `NAME-rules`."""
    return frozenset({*(file.stem for file in GUIDE.glob("*.md")), *_rules_by_page()})


@functools.cache
def _rules_by_page() -> dict[str, str]:
    """Return the games with written rules, by the names of their pages."""
    return {f"{game}-rules": game for game in names() if rules_of(game) is not None}


def guide_page(name: str) -> MarkdownPage | None:
    """Return a page of koth's guide; None for an unknown name."""
    return _guide_page(name) if name in guide_names() else None


@functools.cache
def _guide_page(name: str) -> MarkdownPage | None:
    if name in _rules_by_page():
        return rules_of(_rules_by_page()[name])
    return markdown_page((GUIDE / f"{name}.md").read_text(encoding="utf-8"), _page_of)


def _page_of(path: str) -> str | None:
    """Return the page of the guide to which a link leads; None if the link leads elsewhere."""
    game = OF_GAME.fullmatch(path)
    page = f"{game[1]}-rules" if game else path
    return page if page in guide_names() else None


def markdown_page(text: str, page_of: Callable[[str], str | None]) -> MarkdownPage:
    """Return a page of Markdown as HTML, ignoring HTML in the Markdown; `page_of` returns the guide's page for a
    path.

    Leave out other relative links, and pictures: their files do not exist here.
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
            token.children = _rewrite_links(token.children or [], page_of)
        if token.type == "table_open":
            token.attrSet("tabindex", "0")
    html = parser.renderer.render(body, parser.options, {}).replace("<pre>", '<pre tabindex="0">')  # they scroll
    html = html.replace("<th></th>", "<td></td>")  # no head, for who hears the page
    return MarkdownPage(title, first, mark_safe(html))


def _plain_text(inline: Token) -> str:
    return "".join(" " if token.type == "softbreak" else token.content for token in inline.children or [])


def _rewrite_links(tokens: list[Token], page_of: Callable[[str], str | None]) -> list[Token]:
    """Return these tokens with only the links that work here."""
    found: list[Token] = []
    dropped = False
    for token in tokens:
        if token.type == "image":
            continue
        if token.type == "link_open":
            href = _href(str(token.attrGet("href")), page_of)
            dropped = href is None
            if href is not None:
                token.attrSet("href", href)
        if not (dropped and token.type in ("link_open", "link_close")):
            found.append(token)
    return found


def _href(href: str, page_of: Callable[[str], str | None]) -> str | None:
    parts = urlsplit(href)
    if parts.scheme or not parts.path:
        return href
    page = page_of(parts.path.removesuffix(".md")) if parts.path.endswith(".md") else None
    return None if page is None else f"{page}#{parts.fragment}" if parts.fragment else page
