"""The data of a run's dashboard, finished or not, read from the run's folder alone."""

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
from koth.contest.seating import seating
from koth.contest.store import Store
from koth.diagnostics.endings import endings, on_page
from koth.diagnostics.explain import conversation
from koth.diagnostics.rerun import Rerun, recorded_bot
from koth.errors import KothError
from koth.game import Array
from koth.games import load
from koth.replay.names import REPLAYS, SUFFIX, match_name
from koth.replay.reader import Replay
from koth.session.faults import with_ending
from koth.standings.head import HeadToHead
from koth.standings.table import standings
from koth.standings.text import unrepeatable_text
from koth.viewer.summary import PART, last_turn

STILL = 30.0
"""Seconds without new bytes after which a match that is not over counts as abandoned."""
POINTS = 120
"""Points along the contest at which all scores are computed."""
TAIL = 20_000
"""Bytes shown of a bot's stderr in one turn."""
TALK = 200_000
"""Characters shown of a message."""
RESTS = 9
"""The factor of the time that computing standings took, for which they are not computed again until the contest is
over.
"""
QUICK = 0.2
"""Seconds of computing standings up to which they are computed after every match."""
FACING = 40
"""The most bots of a table with a row and a column for each."""
REASONS = 3
"""The most reasons that are listed of a bot's faults of one kind: the most frequent ones."""
ENDINGS = 40
"""The most matches of a bot whose ends are examined."""


class Run:
    """A run's folder that is being watched. Raises KothError when it is none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = read_run(folder)
        self._standing: tuple[int, dict[str, Any]] = (-1, {})
        self._heads: tuple[tuple[int, int], HeadToHead] | None = None
        """Head to head over all matches, with the numbers of matches that it was computed from."""
        self._ended: dict[str, tuple[int, list[dict[str, Any]]]] = {}
        """The ends of bots' matches, with the number of matches that they were computed from."""
        self._again = 0.0
        """The moment from which on the standings may be computed again."""

    def look(self) -> dict[str, Any]:
        """Return the current state of the run as JSON.

        Standings are computed again when matches have ended, in a tenth of the time at most: `counted` is their
        number of matches; `held` whether a process runs the contest, null if unknown; `settled` whether it ended
        before all matches were played, because its goal was reached.
        """
        held = is_held(self.folder)  # before counting, so that all matches of a finished contest are counted
        with closing(Store(self.folder, read_only=True)) as store:
            done = len(store) - len(store.uncounted())
            begun = time.monotonic()
            if self._standing[0] != done and (begun >= self._again or done >= self._standing[1]["total"]):
                self._standing = (done, self._reckoned(store))
                took = time.monotonic() - begun
                self._again = begun + took + (RESTS * took if took > QUICK else 0)
            total = store.planned() or self._standing[1]["total"]  # the contest may have been extended
        record = read_run(self.folder)
        is_over = bool(stage_entry(record, len(record["extensions"]))["secret"])  # of the last stage
        settled = held is False and done < total and is_over
        now = {"total": total, "done": done, "counted": self._standing[0], "held": held, "settled": settled}
        return {**self._standing[1], **now, "playing": self._playing()}

    def versus(self, of: str | None = None) -> dict[str, dict[str, list[int]]]:
        """Return the numbers of matches in which a bot ended ahead of each other, tied with it, and behind.

        `{bot: {other: [ahead, ties, behind]}}`; without `of`, of all bots, if they fit into a table.
        """
        heads = self._faced()
        bots = [bot for bot in self.names if bot in heads.names]
        if of is not None:
            return heads.as_json(bots, [bot for bot in bots if bot == of])
        return heads.as_json(bots) if len(bots) <= FACING else {}

    def endings(self, of: str) -> list[dict[str, Any]]:
        """Return the ends of a bot's first matches, as far as their replays have frames; cached until there are more
        matches.
        """
        if of not in self.names:
            return []
        with closing(Store(self.folder, read_only=True)) as store:
            played = len(store) - len(store.uncounted())
        if self._ended.get(of, (-1, []))[0] != played:
            self._ended[of] = played, on_page(*endings(self.folder, of, None, lambda path: path, most=ENDINGS))
        return self._ended[of][1]

    def _faced(self) -> HeadToHead:
        """Return head to head over all matches so far, cached until there are others."""
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

    def details(self, name: str) -> dict[str, Any] | None:
        """Return the details of a match beside its replay: faults with their texts, and bots' notes and stderr by
        turn.

        None if no match has this name.
        """
        number = number_of(name)
        if number is None:
            return None
        return {"faults": self._faults_of(number), **left_by(self.folder, number, [bot["name"] for bot in self.bots])}

    def public_faults(self, name: str) -> list[dict[str, Any]]:
        """Return the faults of a match with their texts, without bots' stderr."""
        number = number_of(name)
        return [] if number is None else [{**fault, "stderr": ""} for fault in self._faults_of(number)]

    def _faults_of(self, number: int) -> list[dict[str, Any]]:
        with closing(Store(self.folder, read_only=True)) as store:
            return [
                {
                    "bot": bot, "kind": kind, "count": count, "turn": turn, "text": with_ending(kind, text, ended),
                    "stderr": text_of(stderr),
                }
                for bot, kind, count, turn, text, ended, stderr in store.faults_of(number)
            ]  # fmt: skip

    def talk(self, name: str, bot: str, turn: int) -> list[tuple[str, str]] | None:
        """Return the messages that a bot received (`<`) and sent (`>`) in a turn (from 1), and their errors
        (`!`).

        The match is played again up to there. None if there is no such match, or while it is not over, because
        authors of its bots may watch the page.
        """
        number = number_of(name)
        with closing(Store(self.folder, read_only=True)) as store:
            row = None if number is None else store.match(number)
        if row is None or not row.replay or bot not in self.names:
            return None
        again = Rerun(load(self.record["game"]), Replay(self.folder / row.replay), bot)
        return said_in(conversation(again, recorded_bot(self.record, bot)), turn)

    @property
    def title(self) -> dict[str, Any]:
        """The contest's name, its start, and its number of matches, if that is known."""
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
        """Return the matches that are being played, with their current turns."""
        found = []
        for part in sorted((self.folder / REPLAYS).glob(f"*{SUFFIX}{PART}")):
            try:
                age = time.time() - part.lstat().st_mtime
            except FileNotFoundError:
                continue  # the match has ended meanwhile
            turn = last_turn(part)
            if turn is not None:
                name = part.name.removesuffix(PART).removesuffix(SUFFIX)
                found.append({"name": name, "turn": turn, "still": age > STILL})
        return found


