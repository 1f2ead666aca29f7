"""Results as objects: they print as tables, show themselves in notebooks, and give rows for pandas."""

from __future__ import annotations

import html
import sys
import tempfile
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from koth.contest.job import replay_file
from koth.contest.reading import MatchRow
from koth.contest.record import read_run
from koth.contest.results import Unplayed
from koth.contest.store import Store
from koth.errors import KothError
from koth.games import load
from koth.replay.names import REPLAYS
from koth.standings.table import Standing, Standings, flat_row, standings

if TYPE_CHECKING:
    from koth.viewer.export import Html


@dataclass(frozen=True)
class Ranking:
    """The standings of a contest, best first: iterate over `Standing`s, or take `rows`."""

    title: str
    standings: Standings
    faults: Mapping[str, Mapping[str, int]]
    """Faults by bot and kind."""

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.standings.lines)

    def __len__(self) -> int:
        return len(self.standings.lines)

    def __getitem__(self, bot: str) -> Standing:
        """Return the line of a bot. Raises KeyError."""
        return {line.bot: line for line in self}[bot]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each bot, with the same keys: `pandas.DataFrame(ranking.rows)`."""
        return [flat_row(line) for line in self.standings.as_json(self.faults)]

    def _cells(self) -> list[list[str]]:
        """Return the table as text: the heads, then a row for each bot."""
        columns = self.standings.columns
        texts = [line.texts(self.faults.get(line.bot, {})) for line in self]
        return [list(columns.values()), *([cells[key] for key in columns] for cells in texts)]

    def __str__(self) -> str:
        rows = self._cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([self.title, *(line.rstrip() for line in lines), *self.standings.captions])

    def _repr_html_(self) -> str:
        head, *rows = ["".join(f"<td>{html.escape(text)}</td>" for text in row) for row in self._cells()]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        captions = "".join(f"<p>{html.escape(text)}</p>" for text in self.standings.captions)
        title, head = html.escape(self.title), head.replace("td>", "th>")
        return (
            f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{captions}"
        )


@dataclass(frozen=True)
class PlayedMatch:
    """A finished match: the scores of its bots (and of the game's own players), and their faults by kind."""

    index: int
    turns: int
    scores: Mapping[str, float]
    faults: Mapping[str, Mapping[str, int]]
    replay: Path | None = None
    """The file of its replay, if one was kept."""

    @property
    def winners(self) -> tuple[str, ...]:
        """The bots with the highest score."""
        best = max(self.scores.values())
        return tuple(name for name, score in self.scores.items() if score == best)

    def __str__(self) -> str:
        scores = ", ".join(
            f"{name} {score:g}" for name, score in sorted(self.scores.items(), key=lambda item: -item[1])
        )
        return f"match {self.index}, {self.turns} turns: {scores}"

    def _repr_html_(self) -> str:
        return html.escape(str(self)) if self.replay is None else str(self._viewer())

    def show(self) -> Html | None:
        """Show the match in the viewer: in a notebook as the last line of a cell, elsewhere in the browser.

        Raises KothError if its replay was not kept.
        """
        viewer = self._viewer()
        if "ipykernel" in sys.modules:
            return viewer
        from koth.viewer.export import export

        assert self.replay is not None
        with tempfile.NamedTemporaryFile("w", prefix="koth-", suffix=".html", delete=False, encoding="utf-8") as page:
            page.write(export(self.replay))
        webbrowser.open(Path(page.name).as_uri())
        return None

    def _viewer(self) -> Html:
        from koth.viewer.export import framed

        if self.replay is None:
            raise KothError(f'match {self.index}: its replay was not kept (replays="none")')
        return framed(self.replay)


@dataclass(frozen=True)
class Run:
    """A contest on disk, as far as it was played. What it says is read from its folder once, when it is asked for."""

    folder: Path

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The content of its `run.json`. Raises KothError."""
        return read_run(self.folder)

    @property
    def game(self) -> str:
        """The name of the game."""
        return str(self.record["game"])

    @property
    def seed(self) -> int | None:
        """The seed that the host gave, if there was one."""
        seed: int | None = self.record["seed"]
        return seed

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of its bots."""
        return tuple(item["name"] for item in self.record["bots"])

    @cached_property
    def _results(self) -> tuple[Standings, Mapping[str, Mapping[str, int]], list[MatchRow], list[Unplayed], int]:
        game = load(self.game)
        with closing(Store(self.folder, read_only=True)) as store:
            table = standings(store.scores(), game.contest_defaults, self.record["games"])
            missing = (store.planned() or 0) - len(store.scores())
            return table, store.fault_counts(), store.matches(), store.unplayed(), max(0, missing)

    @property
    def standings(self) -> Ranking:
        """The standings."""
        table, faults, matches, _, missing = self._results
        of = f" of {len(matches) + missing}" if missing else ""
        return Ranking(f"{self.game} ({self.record['ruleset']}), {len(matches)}{of} matches", table, faults)

    @cached_property
    def matches(self) -> tuple[PlayedMatch, ...]:
        """The matches that were played, in order of their index."""
        return tuple(
            PlayedMatch(row.index, row.turns, row.scores, row.faults, self._replay(row)) for row in self._results[2]
        )

    @property
    def unplayed(self) -> tuple[Unplayed, ...]:
        """The matches that could not be played, and why."""
        return tuple(self._results[3])

    @property
    def missing(self) -> int:
        """The number of planned matches that are not played yet."""
        return self._results[4]

    def _replay(self, row: MatchRow) -> Path | None:
        return replay_file(self.folder / REPLAYS, row.index) if row.replay else None

    def __str__(self) -> str:
        return f"{self.standings}\nresults and replays: {self.folder}"

    def _repr_html_(self) -> str:
        return self.standings._repr_html_()
