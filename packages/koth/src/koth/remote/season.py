"""The reader of a season's matches on the site of the hill."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Any, TypedDict

from koth.contest.reading import PUBLIC, Audience, BotLog, MatchCounts, MatchReader, MatchRow, RecordedFault
from koth.contest.record import SHAPE, RunRecord
from koth.contest.seating import hill_variant
from koth.engine.secret import Key, Secret
from koth.errors import KothError, visible
from koth.files.beneath import write_beneath
from koth.files.shape import find_mismatch, shape_of
from koth.remote.site import Site
from koth.replay.names import match_name, replay_name
from koth.replay.reader import Replay
from koth.standings.ranking import RANKING, Ranking
from koth.standings.scores import Scores

PAGE = 500
"""The number of matches in one answer of the site."""
LOGS: Mapping[str, Any] = {"bot": str, "stderr": [{"turn": (int, NoneType), "text": str}], "notes": [{"turn": int}]}
ROW: Mapping[str, Any] = {**shape_of(MatchRow), "digests": {str: str}}
FAULT: Mapping[str, Any] = shape_of(RecordedFault)
"""The shapes of the site's answers."""
TEXTS = ("asked", "said", "stderr")
"""Fields of a fault that the site sends as base64."""


class RecordedSeason(TypedDict):
    """The site's answer about a season or its final; `own` are the bots of the token's owner."""

    plan: RunRecord
    done: int
    planned: int | None
    uncounted: Sequence[int]
    is_running: bool
    season_proof: str | None
    knockout: Mapping[str, Sequence[str]]
    own: Sequence[str]
    is_host: bool


SEASON: Mapping[str, Any] = {**shape_of(RecordedSeason), "plan": SHAPE, "knockout": {str: [str]}}


