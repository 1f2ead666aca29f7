"""A contest as a static site, which can also be opened from a disk: standings, a page per bot, every match."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from koth.contest.reading import MatchReader
from koth.errors import KothError
from koth.escaping import address, csv_table, csv_text
from koth.games import names
from koth.standings.table import flat_row
from koth.viewer.contest import Dashboard
from koth.viewer.frame_cache import read_with_frames
from koth.viewer.listing import listing
from koth.viewer.page_data import EmbeddedData, RunState, SitePlace
from koth.viewer.pages import SCRIPT, make_shared_files, whole_page
from koth.viewer.summary import MatchSummary, read_recorded

INDEX = "index.html"
WATCH = "watch.html"
"""The page that plays a dropped replay, or a replay at an address."""
STANDINGS, MATCHES = "standings.csv", "matches.csv"
FILES = {STANDINGS: "the standings as CSV", MATCHES: "all matches as CSV", WATCH: "a page that plays any replay"}
"""Further files of a site, with the index page's texts about files."""


@dataclass(frozen=True)
class SiteWords:
    """The host's title and text for a contest; addresses in the text become links."""

    title: str = ""
    text: str = ""


def publish(
    reader: MatchReader,
    out: Path,
    on_page: Callable[[int, int], None] = lambda done, total: None,
    about: SiteWords = SiteWords(),
) -> None:
    """Write a contest as a site to the folder `out`: new, empty, or an earlier site, which is replaced.

    `on_page` is called with the number of written pages, and of all pages. Raises KothError.
    """
    is_site = all((out / name).is_file() for name in (INDEX, WATCH, SCRIPT))
    if out.exists() and not is_site and (not out.is_dir() or any(out.iterdir())):
        raise KothError(f"{out} exists already, and is not an exported contest; choose another folder")
    site = PublishedSite(Dashboard(reader), read_recorded(reader), about)
    pages = site.pages()
    for old in [*out.glob("bots/*.html"), *out.glob("matches/*.html")] if is_site else []:
        if old.relative_to(out).as_posix() not in pages:
            old.unlink()
    for done, (name, make) in enumerate(pages.items()):
        on_page(done, len(pages))
        place = out / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(make(), encoding="utf-8", newline="")
        except OSError as error:
            raise KothError(f"{place}: {error.strerror}") from None
    on_page(len(pages), len(pages))


class PublishedSite:
    """The contents of a contest's pages."""

    def __init__(self, run: Dashboard, matches: Sequence[MatchSummary], about: SiteWords = SiteWords()) -> None:
        self.run = run
        self.matches = list(matches)
        self.now: RunState = {**run.look(), "held": False, "playing": [], "about": asdict(about)}
        self.title = run.title
        self.listed = listing(self.matches, run.names, contest=self.title)
        self.slugs = slugs(run.names)

    def pages(self) -> dict[str, Callable[[], str]]:
        """Return functions that make the texts of the site's files, by file name."""
        pages: dict[str, Callable[[], str]] = {INDEX: self.index, WATCH: watch_page}
        for name, text in make_shared_files(INDEX, "main.js", [self.run.record["game"]]).items():
            pages[name] = lambda text=text: text  # type: ignore[misc]
        for bot, slug in self.slugs.items():
            pages[f"bots/{slug}.html"] = lambda bot=bot: self.bot(bot)  # type: ignore[misc]
        for number, match in enumerate(self.matches):
            pages[f"matches/{match.name}.html"] = lambda number=number: self.match(number)  # type: ignore[misc]
        pages[STANDINGS] = lambda: csv_table([flat_row(line) for line in self.now["standings"]])
        pages[MATCHES] = lambda: csv_text(match_rows(self.matches, self.run.names))
        return pages

    def index(self) -> str:
        """Return the contest's page: standings, head to head, all matches."""
        return self._page({"home": "", "matches": "matches/", "bots": self._bots("bots/"), "files": FILES})

    def bot(self, name: str) -> str:
        """Return a bot's page: results against other bots, and matches."""
        return self._page({"home": "../index.html", "matches": "../matches/", "bots": self._bots("")}, of=name)

    def match(self, number: int) -> str:
        """Return a match's page, with links to the previous and next match."""
        match = self.matches[number]
        place = SitePlace(
            home="../index.html",
            matches="",
            bots=self._bots("../bots/"),
            before=self._address(number - 1),
            next=self._address(number + 1),
        )
        found = listing([match], self.run.names, lambda name: True, self.title)
        details = self.run.details(match.name)
        data = EmbeddedData(listing=found, site=place, details=details)
        return whole_page(INDEX, "main.js", [], data, read_with_frames(match.file, match.top), beside="../")

    def _address(self, number: int) -> str | None:
        return address(f"{self.matches[number].name}.html") if 0 <= number < len(self.matches) else None

    def _bots(self, folder: str) -> dict[str, str]:
        return {bot: f"{folder}{slug}.html" for bot, slug in self.slugs.items()}

    def _page(self, place: SitePlace, of: str | None = None) -> str:
        data = EmbeddedData(
            listing={**self.listed, "isRun": True},
            run=self.now,
            versus=self.run.versus(of),
            site={**place, "of": of},
            endings=[] if of is None else self.run.endings(of),
        )
        return whole_page(INDEX, "main.js", [], data, beside="" if of is None else "../")


def watch_page() -> str:
    """Return a page without a match, for replays of all games, dropped on the page or fetched from an address."""
    data = EmbeddedData(listing=listing([]), site={"home": INDEX})
    return whole_page(INDEX, "main.js", names(), data, connects="*")


def slugs(names: Sequence[str]) -> dict[str, str]:
    """Return a unique file name of letters, digits and dashes for every bot."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "bot"
        slug, k = plain, 2
        while slug in found.values():
            slug, k = f"{plain}-{k}", k + 1
        found[name] = slug
    return found


def match_rows(matches: Sequence[MatchSummary], bots: Sequence[str]) -> list[list[Any]]:
    """Return a row per match, with name, turns, and all bots' scores ("" for bots that did not play)."""
    rows: list[list[Any]] = [["match", "turns", *bots]]
    for match in matches:
        result = match.result or {}
        scores = result.get("scores", {})
        rows.append([match.name, result.get("turns"), *(scores.get(bot, "") for bot in bots)])
    return rows
