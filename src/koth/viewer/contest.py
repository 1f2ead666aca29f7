"""What a dashboard tells of a run, finished or not, out of nothing but the run's folder."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from koth.contest.lock import is_held
from koth.contest.private import noted, written
from koth.contest.record import read_run, stage_entry
from koth.contest.results import MatchRow
from koth.contest.schedule import match_name
from koth.contest.seating import seating
from koth.contest.store import Store
from koth.diagnostics.endings import endings, on_page
from koth.diagnostics.explain import conversation
from koth.diagnostics.rerun import Again, told
from koth.errors import KothError
from koth.game import Array
from koth.games import load
from koth.replay.reader import REPLAYS, SUFFIX, Replay
from koth.standings.head import HeadToHead
from koth.standings.table import standings
from koth.standings.text import unrepeatable_text
from koth.viewer.summary import PART, last_turn

STILL = 30.0
"""Seconds without a new byte after which a match that is not over counts as left, not as played."""
POINTS = 120
"""Places along the contest at which everybody's score is told."""
TAIL = 20_000
"""Bytes that are shown of a piece of a bot's stderr: what it wrote in a turn."""
TALK = 200_000
"""Characters that are shown of a message."""
RESTS = 9
"""Standings that took long to reckon stay as they are for so many times as long, until the contest is over."""
QUICK = 0.2
"""Seconds of reckoning that may be spent on every match that has ended."""
FACING = 40
"""Bots up to which a table has a row and a column for each."""
REASONS = 3
"""Reasons that are told of a bot's faults of one kind: the most frequent ones."""
ENDINGS = 40
"""Matches of a bot whose end is looked at."""


