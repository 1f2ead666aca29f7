"""Bots on some of the seats: real ones, asked as in a contest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.errors import KothError
from koth.games import GAMES
from koth_learn import make
from tests.learn.small import SMALL

SAMPLES = {"zombies": "@gunner", "pacman": "@random_walk", "metalman": "@hunter", "aliens": "@bully"}


@pytest.mark.parametrize("name", GAMES)
def test_a_seat_is_played_by_a_sample(name: str) -> None:
    """The same from the same seed, in any batch; the arrays are of who learns alone."""
    options: dict[str, Any] = {**SMALL[name], "seats": 2, "opponents": {0: SAMPLES[name]}, "limit": 6}
    told = []
    for matches in (1, 3):
        env = make(name, matches, **options)
        observations, infos = env.reset([7, 8, 9][:matches])
        assert set(env.units.seat.tolist()) == {1}
        found = []
        for _ in range(4):
            assert (infos["asked"] <= infos["alive"]).all()
            observations, rewards, *_, infos = env.step(np.zeros(env.action_shape, np.int64))
            assert rewards.shape == (matches, env.agents)
            found.append([array[0].tobytes() for array in (rewards, *observations.values())])
        env.close()
        told.append(found)
    if name not in ("metalman", "aliens"):  # there other matches have steps in between
        assert told[0] == told[1]


def test_an_opponent_plays_as_well_as_it_can() -> None:
    """A sample beats who does nothing."""
    env = make("metalman", 2, 2, opponents={0: "@hunter"})
    _, infos = env.reset(1)
    wins = []
    while len(wins) < 4:
        *_, infos = env.step(np.full(env.action_shape, 4))
        wins += infos["final_scores"][infos["ended"], 0].tolist()
    env.close()
    assert sum(wins) > 2


def test_a_match_ends_with_the_last_who_learns(tmp_path: Path) -> None:
    """Nobody waits until the opponents have come to an end, too."""
    settings = {"players": 1, "density": 0.05}
    env = make("zombies", 1, 2, opponents={1: "@runner"}, settings=settings)
    env.reset(1)
    for _ in range(400):
        _, _, terminated, truncated, infos = env.step(np.zeros(env.action_shape, np.int64))
        if terminated.any():
            break
    env.close()
    assert infos["ended"][0]
    assert not truncated.any()


def test_an_opponent_that_does_not_start_is_told(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("raise RuntimeError('not today')")
    env = make("zombies", 1, 2, opponents={1: str(tmp_path / "bot.py")}, settings={"players": 2})
    with pytest.raises(KothError, match=r"an opponent does not start: crash: RuntimeError: not today"):
        env.reset(1)
    env.close()
