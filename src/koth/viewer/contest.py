"""The data of a contest's dashboard, finished or not."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

import numpy as np

from koth.contest.bracket import Bracket
from koth.contest.knockout import bracket_of
from koth.contest.reading import BotLog, FaultReason, MatchCounts, MatchReader, fault_counts
from koth.contest.record import stage_entry
from koth.contest.seating import seating
from koth.diagnostics.endings import endings, on_page
from koth.diagnostics.explain import conversation
from koth.diagnostics.rerun import Rerun, recorded_bot
from koth.errors import KothError, visible
from koth.game import FAULT_KINDS, Array, Game
from koth.games import load
from koth.replay.names import match_name, match_number
from koth.replay.reader import Replay
from koth.session.faults import add_ending
from koth.standings.head import HeadToHead
from koth.standings.table import Standings, standings
from koth.standings.text import unrepeatable_text
from koth.viewer.summary import last_turn

STILL = 30.0
"""Seconds without new bytes after which a match that is not over counts as abandoned."""
POINTS = 120
"""Points along the contest at which all scores are computed."""
TAIL = 20_000
"""Bytes shown of a bot's stderr in one turn."""
TALK = 200_000
"""Characters shown of a message."""
RESTS = 9
"""After standings took T seconds to compute, they are kept for RESTS * T seconds, or until the contest is over."""
QUICK = 0.2
"""Seconds of computing standings up to which they are computed after every match."""
FACING = 40
"""The most bots of a table with a row and a column for each."""
REASONS = 3
"""The most reasons that are listed of a bot's faults of one kind: the most frequent ones."""
ENDINGS = 40
"""The most matches of a bot whose ends are examined."""


class Dashboard:
    """A contest that is being watched."""

    def __init__(self, reader: MatchReader) -> None:
        self.reader = reader
        self.record = reader.plan()
        self._standing: tuple[int, dict[str, Any]] = (-1, {})
        self._table: Standings | None = None
        """The standings that `_standing` shows."""
        self._bracket: tuple[MatchCounts | None, Bracket] = (None, Bracket())
        """The knockout, with the numbers of matches that it was computed from."""
        self._heads: tuple[MatchCounts, HeadToHead] | None = None
        """Head to head over all matches, with the numbers of matches that it was computed from."""
        self._ended: dict[str, tuple[int, list[dict[str, Any]]]] = {}
        """The ends of bots' matches, with the number of matches that they were computed from."""
        self._again = 0.0
        """The moment from which on the standings may be computed again."""

    def look(self) -> dict[str, Any]:
        """Return the current state of the contest as JSON.

        Standings are computed again when matches have ended, in a tenth of the time at most: `counted` is their
        number of matches; `held` whether a process runs the contest, null if unknown; `settled` whether it ended
        before all matches were played, because its goal was reached; `knockout` is null if there is to be none.
        """
        held = self.reader.is_running()  # before counting, so that all matches of a finished contest are counted
        counts = self.reader.counts()
        begun = time.monotonic()
        if self._standing[0] != counts.done and (begun >= self._again or counts.done >= self._standing[1]["total"]):
            self._standing = (counts.done, self._reckoned(counts.planned))
            took = time.monotonic() - begun
            self._again = begun + took + (RESTS * took if took > QUICK else 0)
        total = counts.planned or self._standing[1]["total"]  # the contest may have been extended
        record = self.reader.plan()
        is_over = bool(stage_entry(record, len(record["extensions"]))["secret"])  # of the last stage
        settled = held is False and counts.done < total and is_over
        now = {"total": total, "done": counts.done, "counted": self._standing[0], "held": held, "settled": settled}
        return {**self._standing[1], **now, "knockout": self._knockout(counts), "playing": self._playing()}

    def _knockout(self, counts: MatchCounts) -> dict[str, Any] | None:
        """Return the knockout, computed again when matches have ended and the standings are up to date."""
        first = self.reader.plan().get("knockout")
        if first is None or self._table is None:
            return None
        if counts != self._bracket[0] and self._standing[0] == counts.done:
            self._bracket = counts, bracket_of(self._table, first, self.reader.knockout(), self.reader.matches())
        found = self._bracket[1].as_json()
        for duel in [duel for level in found["rounds"] for duel in level["duels"] if duel["first"] is not None]:
            duel["first"] = match_name(duel["first"])
        return found

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
        done = self.reader.counts().done
        if self._ended.get(of, (-1, []))[0] != done:
            self._ended[of] = done, on_page(*endings(self.reader, of, None, lambda path: path, most=ENDINGS))
        return self._ended[of][1]

    def _faced(self) -> HeadToHead:
        """Return head to head over all matches so far, cached until there are others."""
        counts = self.reader.counts()
        if self._heads is None or counts != self._heads[0]:
            self._heads = counts, HeadToHead.of(self.reader.scores())
        return self._heads[1]

    def _reckoned(self, planned: int | None) -> dict[str, Any]:
        reader, record, uncounted = self.reader, self.reader.plan(), self.reader.uncounted()
        rows = [row for row in reader.matches() if row.index not in uncounted]
        game = load(record["game"])
        aggregate, bots = game.contest_defaults.aggregate, len(self.bots)
        self._table = table = standings(reader.scores(), game.contest_defaults, record["games"])
        reasons = reader.fault_reasons()
        told = history([row.scores for row in rows], [line.bot for line in table.lines], aggregate)
        return {
            "game": record["game"],
            "ruleset": record["ruleset"],
            "seed": None if record["seed"] is None else str(record["seed"]),
            "started": str(record.get("started", "")),
            "total": planned or _planned(game, record, bots),
            "aggregate": aggregate,
            "bots": self.names,
            "others": [name for name in (rows[0].scores if rows else {}) if name not in self.names],
            "columns": list(table.columns.items()),
            "standings": table.as_json(fault_counts(reasons)),
            "notes": [*_cut_short(record["turns"]), *table.notes, *_unrepeatable(record), *_left_out(record)],
            "explanations": table.explanations,
            "history": {**told, "names": [match_name(rows[end - 1].index) for end in told["matches"]]},
            "faults": faults_by_kind(reasons),
            "skipped": record["skipped"],
        }

    def details(self, name: str) -> dict[str, Any] | None:
        """Return the details of a match beside its replay: faults with their texts, and bots' notes and stderr by
        turn, as far as the audience is shown them. None if no match has this name.
        """
        number = match_number(name)
        return None if number is None else details_of(self.reader, number, self.names)

    def talk(self, name: str, bot: str, turn: int) -> list[tuple[str, str]] | None:
        """Return the messages that a bot received (`<`) and sent (`>`) in a turn (from 1), and their errors
        (`!`).

        The match is played again up to there. None if there is no such match, or while it is not over, because
        authors of its bots may watch the page.
        """
        number = match_number(name)
        replay = None if number is None or bot not in self.names else self.reader.replay(number)
        if replay is None:
            return None
        again = Rerun(load(self.record["game"]), Replay(replay), bot)
        return said_in(conversation(again, recorded_bot(self.record, bot)), turn)

    @property
    def title(self) -> dict[str, Any]:
        """The contest's name, its start, and its number of matches, if that is known."""
        planned = None
        with suppress(KothError):
            planned = self.reader.counts().planned
        return {"name": self.reader.title, "started": str(self.record.get("started", "")), "matches": planned}

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
        for number, part in self.reader.playing().items():
            try:
                age = time.time() - part.lstat().st_mtime
            except FileNotFoundError:
                continue  # the match has ended meanwhile
            turn = last_turn(part)
            if turn is not None:
                found.append({"name": match_name(number), "turn": turn, "still": age > STILL})
        return found


