"""A recorded match played again from the view of one bot: the bot's questions and answers.

A replay contains no messages, but the key and all answers, from which the rules produce every question again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from koth.contest.record import RunRecord, read_record
from koth.contest.run_reader import RunReader
from koth.engine.batch import Batch
from koth.engine.secret import Key
from koth.engine.settings import read_settings
from koth.errors import KothError, choices
from koth.game import FAULTS, Answers, Array, Game, Observations, State, TimeControl
from koth.protocol.bot_protocol import BotProtocol
from koth.protocol.by_name import open_protocol, protocol_names
from koth.replay.reader import Replay, ReplayError, run_folder_of
from koth.replay.verify import make_batch, read_answers
from koth.session.seats import Seating


@dataclass(frozen=True)
class RecordedExchange:
    """One question to one bot and the recorded answer; the arrays are valid until the next one is requested.

    `turn` counts from 1; `number` counts this bot's questions from 1. `gone` is True if the bot was dead after the
    question.
    """

    turn: int
    number: int
    observations: Observations
    fields: Mapping[str, Array]
    fault: Array
    gone: bool
    state: State

    @property
    def faults(self) -> dict[str, int]:
        """The number of rows with a fault, by kind."""
        codes, counts = np.unique(self.fault[self.fault > 0], return_counts=True)
        return {FAULTS[code]: count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)}


@dataclass(frozen=True)
class RecordedBot:
    """A bot's recorded data: protocol, the protocol's options, source and language."""

    protocol: str = "json"
    options: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None
    language: str = ""


class Rerun:
    """The match of a replay, played again from the view of one bot.

    Raises KothError if the replay can't be played again or lacks the bot.
    """

    def __init__(self, game: Game, replay: Replay, bot: str) -> None:
        header = replay.header
        self.game = game
        self.replay = replay
        self.names = [entry["name"] for entry in header["bots"]]
        if bot not in self.names:
            raise KothError(f"{replay.path}: no bot {bot!r} played in this match{choices(bot, self.names)}")
        self.seat = self.names.index(bot)
        self.digest: str = header["bots"][self.seat].get("hash", "")
        self.settings = read_settings(game, header)
        run = read_run_of(replay.path)
        self.time_control = TimeControl(**run["time_control"]) if run else game.time_control
        self.batch, self.key = make_batch(game, replay, self.settings, find_key(replay))
        self.match_info = self._match_info()

    def _match_info(self) -> dict[str, Any]:
        header = self.replay.header
        seed = self.key.bot(header["match"], self.seat)
        seating = Seating(self.batch, self.names, self.time_control, header["ruleset"])
        return seating.match_info(self.seat, seed)

    def open_protocol(self, recorded: RecordedBot) -> BotProtocol:
        """Return a new protocol object with the recorded options."""
        protocol = recorded.protocol
        if protocol not in (valid := protocol_names(self.game)):
            raise KothError(f"{self.game.name} has no protocol {protocol!r}{choices(protocol, valid)}")
        return open_protocol(self.game, protocol, self.settings, len(self.names), recorded.options)

    def exchanges(self) -> Iterator[RecordedExchange]:
        """Yield every question to the bot, in order, until the bot was out.

        Raises ReplayError if the replay contradicts the rules.
        """
        self.batch, _ = make_batch(self.game, self.replay, self.settings, self.key)
        number, last = 0, self.count_questions()
        gone = False
        if not last:
            return
        for _, answers in repeat_questions(self.batch, self.replay):
            exchange = None if gone else self._exchange(answers, number + 1)
            gone = bool(answers.gone[0, self.seat])
            if exchange is not None:
                number += 1
                yield exchange
            if gone or (number == last and not self.batch.can_ask(self.seat)):
                return

    def last_scores(self, protocol: BotProtocol) -> list[float]:
        """Return the scores in the bot's last message, after all its exchanges."""
        result = None if protocol.bye_when_out else self.replay.result
        return self.batch.scores() if result is None else list(result["scores"].values())[: len(self.names)]

    def count_questions(self) -> int:
        """Return the number of the bot's questions in the replay."""
        records = (record for turn in self.replay.turns(frames=False) for record in turn.questions)
        with self.replay.reading("who was asked"):
            return sum(any(seat == self.seat for seat, _ in record["who"]) for record in records)

    def _exchange(self, answers: Answers, number: int) -> RecordedExchange | None:
        """Return the bot's part of the current question; None if the bot is not asked."""
        observations = self.batch.observations
        assert observations is not None
        own = np.flatnonzero(observations.seat == self.seat)
        if not own.size:
            return None
        start, stop = int(own[0]), int(own[-1]) + 1
        fields = {name: values[start:stop] for name, values in answers.fields.items()}
        return RecordedExchange(
            self.batch.turn + 1,
            number,
            observations.rows(start, stop),
            fields,
            answers.fault[start:stop],
            bool(answers.gone[0, self.seat]),
            self.batch.state,
        )


def repeat_questions(batch: Batch, replay: Replay) -> Iterator[tuple[Observations, Answers]]:
    """Yield each question of a recorded match with the recorded answers; `batch` is new, and plays the match again.

    The arrays are valid until the next question. Raises ReplayError if the replay contradicts the rules.
    """
    for turn in replay.turns(frames=False):
        for record in turn.questions:
            answers = read_answers(batch, record)
            if isinstance(answers, str):
                raise ReplayError(f"{replay.path}: turn {turn.turn}: {answers}")
            assert batch.observations is not None
            yield batch.observations, answers
            batch.answer(answers)


def read_run_of(replay: Path) -> RunRecord | None:
    """Return the record of the run that contains a replay; None without a run."""
    folder = run_folder_of(replay)
    return None if folder is None else read_record(folder)


def find_key(replay: Replay) -> Key | None:
    """Return a replay's key, or derive the key from the run's secret if the run has not revealed the key yet.

    Return None if the key is unknown. Raises KothError if the run's record can't be read.
    """
    folder = None if replay.key else run_folder_of(replay.path)
    return replay.key if folder is None else RunReader(folder).key(replay.header["match"])


def find_recorded_bot(run: RunRecord | None, bot: str) -> RecordedBot:
    """Return a bot's recorded data; JSON lines if nothing is recorded."""
    for entry in run["bots"] if run else ():
        if entry["name"] == bot:
            path = None if entry["path"] is None else Path(entry["path"])
            return RecordedBot(entry["protocol"], entry["options"], path, entry["language"])
    return RecordedBot()
