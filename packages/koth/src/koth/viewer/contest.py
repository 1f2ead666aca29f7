"""The data of a contest's dashboard, finished or not."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby

import numpy as np

from koth.contest.bracket import Bracket
from koth.contest.knockout import bracket_of
from koth.contest.reading import BotLog, FaultReason, MatchCounts, MatchReader, count_faults
from koth.contest.record import RunRecord, stages_of
from koth.contest.seating import seating
from koth.diagnostics.endings import Ending, find_endings, group_endings, survival_text
from koth.diagnostics.explain import conversation
from koth.diagnostics.rerun import Rerun, find_recorded_bot
from koth.errors import KothError, visible
from koth.game import FAULT_KINDS, Array, Game
from koth.games import load
from koth.replay.names import match_name, match_number
from koth.replay.reader import Replay
from koth.session.faults import add_ending
from koth.standings.head import HeadToHead
from koth.standings.table import Standings, standings
from koth.standings.text import unrepeatable_text
from koth.viewer.page_data import (
    ContestTitle,
    CountedMatches,
    FaultExample,
    FaultsOfKind,
    Knockout,
    MatchDetails,
    MatchEnding,
    MatchFault,
    PlayingMatch,
    RunState,
    ScoreHistory,
)
from koth.viewer.summary import last_turn

STILL_SECONDS = 30.0
"""Seconds without new bytes after which an unfinished match counts as abandoned."""
HISTORY_POINTS = 120
"""The largest number of points of a score history."""
STDERR_BYTES = 20_000
"""The largest number of shown bytes of a bot's stderr in one turn."""
LONGEST_MESSAGE = 200_000
"""The largest number of shown characters of a message."""
REST_FACTOR = 9
"""Standings that took T seconds of CPU time are reused for `REST_FACTOR` * T seconds, or until the contest ends."""
QUICK_SECONDS = 0.2
"""The CPU time in seconds up to which standings are computed after every match."""
MOST_FACING = 40
"""The largest number of bots for which a head-to-head table is shown."""
MOST_REASONS = 3
"""The largest number of listed reasons for a bot's faults of one kind."""
MOST_ENDINGS = 40
"""The largest number of a bot's matches whose ends are examined."""