def _planned(game: Game, record: Mapping[str, Any], bots: int) -> int:
    """Return the number of matches of a contest whose schedule was not stored yet."""
    return seating(game, bots, record["table"], record["seeds"]).matches(bots, record["games"])


def _cut_short(turns: int | None) -> list[str]:
    return [] if turns is None else [f"A trial: matches end after {turns:,} turn{'s' if turns > 1 else ''}."]


def _unrepeatable(record: Mapping[str, Any]) -> list[str]:
    return [unrepeatable_text(record["unrepeatable"])] if record["unrepeatable"] else []


def _left_out(record: Mapping[str, Any]) -> list[str]:
    names = [visible(bot["bot"]) for bot in record["skipped"]]
    return [f"Left out, because they failed before the first match: {', '.join(names)}."] if names else []


def details_of(reader: MatchReader, number: int, bots: Sequence[str]) -> dict[str, Any]:
    """Return the faults of a match, and its bots' stderr and notes: what the reader's audience is shown.

    Raises KothError.
    """
    faults = [
        {
            "bot": fault.bot, "kind": fault.kind, "count": fault.count, "turn": fault.turn,
            "text": add_ending(fault.kind, fault.text, fault.ended) or meaning_of(fault.kind),
            "stderr": text_of(fault.stderr),
        }
        for fault in reader.faults(match=number)
    ]  # fmt: skip
    return {"faults": faults, **left_in({bot: reader.logs(number, bot) for bot in bots})}


def left_in(logs: Mapping[str, BotLog]) -> dict[str, dict[str, Any]]:
    """Return what bots left for their authors in a match: `stderr` by turn, and `notes`, by bot."""
    return {
        "stderr": {
            bot: [[turn, text_of(piece)] for turn, piece in log.stderr] for bot, log in logs.items() if log.stderr
        },
        "notes": {bot: log.notes for bot, log in logs.items() if log.notes},
    }


def meaning_of(kind: str) -> str:
    """Return what a kind of fault means."""
    return FAULT_KINDS[kind].meaning if kind in FAULT_KINDS else kind


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


def history(rows: Sequence[Mapping[str, float]], bots: Sequence[str], aggregate: str) -> dict[str, Any]:
    """Return each bot's score after some of the matches, of which `rows` has the scores by bot.

    `{matches: [n], scores: {bot: [score]}}`; None: the bot had played no match.
    """
    ends = sorted({round(end) for end in np.linspace(1, len(rows), min(POINTS, len(rows)))}) if rows else []
    points = np.array([[row.get(bot, np.nan) for bot in bots] for row in rows]).reshape(len(rows), len(bots))
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


def faults_by_kind(reasons: Iterable[FaultReason]) -> list[dict[str, Any]]:
    """Return faults for the page's list: an entry for each bot and kind.

    `{"bot", "kind", "count", "matches", "reasons": [{"text", "match", "turn"}], "more"}`: the reasons found in most
    matches, each with the replay's name and the turn of the first; `more` is the number of others.
    """
    found = []
    for (bot, kind), group in groupby(reasons, key=lambda reason: (reason.bot, reason.kind)):
        rows = sorted(group, key=lambda row: (-row.matches, row.match))
        listed = [
            {
                "text": add_ending(kind, row.text, row.ended) or meaning_of(kind),
                "match": match_name(row.match),
                "turn": row.turn,
            }
            for row in rows[:REASONS]
        ]
        count, matches = sum(row.count for row in rows), sum(row.matches for row in rows)
        more = len(rows) - len(listed)
        found.append({"bot": bot, "kind": kind, "count": count, "matches": matches, "reasons": listed, "more": more})
    return found
