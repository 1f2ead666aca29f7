"""The navigation of the documents' site, which its builder does not compare with the pages that there are."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from koth.cli.pages import SECTIONS
from koth.games import GAMES

ROOT = Path(__file__).resolve().parents[4]


def named(entry: Any) -> Iterator[str]:
    """Yield the pages of a part of the navigation."""
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from named(part)


def test_every_page_is_in_the_navigation_once() -> None:
    nav = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    pages = [path.name for path in (ROOT / "docs").glob("*.md")]
    made = ["reference/commands.md", "reference/api.md"]
    for game in GAMES:
        made += [f"rules-{game}.md", f"reference/messages-{game}.md"]
    in_order = list(named(nav))
    assert sorted(in_order) == sorted(pages + made)
    listed = [f"{page}.md" for pages in SECTIONS.values() for page in pages.split()]
    assert [page for page in in_order if page not in made] == listed  # `koth docs` has the same order