class Dashboard:
    """A contest being watched."""

    def __init__(self, reader: MatchReader) -> None:
        self.reader = reader
        self.record = reader.plan()
        self._counted: tuple[int, CountedMatches | None] = (-1, None)
        """The number of matches in the standings, and the standings' data."""
        self._table: Standings | None = None
        """The standings in `_counted`."""
        self._bracket: tuple[MatchCounts | None, Bracket] = (None, Bracket())
        """The numbers of matches in the knockout, and the knockout."""
        self._heads: tuple[MatchCounts, HeadToHead] | None = None
        """The numbers of matches in the head to head, and the head to head."""
        self._ended: dict[str, tuple[int, list[MatchEnding]]] = {}
        """By bot: the contest's number of finished matches, and the ends of the bot's matches."""
        self._again = 0.0
        """The earliest time to compute the standings again."""

    def look(self) -> RunState:
        """Return the current state of the contest.

        Standings are computed again after matches, in at most a tenth of the time.
        """
        held = self.reader.is_running()  # before counting, so that all matches of a finished contest are counted
        counts = self.reader.counts()
        now = time.monotonic()
        counted, known = self._counted
        if known is None or (counted != counts.done and (now >= self._again or counts.done >= known["total"])):
            is_first, begun = known is None, time.thread_time()
            counted, known = self._counted = counts.done, self._compute(counts.planned)
            took = 0.0 if is_first else time.thread_time() - begun  # the first time loads code, too
            self._again = time.monotonic() + (REST_FACTOR * took if took > QUICK_SECONDS else 0)
        total = counts.planned or known["total"]  # the contest may have been extended
        settled = held is False and counts.done < total and bool(stages_of(self.reader.plan())[-1]["secret"])
        return {
            **known,
            "total": total,
            "done": counts.done,
            "counted": counted,
            "held": held,
            "settled": settled,
            "knockout": self._read_knockout(counts),
            "playing": self._read_playing(),
            "about": None,
        }

    def _read_knockout(self, counts: MatchCounts) -> Knockout | None:
        """Return the knockout; compute it again after matches if the standings are up to date."""
        record = self.reader.plan()
        first, commitment = record["knockout"], stages_of(record)[-1]["commitment"]
        if first is None or self._table is None:
            return None
        if counts != self._bracket[0] and self._counted[0] == counts.done:
            drawn, rows = self.reader.knockout(), self.reader.matches()
            self._bracket = counts, bracket_of(self._table, first, commitment, drawn, rows)
        found = self._bracket[1].as_json()
        for duel in [duel for level in found["rounds"] for duel in level["duels"] if duel["first"] is not None]:
            duel["first"] = match_name(duel["first"])
        return Knockout(rounds=found["rounds"], winner=found["winner"])

    @property
    def bracket(self) -> Bracket:
        """The knockout at the last look; without rounds before its first match is drawn."""
        return self._bracket[1]

    def versus(self, of: str | None = None) -> dict[str, dict[str, list[int]]]:
        """Return the numbers of matches that each bot ended ahead of, tied with, and behind each other bot.

        `{bot: {other: [ahead, ties, behind]}}`; only for the bot `of`, or for all bots if at most `MOST_FACING`.
        """
        heads = self._read_heads()
        bots = [bot for bot in self.names if bot in heads.names]
        if of is not None:
            return heads.as_json(bots, [bot for bot in bots if bot == of])
        return heads.as_json(bots) if len(bots) <= MOST_FACING else {}

    def endings(self, of: str) -> list[MatchEnding]:
        """Return the ends of a bot's first matches with frames; cached until further matches are finished."""
        if of not in self.names:
            return []
        done = self.reader.counts().done
        if self._ended.get(of, (-1, []))[0] != done:
            self._ended[of] = (
                done,
                describe_endings(*find_endings(self.reader, of, None, lambda path: path, most=MOST_ENDINGS)),
            )
        return self._ended[of][1]

    def _read_heads(self) -> HeadToHead:
        counts = self.reader.counts()
        if self._heads is None or counts != self._heads[0]:
            self._heads = counts, HeadToHead.of(self.reader.scores())
        return self._heads[1]

    def _compute(self, planned: int | None) -> CountedMatches:
        reader, record, uncounted = self.reader, self.reader.plan(), self.reader.uncounted_matches()
        rows = [row for row in reader.matches() if row.number not in uncounted]
        game = load(record["game"])
        table = standings(reader.scores(), game.contest_defaults, record["matches"])
        self._table = table
        reasons = reader.fault_reasons()
        bots = [line.bot for line in table.lines]
        scores = history([row.scores for row in rows], bots, game.contest_defaults.aggregate)
        return {
            "game": record["game"],
            "ruleset": record["ruleset"],
            "started": record["started"],
            "total": planned or _count_planned(game, record),
            "bots": self.names,
            "others": [name for name in (rows[0].scores if rows else {}) if name not in self.names],
            "columns": list(table.columns.items()),
            "standings": table.as_json(count_faults(reasons)),
            "notes": _notes(record, table),
            "explanations": table.explanations,
            "history": {**scores, "names": [match_name(rows[end - 1].number) for end in scores["matches"]]},
            "faults": faults_by_kind(reasons),
        }

    def details(self, name: str) -> MatchDetails | None:
        """Return a match's details, which its replay lacks; None for an unknown name.

        Details are faults with texts, and bots' notes and stderr by turn, as far as the audience may see them.
        """
        number = match_number(name)
        return None if number is None else details_of(self.reader, number, self.names)

    def talk(self, name: str, bot: str, turn: int) -> list[tuple[str, str]] | None:
        """Return a bot's messages in a turn (from 1): received (`<`), sent (`>`), and errors (`!`).

        The match is played again up to that turn. None for an unknown or unfinished match: authors of the match's
        bots may watch the page.
        """
        number = match_number(name)
        replay = None if number is None or bot not in self.names else self.reader.replay(number)
        if replay is None:
            return None
        again = Rerun(load(self.record["game"]), Replay(replay), bot)
        return find_messages(conversation(again, find_recorded_bot(self.record, bot)), turn)

    @property
    def title(self) -> ContestTitle:
        planned = None
        with suppress(KothError):
            planned = self.reader.counts().planned
        return {"name": self.reader.title, "started": self.record["started"], "matches": planned}

    @property
    def names(self) -> list[str]:
        """Return the names of the contest's bots, in the contest's order."""
        return [bot["name"] for bot in self.record["bots"]]

    def _read_playing(self) -> list[PlayingMatch]:
        found: list[PlayingMatch] = []
        for number, part in self.reader.playing().items():
            try:
                age = time.time() - part.lstat().st_mtime
            except FileNotFoundError:
                continue  # the match has ended meanwhile
            turn = last_turn(part)
            if turn is not None:
                found.append({"name": match_name(number), "turn": turn, "still": age > STILL_SECONDS})
        return found


def _count_planned(game: Game, record: RunRecord) -> int:
    """Return the planned number of matches of a contest without a stored schedule."""
    bots = len(record["bots"])
    return seating(game, bots, record["seats"], record["seeds"]).matches(bots, record["matches"])


def _notes(record: RunRecord, table: Standings) -> list[str]:
    notes, turns = [*table.notes], record["max_turns"]
    if turns is not None:
        notes.insert(0, f"A trial: matches end after {turns:,} turn{'s' if turns > 1 else ''}.")
    if record["unrepeatable"]:
        notes.append(unrepeatable_text(record["unrepeatable"]))
    if names := [visible(bot["bot"]) for bot in record["skipped"]]:
        notes.append(f"Left out, because they failed before the first match: {', '.join(names)}.")
    return notes