class RemoteSeason(MatchReader):
    """The matches of a season, or of its final, on its hill's site.

    The reader sees what the site shows to the owner of the environment's token, or to the public. It caches answers.
    """

    def __init__(self, site: Site, number: int | None, folder: Path, is_final: bool = False) -> None:
        """Read season `number` (None: the newest); keep replays in `folder`. Raises KothError."""
        self.site, self._folder = site, folder
        self.number = self._find_newest() if number is None else number
        self._is_final = is_final

    @classmethod
    @contextmanager
    def open(cls, site: Site, number: int | None, is_final: bool = False) -> Iterator[RemoteSeason]:
        """Yield the reader of a season or its final; at the end remove the fetched replays. Raises KothError."""
        with tempfile.TemporaryDirectory(prefix="koth-site-") as folder:
            yield cls(site, number, Path(folder), is_final)

    def _find_newest(self) -> int:
        found: int = self._get("hill", {"season": {"number": int}})["season"]["number"]
        return found

    def _get(self, path: str, shape: Any, **query: object) -> Any:
        """Return an answer of this shape. Raises KothError for any other answer."""
        found = self.site.get(path, **query)
        if wrong := find_mismatch(found, shape, path):
            raise KothError(f"{self.site.name} gives an answer that koth does not understand ({visible(wrong)})")
        return found

    @property
    def where(self) -> str:
        return f"{self.site.name}/seasons/{self.number}{'/final' if self._is_final else ''}"

    @property
    def title(self) -> str:
        return f"the final of season {self.number}" if self._is_final else f"season {self.number}"

    def variant(self, block: int) -> int:
        return hill_variant(block)

    @property
    def audience(self) -> Audience:
        own = self._season["own"]
        return Audience(None) if self._season["is_host"] else Audience(frozenset(own)) if own else PUBLIC

    @cached_property
    def _season(self) -> RecordedSeason:
        found: RecordedSeason = self._get(f"seasons/{self.number}", SEASON, final=self._is_final)
        return found

    @cached_property
    def _rows(self) -> list[Mapping[str, Any]]:
        return self._read_pages("matches", ROW, "number")

    def _read_pages(self, what: str, shape: Any, key: str, **query: object) -> list[Mapping[str, Any]]:
        """Return the rows of paged answers, ordered by the match number in `key`. Raises KothError."""
        rows: list[Mapping[str, Any]] = []
        while True:
            after = rows[-1][key] if rows else 0
            found = self._get(f"seasons/{self.number}/{what}", [shape], final=self._is_final, after=after, **query)
            page = [row for row in found if row[key] > after]
            if not page:
                return rows
            rows += sorted(page, key=lambda row: row[key])

    def plan(self) -> RunRecord:
        return self._season["plan"]

    def season_proof(self) -> str | None:
        return self._season["season_proof"]

    def knockout(self) -> Mapping[int, Sequence[str]]:
        try:
            return {int(match): bots for match, bots in self._season["knockout"].items()}
        except ValueError as error:
            raise KothError(f"{self.where}: the knockout can't be read: {error}") from None

    def secrets(self) -> Sequence[Secret | None]:
        """Return the season's secret; None before publication. Raises KothError."""
        secret = self.plan()["secret"]
        try:
            return [None if secret is None else Secret.from_hex(secret)]
        except ValueError as error:
            raise KothError(f"{self.where}: the secret can't be read: {error}") from None

    def counts(self) -> MatchCounts:
        return MatchCounts(self._season["done"], len(self._season["uncounted"]), self._season["planned"])

    def uncounted_matches(self) -> set[int]:
        return set(self._season["uncounted"])

    def matches(self) -> list[MatchRow]:
        rows = (MatchRow(**{key: row[key] for key in ROW if key != "digests"}) for row in self._rows)
        return [replace(row, replay=match_name(row.number) if row.replay else "", stage=0) for row in rows]

    def digests(self, match: MatchRow) -> Mapping[str, str]:
        return self._digests.get(match.number, {})

    @cached_property
    def _digests(self) -> Mapping[int, Mapping[str, str]]:
        return {row["number"]: row["digests"] for row in self._rows}

    def scores(self) -> Scores:
        uncounted = self.uncounted_matches() | self.knockout().keys()
        return Scores.of((row["block"], row["scores"]) for row in self._rows if row["number"] not in uncounted)

    def ranking(self) -> Ranking | None:
        if self._is_final:
            return None
        return Ranking.from_json(self._get("standings", RANKING, season=self.number))

    def faults(self, bot: str | None = None, match: int | None = None) -> list[RecordedFault]:
        return [self._fault(row) for row in self._read_pages("faults", FAULT, "match", bot=bot, match=match)]

    def _fault(self, row: Mapping[str, Any]) -> RecordedFault:
        try:
            texts = {key: base64.b64decode(row[key]) for key in TEXTS}
        except ValueError as error:
            raise KothError(f"{self.site.name}: a fault of match {row['match']} can't be read: {error}") from None
        return RecordedFault(
            **{**{key: row[key] for key in FAULT}, **texts, "replay": self.replay_word(row["match"])}
        )

    def replay(self, number: int) -> Path | None:
        """Return the path of a match's replay; the first call fetches the replay."""
        name = replay_name(number)
        if not (self._folder / name).exists():
            data = self.site.fetch_replay(number)
            with write_beneath(self._folder, name) as file:
                file.write(data)
        return self._folder / name

    def logs(self, number: int, bot: str) -> BotLog:
        """Return the log of one of the author's own bots in a match."""
        if not self.audience.owns(bot):
            return BotLog()
        logs = (log for log in self._get(f"matches/{number}/logs", [LOGS]) if log["bot"] == bot)
        if (log := next(logs, None)) is None:
            return BotLog()
        return BotLog([(piece["turn"], piece["text"].encode()) for piece in log["stderr"]], log["notes"])

    def key(self, number: int) -> Key | None:
        """Return the key of a match's dice, from its replay."""
        path = self.replay(number)
        return None if path is None else Replay(path).key

    def replay_word(self, number: int) -> str:
        return f"{self.site.name}/matches/{number}"

    def is_running(self) -> bool:
        """Return whether a runner played matches when the season was read."""
        return self._season["is_running"]
