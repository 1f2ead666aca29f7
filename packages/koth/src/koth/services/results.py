"""Results as objects that print as tables and show pictures in notebooks."""

from __future__ import annotations

import html
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from koth.contest.reading import MatchCounts, MatchReader
from koth.contest.record import RunRecord
from koth.errors import KothError
from koth.replay.names import RUN_FILE
from koth.services.curves import Curves
from koth.services.standings import StandingsReport, report_standings

if TYPE_CHECKING:
    from koth.viewer.export import Html


@dataclass(frozen=True, repr=False)
class PlayedMatch:
    """A finished match: scores of the bots (and of the game's own players), and the bots' faults by kind."""

    number: int
    """The match's number in the contest, from 1."""
    turns: int
    scores: Mapping[str, float]
    faults: Mapping[str, Mapping[str, int]]
    find_replay: Callable[[], Path | None] = field(default=lambda: None, repr=False, compare=False)

    @cached_property
    def replay(self) -> Path | None:
        """The replay's file, if a replay was kept. Raises KothError."""
        return self.find_replay()

    @property
    def winners(self) -> tuple[str, ...]:
        """The bots with the highest score."""
        best = max(self.scores.values())
        return tuple(name for name, score in self.scores.items() if score == best)

    def __str__(self) -> str:
        scores = ", ".join(
            f"{name} {score:g}" for name, score in sorted(self.scores.items(), key=lambda item: -item[1])
        )
        return f"match {self.number}, {self.turns} turns: {scores}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html.escape(str(self)) if self.replay is None else str(_frame_viewer(self.replay))

    def show(self) -> Html | None:
        """Show the match in the viewer: in a notebook as the last line of a cell, elsewhere in the browser.

        Without a browser the address of the page is printed. Raises KothError if the replay was not kept.
        """
        if self.replay is None:
            raise KothError(f'match {self.number}: its replay was not kept (replays="none")')
        if "ipykernel" in sys.modules:
            return _frame_viewer(self.replay)
        from koth.viewer.export import export

        with tempfile.NamedTemporaryFile("w", prefix="koth-", suffix=".html", delete=False, encoding="utf-8") as page:
            page.write(export(self.replay))
        if not webbrowser.open(address := Path(page.name).as_uri()):
            print(f"watch the match: {address}", file=sys.stderr)
        return None


def _frame_viewer(replay: Path) -> Html:
    from koth.viewer.export import embed

    return embed(replay)


@dataclass(frozen=True, repr=False)
class Run:
    """The matches of a run's folder or of a hill's season, finished or not; read once, on first use."""

    reader: MatchReader
    """The reader of the matches, for everything that this class does not offer."""

    @property
    def folder(self) -> Path:
        """The run's folder. Raises KothError for a hill's season."""
        folder = Path(self.reader.where)
        if not (folder / RUN_FILE).exists():
            raise KothError(f"{self.reader.where} is not the folder of a run")
        return folder

    @cached_property
    def record(self) -> RunRecord:
        """The contest's record: game, rules, bots and more, as in `run.json`. Raises KothError."""
        return self.reader.plan()

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.record["game"]

    @property
    def seed(self) -> int | None:
        """The seed that the host gave, if any."""
        return self.record["seed"]

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots' names."""
        return tuple(item["name"] for item in self.record["bots"])

    @cached_property
    def standings(self) -> StandingsReport:
        """The standings. Raises KothError if no match is finished."""
        return report_standings(self.reader)

    def standings_with(self, **settings: Any) -> StandingsReport:
        """Return the standings of the matches with these settings, such as `map="maze"`. Raises KothError."""
        return report_standings(self.reader, settings=settings)

    @cached_property
    def curves(self) -> Curves:
        """Each bot's score over the matches that count, in the order of the standings."""
        uncounted = self.reader.uncounted_matches()
        rows = [match.scores for match in self.matches if match.number not in uncounted]
        return Curves.of(rows, self.standings.order, self.standings.standings.aggregate)

    @cached_property
    def matches(self) -> tuple[PlayedMatch, ...]:
        """The played matches, by number."""
        return tuple(
            PlayedMatch(row.number, row.turns, row.scores, row.faults, partial(self.reader.replay, row.number))
            for row in self.reader.matches()
        )

    @cached_property
    def counts(self) -> MatchCounts:
        """The numbers of played and planned matches."""
        return self.reader.counts()

    @property
    def missing(self) -> int:
        """The number of planned matches that are still to be played."""
        return max(0, (self.counts.planned or 0) - self.counts.done)

    def __str__(self) -> str:
        return f"{self.standings}\nresults and replays: {self.reader.where}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.standings._repr_html_() + self.curves._repr_html_()
