"""Replays for the tests: matches of any game, played with random answers, faults and notes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from koth.engine.batch import Batch
from koth.game import FAULT, Answers, Game, Observations, default_answers
from koth.replay.writer import Recording
from koth.rng import word
from koth.testing import Policy, RandomAnswers

SEED = 11


def record(
    path: Path, game: Game, settings: Any, names: Sequence[str], turns: int, policy: Policy | None = None
) -> None:
    """Play at most `turns` turns; seat 0 is late every twenty."""
    batch = Batch(game, settings, len(names), [SEED])  # these dice have no key: the replay is to be looked at
    header = {
        "game": game.name,
        "version": game.version,
        "ruleset": "published",
        "settings": dataclasses.asdict(settings),
        "match": 1,
        "bots": [{"name": name, "hash": "0"} for name in names],
    }
    recording = Recording(path, header, batch)
    batch.on_turn = recording.record_turn
    policy = policy or RandomAnswers([SEED], len(names))

    def answer(observations: Observations) -> Answers:
        answers = policy(observations)
        if batch.turn % 20 == 5:
            answers.fault[np.flatnonzero(observations.seat == 0)[:2]] = FAULT["late"]
        return answers

    try:
        while batch.observations is not None and batch.turn < turns:
            answers = answer(batch.observations)
            recording.record_question(batch.observations, answers)
            batch.answer(answers)
        recording.finish()
    except BaseException:
        recording.abandon()
        raise


def small_zombies(game: Game) -> Any:
    """Settings for a small board, on which a few players with many bullets live long."""
    return dataclasses.replace(game.rulesets["published"], players=12, density=0.02, bullets=500)


def shoot_zombies(observations: Observations) -> Answers:
    """All but seat 2 shoot the first zombie in range; the others walk about until they are bitten."""
    fields = default_answers(observations.question, len(observations))
    for row in range(len(observations)):
        near = observations.fields["window"][row, 3:14, 3:14].ravel()
        zombies = near[(near & 255) == 1]
        if len(zombies) and observations.seat[row] != 2:
            fields["action"][row], fields["target"][row] = 9, zombies[0]
        else:
            fields["action"][row] = (
                word(SEED, int(observations.fields["clock"][row]), 0, int(observations.unit[row])) % 9
            )
    return Answers(fields, np.zeros(len(observations), np.uint8), np.zeros((1, 3), np.bool_))


def wander() -> Policy:
    """Move all bots about Pac-Man's maze, without faults."""
    steps = itertools.count()

    def answer(observations: Observations) -> Answers:
        fields = default_answers(observations.question, len(observations))
        for row in range(len(observations)):
            fields["move"][row] = word(SEED, next(steps), 0, 0) % 4
        return Answers(fields, np.zeros(len(observations), np.uint8), np.zeros((1, 3), np.bool_))

    return answer