class Run:
    """A run's folder, watched. Raises KothError when it is none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = read_run(folder)
        self._told: tuple[int, dict[str, Any]] = (-1, {})
        self._heads: tuple[tuple[int, int], HeadToHead] | None = None
        """Who faced whom, and in how many matches, counted and not."""
        self._ended: dict[str, tuple[int, list[dict[str, Any]]]] = {}
        """How the matches of bots ended that were looked at, of so many matches."""
        self._again = 0.0
        """When the standings may be reckoned anew."""

    def look(self) -> dict[str, Any]:
        """The run as it is now, as JSON.

        Standings are reckoned anew when matches have ended, though that takes a tenth of the time at most: `counted`
        says how many matches they are of; `held` whether somebody runs the contest, null where nobody can tell;
        `settled` that it is over before all has been played, for nothing more is to be found out.
        """
        held = is_held(self.folder)  # before the matches are counted: what it has played by its end is on record
        with closing(Store(self.folder, read_only=True)) as store:
            done = len(store) - len(store.uncounted())
            begun = time.monotonic()
            if self._told[0] != done and (begun >= self._again or done >= self._told[1]["total"]):
                self._told = (done, self._reckoned(store))
                took = time.monotonic() - begun
                self._again = begun + took + (RESTS * took if took > QUICK else 0)
            total = store.planned() or self._told[1]["total"]  # more matches may be wanted meanwhile
        record = read_run(self.folder)
        is_over = bool(stage_entry(record, len(record["extensions"]))["secret"])  # that of the last stage
        settled = held is False and done < total and is_over
        now = {"total": total, "done": done, "counted": self._told[0], "held": held, "settled": settled}
        return {**self._told[1], **now, "playing": self._playing()}

    def versus(self, of: str | None = None) -> dict[str, dict[str, list[int]]]:
        """In how many of their matches a bot ended ahead of each other, tied with it, and behind.

        `{bot: {other: [ahead, ties, behind]}}`; without `of`, of all bots, if a table of them could be read.
        """
        heads = self._faced()
        bots = [bot for bot in self.names if bot in heads.names]
        if of is not None:
            return heads.as_json(bots, [bot for bot in bots if bot == of])
        return heads.as_json(bots) if len(bots) <= FACING else {}

    def endings(self, of: str) -> list[dict[str, Any]]:
        """How a bot's first matches ended, as far as replays with frames tell; read again when there are more."""
        if of not in self.names:
            return []
        with closing(Store(self.folder, read_only=True)) as store:
            played = len(store) - len(store.uncounted())
        if self._ended.get(of, (-1, []))[0] != played:
            self._ended[of] = played, on_page(endings(self.folder, of, None, lambda path: path, most=ENDINGS)[0])
        return self._ended[of][1]

    def _faced(self) -> HeadToHead:
        """All matches of the run so far, read again only when there are others."""
        with closing(Store(self.folder, read_only=True)) as store:
            counted = len(store), len(store.uncounted())
            if self._heads is None or counted != self._heads[0]:
                self._heads = counted, HeadToHead.of(store.scores())
        return self._heads[1]

    def _reckoned(self, store: Store) -> dict[str, Any]:
        uncounted = store.uncounted()
        record, rows = self.record, [row for row in store.matches() if row.index not in uncounted]
        game = load(record["game"])
        aggregate, bots = game.contest_defaults.aggregate, len(self.bots)
        form = seating(game, bots, record["table"], record["seeds"])
        table = standings(store.scores(), game.contest_defaults, read_run(self.folder)["games"])
        faults = store.fault_counts()
        return {
            "game": record["game"],
            "ruleset": record["ruleset"],
            "seed": None if record["seed"] is None else str(record["seed"]),
            "started": str(record.get("started", "")),
            "total": store.planned() or form.matches(bots, read_run(self.folder)["games"]),
            "aggregate": aggregate,
            "bots": self.names,
            "others": [name for name in (rows[0].scores if rows else {}) if name not in self.names],
            "columns": list(table.columns.items()),
            "standings": table.as_json(faults),
            "captions": [*_cut_short(record["turns"]), *table.captions, *_unrepeatable(record)],
            "history": history(rows, [line.bot for line in table.lines], aggregate),
            "faults": faults_by_kind(store.fault_reasons()),
            "skipped": record["skipped"],
        }

    def told(self, name: str) -> dict[str, Any] | None:
        """What is known of a match beside its replay: faults with their words, and by turn what bots noted or wrote.

        None where there can be no such match.
        """
        number = number_of(name)
        if number is None:
            return None
        return {"faults": self._faults_of(number), **left_by(self.folder, number, [bot["name"] for bot in self.bots])}

    def public_faults(self, name: str) -> list[dict[str, Any]]:
        """The faults of a match with their words, without what bots wrote to stderr."""
        number = number_of(name)
        return [] if number is None else [{**fault, "stderr": ""} for fault in self._faults_of(number)]

    def _faults_of(self, number: int) -> list[dict[str, Any]]:
        with closing(Store(self.folder, read_only=True)) as store:
            return [
                {"bot": bot, "kind": kind, "count": count, "turn": turn, "text": text, "stderr": text_of(stderr)}
                for bot, kind, count, turn, text, stderr in store.faults_of(number)
            ]

    def talk(self, name: str, bot: str, turn: int) -> list[tuple[str, str]] | None:
        """What a bot received (`<`) and answered (`>`) once so many turns were finished, and what was wrong (`!`).

        The match is played again up to there. None where there is no such match, or where it is not over: who writes
        bots may look at the page meanwhile.
        """
        number = number_of(name)
        with closing(Store(self.folder, read_only=True)) as store:
            row = None if number is None else store.match(number)
        if row is None or not row.replay or bot not in self.names:
            return None
        again = Again(load(self.record["game"]), Replay(self.folder / row.replay), bot)
        return said_in(conversation(again, told(self.record, bot)), turn)

    @property
    def title(self) -> dict[str, Any]:
        """What the contest is called, when it began, and how many matches it has, if that is known."""
        planned = None
        with suppress(KothError), closing(Store(self.folder, read_only=True)) as store:
            planned = store.planned()
        started = str(self.record.get("started", ""))
        return {"name": self.folder.absolute().name, "started": started, "matches": planned}

    @property
    def names(self) -> list[str]:
        """The contest's bots, in its order."""
        return [bot["name"] for bot in self.bots]

    @property
    def bots(self) -> list[dict[str, Any]]:
        bots: list[dict[str, Any]] = self.record["bots"]
        return bots

    def _playing(self) -> list[dict[str, Any]]:
        """The matches that are being played, with the turn they have come to."""
        found = []
        for part in sorted((self.folder / REPLAYS).glob(f"*{SUFFIX}{PART}")):
            try:
                age = time.time() - part.lstat().st_mtime
            except FileNotFoundError:
                continue  # it is over by now
            turn = last_turn(part)
            if turn is not None:
                name = part.name.removesuffix(PART).removesuffix(SUFFIX)
                found.append({"name": name, "turn": turn, "still": age > STILL})
        return found


