"""Episodes of an environment with one match, recorded as replays for `koth view` and `koth_learn.demonstrations`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from koth.engine.batch import Batch
from koth.engine.secret import key_of
from koth.game import Answers, Observations
from koth.match import replay_header
from koth.replay.names import replay_name
from koth.replay.writer import Recording
from koth.session.local import InlineBot


class EpisodeRecorder:
    """A folder in which each match is recorded, from its reset to its end: `match-0001`, `match-0002` and so on.

    An unfinished match leaves no file.
    """

    def __init__(
        self, folder: Path, ruleset: str, seats: int, opponents: Mapping[int, Any], limit: int | None
    ) -> None:
        self.folder, self._ruleset, self._limit = folder, ruleset, limit
        kinds = {seat: word.strip("@/").rpartition("/")[2] if isinstance(word, str) else "policy"
                 for seat, word in opponents.items()}  # fmt: skip
        self._bots = [
            InlineBot(f"{kinds.get(seat, 'learner')}-{seat}", lambda observations, match_info: {})
            for seat in range(seats)
        ]
        self._seed = 0
        self._recording: Recording | None = None

    def begin(self, batch: Batch, seed: int) -> None:
        """Begin the file of a match that has not begun."""
        self.abandon()
        self.folder.mkdir(parents=True, exist_ok=True)
        free = (self.folder / replay_name(number) for number in count(1))
        header = replay_header(batch.game, self._ruleset, batch.settings, self._bots, max_turns=self._limit)
        self._seed, path = seed, next(path for path in free if not path.exists())
        self._recording = Recording(path, header, batch)

    def asked(self, observations: Observations, answers: Answers) -> None:
        """Record a question and its answers, before the rules get them."""
        if self._recording is not None:
            self._recording.record_question(observations, answers)

    def turn_over(self) -> None:
        """Record the frame after a turn."""
        if self._recording is not None:
            self._recording.record_turn()

    def end(self) -> None:
        """Finish the file."""
        if self._recording is not None:
            self._recording.finish(key_of(self._seed))
            self._recording = None

    def abandon(self) -> None:
        """Remove the file of an unfinished match."""
        if self._recording is not None:
            self._recording.abandon()
            self._recording = None
