"""Habits of a bot over many questions that the author probably does not intend, with remedies.

Examples are answers that never change, and habits that the game detects (`author.Habits`), such as swapped rows and
columns. A habit is not a fault: it may be intended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from koth.contest.reading import MatchReader, find_matches
from koth.diagnostics.rerun import RecordedBot, find_key, find_recorded_bot, repeat_questions
from koth.engine.settings import read_settings
from koth.errors import KothError
from koth.game import Array, Game, Observations
from koth.games import find_module, load
from koth.protocol.encoded_rows import encode_values
from koth.question import are_legal
from koth.replay.reader import Replay
from koth.replay.verify import make_batch

LEAST_ANSWERS = 20
"""The least number of equal answers for a remark."""
MOST_TURNS = 200
"""The largest number of a match's turns to examine."""
MOST_MATCHES = 4
"""The largest number of a bot's matches to examine."""


class Watch:
    """An observer of one bot over several matches (see `watch`)."""

    def __init__(self, game: Game, settings: Any, recorded: RecordedBot) -> None:
        self._answers: dict[str, tuple[Mapping[str, Any], int] | None] = {}
        """By question: the answer that all units always gave, and how often; None if answers differed."""
        self._asked, self._illegal, self._rules = 0, 0, ""
        """If the game declares legal answers: the numbers of answers and of illegal answers, and the rules."""
        author = find_module(game, "author")
        kind = getattr(author, "Habits", None)
        self._habits = None if kind is None else kind(settings, recorded.protocol, recorded.options)

    def take(
        self, observations: Observations, fields: Mapping[str, Array], fault: Array, match_info: Mapping[str, Any]
    ) -> None:
        """Add a question and the answer; ignore answers with a fault."""
        if fault.any():
            return
        if self._habits is not None:
            self._habits.take(observations, fields, match_info)
        rules = [spec.rule for spec in observations.question.answer.values() if spec.legal]
        if rules:
            illegal = int((~are_legal(observations, fields)).sum())
            self._asked, self._illegal = self._asked + len(observations), self._illegal + illegal
            self._rules = "; ".join(dict.fromkeys(rules))
        name = observations.question.name
        before = self._answers.get(name, ({}, 0))
        if before is None:
            return
        alike = all((values == values[0]).all() for values in fields.values())
        question = observations.question
        words = {
            key: encode_values(spec, question.answer_rows(fields, key)[0])
            for key, spec in question.sent_fields.items()
        }
        same = alike and (before[1] == 0 or before[0] == words)
        self._answers[name] = (words, before[1] + 1) if same else None

    def remarks(self) -> list[str]:
        """Return remarks on the bot's behaviour."""
        found: list[str] = self._habits.remarks() if self._habits is not None else []
        return self._illegal_actions() + self._always_the_same() + found

    def _illegal_actions(self) -> list[str]:
        if not self._illegal:
            return []
        return [f"it answered an illegal action {self._illegal} of {self._asked} times ({self._rules})"]

    def _always_the_same(self) -> list[str]:
        counts = [item for item in self._answers.values() if item is not None]
        total = sum(count for _, count in counts)
        if len(counts) < len(self._answers) or total < LEAST_ANSWERS:
            return []
        firsts = (next(iter(words.items())) for words, _ in counts)
        said = ", ".join(f"{name}: {value!s:.100}" for name, value in firsts)
        return [
            f"all its {total} answers were the same ({said}), whatever it was asked: "
            "if that is not meant, see whether it reads its questions"
        ]


def watch(game: Game, replay: Replay, watches: Mapping[str, Watch]) -> None:
    """Feed a recorded match's first turns to the bots' watches. Raises KothError."""
    batch, _ = make_batch(game, replay, read_settings(game, replay.header), find_key(replay))
    names = [entry["name"] for entry in replay.header["bots"]]
    match_info = game.match_info(batch.settings, batch.state, 0, 0)  # not the header's: anybody may have written that
    gone: set[int] = set()
    for observations, answers in repeat_questions(batch, replay):
        if batch.turn >= MOST_TURNS:
            return
        gone.update(np.flatnonzero(answers.gone[0]).tolist())
        for seat, (start, stop) in observations.row_ranges(0).items():
            if names[seat] in watches and seat not in gone:
                fields = {name: values[start:stop] for name, values in answers.fields.items()}
                with replay.reading("what a bot was asked or answered"):
                    watches[names[seat]].take(
                        observations.rows(start, stop), fields, answers.fault[start:stop], match_info
                    )


def find_remarks(reader: MatchReader, bot: str | None = None, match: int | None = None) -> dict[str, list[str]]:
    """Return remarks by bot, for all bots of a contest or one, in all matches that count or one.

    Bots without remarks are left out. Only each bot's first matches with a replay are examined. Raises KothError.
    """
    run = reader.plan()
    game = load(run["game"])
    settings = read_settings(game, run)
    names = [entry["name"] for entry in run["bots"] if bot in (None, entry["name"])]
    watches = {name: Watch(game, settings, find_recorded_bot(run, name)) for name in names}
    seen: Counter[str] = Counter()
    for row in find_matches(reader, match):
        if not row.replay:
            continue
        new = {name: watches[name] for name in watches if name in row.scores and seen[name] < MOST_MATCHES}
        if new and (path := reader.replay(row.number)) is not None:
            seen.update([*new])
            try:
                watch(game, Replay(path), new)
            except KothError:
                continue  # `koth verify` says what is wrong with it
    found = {name: watches[name].remarks() for name in names}
    return {name: remarks for name, remarks in found.items() if remarks}