def number_of(name: str) -> int | None:
    """Return the number of the match whose replay has this name; None for any other name."""
    number = name.removeprefix("match-")
    if not (number.isascii() and number.isdigit() and len(number) < 19 and name == match_name(int(number))):
        return None
    return int(number)


def _cut_short(turns: int | None) -> list[str]:
    return [] if turns is None else [f"A trial: matches end after {turns:,} turn{'s' if turns > 1 else ''}."]


def _unrepeatable(record: Mapping[str, Any]) -> list[str]:
    return [unrepeatable_text(record["unrepeatable"])] if record["unrepeatable"] else []


def left_by(folder: Path, number: int, bots: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return bots' stderr and notes in a match of the run in `folder`: `stderr` by turn, and `notes`. Raises
    KothError.
    """
    stderr = {bot: written(folder, number, bot) for bot in bots}
    return {
        "stderr": {bot: [[turn, text_of(piece)] for turn, piece in said] for bot, said in stderr.items() if said},
        "notes": notes_of(folder, number, bots),
    }


def notes_of(folder: Path, number: int, bots: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return bots' notes and drawings in a match of the run in `folder`, for bots that have any. Raises KothError."""
    return {bot: lines for bot in bots if (lines := noted(folder, number, bot))}


def said_in(talk: Iterable[tuple[int, str, str]], turn: int) -> list[tuple[str, str]]:
    """Return the messages of a conversation in a turn (from 1)."""
    said: list[tuple[str, str]] = []
    for now, mark, text in talk:
        if now > turn:
            break
        if now == turn and mark != "#":
            said.append((mark, text if len(text) <= TALK else f"{text[:TALK]} ..."))
    return said


def text_of(data: bytes) -> str:
    """Return the end of a bot's stderr as text."""
    return data[-TAIL:].decode("utf-8", "replace")


def history(rows: Sequence[MatchRow], bots: Sequence[str], aggregate: str) -> dict[str, Any]:
    """Return each bot's score after some of the matches: `{matches: [n], scores: {bot: [score]}}`."""
    ends = sorted({round(end) for end in np.linspace(1, len(rows), min(POINTS, len(rows)))}) if rows else []
    points = np.array([[row.scores.get(bot, np.nan) for bot in bots] for row in rows]).reshape(len(rows), len(bots))
    found = np.array([_after(points[:end], aggregate) for end in ends]).reshape(len(ends), len(bots))
    scores = {bot: [None if np.isnan(one) else one for one in found[:, k].tolist()] for k, bot in enumerate(bots)}
    return {"matches": ends, "scores": scores}


def _after(points: Array, aggregate: str) -> Array:
    """Return the score of each bot from its points by match (NaN: did not play); NaN without a match."""
    played = (~np.isnan(points)).sum(axis=0)
    if aggregate == "median":
        return np.array(
            [np.median(own[~np.isnan(own)]) if n else np.nan for own, n in zip(points.T, played, strict=True)]
        )
    factor = played.max(initial=0) if aggregate == "sum" else 1  # a sum is the mean times the matches
    return np.where(played > 0, np.nansum(points, axis=0) * factor / np.maximum(played, 1), np.nan)


def faults_by_kind(reasons: Iterable[tuple[str, str, str, str, int, int, int, int]]) -> list[dict[str, Any]]:
    """Return faults for the page's list, from `Results.fault_reasons`: an entry for each bot and kind.

    `{"bot", "kind", "count", "matches", "reasons": [{"text", "match", "turn"}], "more"}`: the reasons found in most
    matches, each with the replay's name and the turn of the first; `more` is the number of others.
    """
    found = []
    for (bot, kind), group in groupby(reasons, key=lambda reason: reason[:2]):
        rows = sorted(group, key=lambda row: (-row[5], row[6]))
        listed = [
            {"text": with_ending(kind, text, ended), "match": match_name(match), "turn": turn}
            for _, _, text, ended, _, _, match, turn in rows[:REASONS]
        ]
        count, matches = sum(row[4] for row in rows), sum(row[5] for row in rows)
        more = len(rows) - len(listed)
        found.append({"bot": bot, "kind": kind, "count": count, "matches": matches, "reasons": listed, "more": more})
    return found