def number_of(name: str) -> int | None:
    """The number of the match whose replay has this name; None for a name that koth gives to no match."""
    number = name.removeprefix("match-")
    if not (number.isascii() and number.isdigit() and len(number) < 19 and name == match_name(int(number))):
        return None
    return int(number)


def _cut_short(turns: int | None) -> list[str]:
    return [] if turns is None else [f"A trial: matches end after {turns:,} turn{'s' if turns > 1 else ''}."]


def _unrepeatable(record: Mapping[str, Any]) -> list[str]:
    return [unrepeatable_text(record["unrepeatable"])] if record["unrepeatable"] else []


def left_by(folder: Path, number: int, bots: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What bots have left in a match of the run in `folder`: `stderr` by turn, and `notes`. Raises KothError."""
    stderr = {bot: written(folder, number, bot) for bot in bots}
    return {
        "stderr": {bot: [[turn, text_of(piece)] for turn, piece in said] for bot, said in stderr.items() if said},
        "notes": notes_of(folder, number, bots),
    }


def notes_of(folder: Path, number: int, bots: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """What bots noted and drew in a match of the run in `folder`, of those that did. Raises KothError."""
    return {bot: lines for bot in bots if (lines := noted(folder, number, bot))}


def said_in(talk: Iterable[tuple[int, str, str]], turn: int) -> list[tuple[str, str]]:
    """Of a conversation, what was said once so many turns were finished."""
    said: list[tuple[str, str]] = []
    for now, mark, text in talk:
        if now > turn:
            break
        if now == turn and mark != "#":
            said.append((mark, text if len(text) <= TALK else f"{text[:TALK]} ..."))
    return said


def text_of(data: bytes) -> str:
    """The end of what a bot wrote."""
    return data[-TAIL:].decode("utf-8", "replace")


def history(rows: Sequence[MatchRow], bots: Sequence[str], aggregate: str) -> dict[str, Any]:
    """Return the score of each bot after some of the matches: `{matches: [n], scores: {bot: [score]}}`."""
    ends = sorted({round(end) for end in np.linspace(1, len(rows), min(POINTS, len(rows)))}) if rows else []
    points = np.array([[row.scores.get(bot, np.nan) for bot in bots] for row in rows]).reshape(len(rows), len(bots))
    found = np.array([_after(points[:end], aggregate) for end in ends]).reshape(len(ends), len(bots))
    told = {bot: [None if np.isnan(score) else score for score in found[:, k].tolist()] for k, bot in enumerate(bots)}
    return {"matches": ends, "scores": told}


def _after(points: Array, aggregate: str) -> Array:
    """Return the score of each bot from its points by match (NaN: did not play); NaN without a match."""
    played = (~np.isnan(points)).sum(axis=0)
    if aggregate == "median":
        return np.array(
            [np.median(own[~np.isnan(own)]) if n else np.nan for own, n in zip(points.T, played, strict=True)]
        )
    factor = played.max(initial=0) if aggregate == "sum" else 1  # a sum is the mean times the matches
    return np.where(played > 0, np.nansum(points, axis=0) * factor / np.maximum(played, 1), np.nan)


def faults_by_kind(reasons: Iterable[tuple[str, str, str, int, int, int, int]]) -> list[dict[str, Any]]:
    """Faults as the page lists them, from `Results.fault_reasons`: an entry for each bot and kind.

    `{"bot", "kind", "count", "matches", "reasons": [{"text", "match", "turn"}], "more"}`: the reasons found in most
    matches, each with the replay's name and the turn of the first; `more` is how many others there are.
    """
    found = []
    for (bot, kind), group in groupby(reasons, key=lambda reason: reason[:2]):
        rows = sorted(group, key=lambda row: (-row[4], row[5]))
        told = [
            {"text": text, "match": match_name(match), "turn": turn}
            for _, _, text, _, _, match, turn in rows[:REASONS]
        ]
        count, matches = sum(row[3] for row in rows), sum(row[4] for row in rows)
        more = len(rows) - len(told)
        found.append({"bot": bot, "kind": kind, "count": count, "matches": matches, "reasons": told, "more": more})
    return found
