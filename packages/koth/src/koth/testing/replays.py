"""Matches of random answers with their replays, and the law that a replay shows the match."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from koth.engine.secret import key_of
from koth.game import Event, Game, state_hash
from koth.replay.arrays import split_frame
from koth.replay.names import SUFFIX
from koth.replay.reader import Replay
from koth.replay.verify import verify
from koth.replay.writer import Recording, to_json
from koth.testing.cases import Case, begin
from koth.testing.policies import Policy, RandomAnswers


def record(case: Case, path: Path, policy: Policy | None = None) -> list[bytes]:
    """Record the case's match to `path`; return its frames as JSON, in order: frames of steps and of turns.

    Without a policy, answers are random.
    """
    game, key = case.game, key_of(case.seed)
    batch = begin(case, [key.dice])
    batch.max_turns = case.turns
    rules = {"game": game.name, "version": game.version, "ruleset": "", "settings": asdict(case.settings)}
    bots = [{"name": f"b{seat}", "hash": ""} for seat in range(case.seats)]
    recording = Recording(path, {**rules, "match": 1, "bots": bots, "turns": case.turns}, batch)
    policy = policy or RandomAnswers([key.dice], case.seats)

    def frame() -> bytes:
        return _text(game.frame(case.settings, batch.state, 0))

    frames = [frame()]

    def turn_over() -> None:
        frames.append(frame())
        recording.record_turn()

    batch.on_turn = turn_over
    while batch.observations is not None:
        answers = policy(batch.observations)
        if batch.observations.question.step and frame() != frames[-1]:
            frames.append(frame())
        recording.record_question(batch.observations, answers)
        batch.answer(answers)
    recording.finish(key)
    return frames


def _text(frame: Mapping[str, Any]) -> bytes:
    values, arrays = split_frame(frame)
    return to_json(dict(sorted({**values, **arrays}.items())))


def replays_show_the_match(case: Case) -> None:
    """Check that a replay has the frames of all turns and steps, and follows from its key and answers.

    What leaves a frame must be gone when the replay is read: the match is recorded a second time with values and
    arrays that come and go.
    """
    for game in (case.game, _Flickers(case.game)):
        with tempfile.TemporaryDirectory(prefix="koth-law-") as folder:
            path = Path(folder) / f"match{SUFFIX}"
            expected = record(replace(case, game=game), path)
            replay = Replay(path)
            shown = [frame for turn in replay.turns() for frame in (*(step.frame for step in turn.steps), turn.frame)]
            assert list(map(_text, shown)) == expected, "the frames of the replay are not the match's"
            difference = verify(game, replay, case.settings)
            assert difference is None, f"the replay is not what follows from its key and answers: {difference}"


class _Flickers:
    """A game in whose frames every name is missing in one state of three, which the state's hash decides."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def frame(self, settings: Any, state: Any, match: int) -> dict[str, Any]:
        """Return the game's frame with names missing, and two more that are values or arrays by turns."""
        at = int(state_hash(self._game, state, match), 16)
        frame = {**self._game.frame(settings, state, match), "flash": at % 7, "late": np.arange(at % 5)}
        frame["either"] = [True, 1, 1.0, np.arange(3)][at % 4]
        return {name: value for k, (name, value) in enumerate(frame.items()) if (at + k) % 3}

    def events(self, *_: Any) -> list[Event]:
        """Return no events: the game's own may need what is missing."""
        return []