def details_of(reader: MatchReader, number: int, bots: Sequence[str]) -> MatchDetails:
    """Return a match's faults, and the bots' stderr and notes, as far as the reader's audience may see them.

    Raises KothError.
    """
    faults = [
        MatchFault(
            bot=fault.bot, kind=fault.kind, count=fault.count, turn=fault.turn,
            text=add_ending(fault.kind, fault.text, fault.ended) or meaning_of(fault.kind),
            stderr=decode_stderr(fault.stderr),
        )
        for fault in reader.faults(match=number)
    ]  # fmt: skip
    return make_details(faults, {bot: reader.logs(number, bot) for bot in bots})


def make_details(faults: Sequence[MatchFault], logs: Mapping[str, BotLog]) -> MatchDetails:
    """Return a match's faults, and stderr and notes by bot, as `MatchDetails`."""
    return {
        "faults": list(faults),
        "stderr": {
            bot: [[turn, decode_stderr(piece)] for turn, piece in log.stderr]
            for bot, log in logs.items()
            if log.stderr
        },
        "notes": {bot: list(log.notes) for bot, log in logs.items() if log.notes},
    }


def describe_endings(found: Sequence[Ending], played: int) -> list[MatchEnding]:
    """Return how a bot's matches ended: entries with a sentence and, if possible, a match and turn to watch.

    If not all the bot's matches were examined, the last entry says so.
    """
    lines = [
        MatchEnding(text=group.sentence(), match=match_name(group.first.match), turn=group.turn)
        for group in group_endings(found)
    ]
    seen = f"seen in {len(found):,} of its {played:,} matches" if 0 < len(found) < played else ""
    return lines + [MatchEnding(text=line) for line in (survival_text(found), seen) if line]


def meaning_of(kind: str) -> str:
    """Return the meaning of a kind of fault."""
    return FAULT_KINDS[kind].meaning if kind in FAULT_KINDS else kind


def find_messages(talk: Iterable[tuple[int, str, str]], turn: int) -> list[tuple[str, str]]:
    """Return the messages of a conversation in a turn (from 1)."""
    said: list[tuple[str, str]] = []
    for now, mark, text in talk:
        if now > turn:
            break
        if now == turn and mark != "#":
            said.append((mark, text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]} ..."))
    return said


def decode_stderr(data: bytes) -> str:
    """Return the end of a bot's stderr as text."""
    return data[-STDERR_BYTES:].decode("utf-8", "replace")


def history(rows: Sequence[Mapping[str, float]], bots: Sequence[str], aggregate: str) -> ScoreHistory:
    """Return each bot's score after growing numbers of matches; `rows` are the matches' scores by bot."""
    ends = sorted({round(end) for end in np.linspace(1, len(rows), min(HISTORY_POINTS, len(rows)))}) if rows else []
    points = np.array([[row.get(bot, np.nan) for bot in bots] for row in rows]).reshape(len(rows), len(bots))
    found = np.array([_compute_scores(points[:end], aggregate) for end in ends]).reshape(len(ends), len(bots))
    scores = {bot: [None if np.isnan(one) else one for one in found[:, k].tolist()] for k, bot in enumerate(bots)}
    return {"matches": ends, "scores": scores}


def _compute_scores(points: Array, aggregate: str) -> Array:
    played = (~np.isnan(points)).sum(axis=0)
    if aggregate == "median":
        return np.array(
            [np.median(own[~np.isnan(own)]) if n else np.nan for own, n in zip(points.T, played, strict=True)]
        )
    factor = played.max(initial=0) if aggregate == "sum" else 1  # a sum is the mean times the matches
    return np.where(played > 0, np.nansum(points, axis=0) * factor / np.maximum(played, 1), np.nan)


def faults_by_kind(reasons: Iterable[FaultReason]) -> list[FaultsOfKind]:
    """Return faults for the page's list, with an entry for each bot and kind."""
    found: list[FaultsOfKind] = []
    for (bot, kind), group in groupby(reasons, key=lambda reason: (reason.bot, reason.kind)):
        rows = sorted(group, key=lambda row: (-row.matches, row.match))
        listed = [
            FaultExample(
                text=add_ending(kind, row.text, row.ended) or meaning_of(kind),
                match=match_name(row.match),
                turn=row.turn,
            )
            for row in rows[:MOST_REASONS]
        ]
        count, matches = sum(row.count for row in rows), sum(row.matches for row in rows)
        more = len(rows) - len(listed)
        found.append({"bot": bot, "kind": kind, "count": count, "matches": matches, "reasons": listed, "more": more})
    return found
