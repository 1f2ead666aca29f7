"""A recorded match played again from the view of one of its bots: its questions and its answers.

A replay does not contain messages, but key and answers; from these the rules produce every question again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from koth.contest.record import read_record
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
class AskedMoment:
    """One question to one bot and the recorded answer; the arrays are valid until the next moment is requested.

    `turn` counts from 1, `number` this bot's questions from 1. `gone` says that the bot was dead after it, and so was
    not asked if it had been dead before.
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
        """The number of rows by kind of fault."""
        codes, counts = np.unique(self.fault[self.fault > 0], return_counts=True)
        return {FAULTS[code]: count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)}


@dataclass(frozen=True)
class RecordedBot:
    """The recorded data of a bot: its protocol, the protocol's options, its source and its language."""

    protocol: str = "json"
    options: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None
    language: str = ""


class Rerun:
    """The match of a replay, played again from the view of one bot.

    Raises KothError if the replay can't be played again or has no bot of this name.
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
        """Return a new protocol object like the one that the bot had."""
        protocol = recorded.protocol
        if protocol not in (valid := protocol_names(self.game)):
            raise KothError(f"{self.game.name} has no protocol {protocol!r}{choices(protocol, valid)}")
        return open_protocol(self.game, protocol, self.settings, len(self.names), recorded.options)

    def moments(self) -> Iterator[AskedMoment]:
        """Yield every question to this bot, in order, until it was out.

        Raises ReplayError if the replay and the rules do not agree.
        """
        self.batch, _ = make_batch(self.game, self.replay, self.settings, self.key)
        number, last = 0, self.questions()
        gone = False
        if not last:
            return
        for _, answers in repeat_questions(self.batch, self.replay):
            moment = None if gone else self._moment(answers, number + 1)
            gone = bool(answers.gone[0, self.seat])
            if moment is not None:
                number += 1
                yield moment
            if gone or number == last:
                return

    def questions(self) -> int:
        """Return the number of questions to the bot in the replay."""
        records = (record for turn in self.replay.turns(frames=False) for record in turn.questions)
        with self.replay.reading("who was asked"):
            return sum(any(seat == self.seat for seat, _ in record["who"]) for record in records)

    def _moment(self, answers: Answers, number: int) -> AskedMoment | None:
        """Return the bot's rows of the current question; None if it has none."""
        observations = self.batch.observations
        assert observations is not None
        own = np.flatnonzero(observations.seat == self.seat)
        if not own.size:
            return None
        start, stop = int(own[0]), int(own[-1]) + 1
        fields = {name: values[start:stop] for name, values in answers.fields.items()}
        return AskedMoment(
            self.batch.turn + 1,
            number,
            observations.rows(start, stop),
            fields,
            answers.fault[start:stop],
            bool(answers.gone[0, self.seat]),
            self.batch.state,
        )


def repeat_questions(batch: Batch, replay: Replay) -> Iterator[tuple[Observations, Answers]]:
    """Yield each question of a recorded match with its recorded answers, played again by a batch that has not begun.

    The arrays are valid until the next question. Raises ReplayError if the replay and the rules do not agree.
    """
    for turn in replay.turns(frames=False):
        for record in turn.questions:
            answers = read_answers(batch, record)
            if isinstance(answers, str):
                raise ReplayError(f"{replay.path}: turn {turn.turn}: {answers}")
            assert batch.observations is not None
            yield batch.observations, answers
            batch.answer(answers)


def read_run_of(replay: Path) -> dict[str, Any] | None:
    """Return the record of the run that contains a replay; None without a run."""
    folder = run_folder_of(replay)
    return None if folder is None else read_record(folder)


def find_key(replay: Replay) -> Key | None:
    """Return the key of a replay, or derive it from the run's secret if the run has not revealed the key yet.

    Return None if the key is unknown. Raises KothError if the run's record can't be read.
    """
    folder = None if replay.key else run_folder_of(replay.path)
    return replay.key if folder is None else RunReader(folder).key(replay.header["match"])


def find_recorded_bot(run: Mapping[str, Any] | None, bot: str) -> RecordedBot:
    """Return the recorded data of a bot: protocol, options, path, language; JSON lines if nothing is recorded."""
    for entry in run["bots"] if run else ():
        if entry["name"] == bot:
            path = entry.get("path")
            return RecordedBot(
                entry["protocol"],
                entry.get("options", {}),
                Path(path) if path else None,
                entry.get("language", ""),
            )
    return RecordedBot()
