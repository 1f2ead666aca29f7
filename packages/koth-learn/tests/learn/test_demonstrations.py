"""Replays as arrays: what was observed is what an environment shows, what was done is what it would do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.game import TimeControl
from koth.games import GAMES, load
from koth.games.aliens.state import MOVES
from koth.match import Hosting, play
from koth_learn import demonstrations, export, make
from koth_learn.model import Model
from tests.learn.onnx_models import linear
from tests.learn.small import SMALL, small

PATIENT = TimeControl(start=120, question=120, first=120, lateness=10_000)


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_is_read_back(name: str, tmp_path: Path) -> None:
    """Every decision of an exported policy, as its model makes it of the observation beside it."""
    env = small(name, 1)
    data = linear(env)
    export(data, tmp_path / "net", env)
    words = [f"b{seat}={tmp_path / 'net'}" for seat in range(env.seats)]
    bots = find_entrants(env.game, words, Interpreters()).bots
    file = tmp_path / "match.koth.gz"
    play(env.game, env.settings, bots, 5, Hosting(replay=file, time_control=PATIENT))
    found = demonstrations(file, "b1")
    assert len(found) > 3
    assert found.left_out == 0
    assert set(found.seat.tolist()) == {1}
    said = Model(data, env.spec)(found.observations, found.masks)
    same = found.actions == said
    if name == "aliens":  # an instance that meets no alien is taken to want to fight
        assert (found.actions % len(MOVES) == said % len(MOVES)).all()
        assert same[said >= len(MOVES)].any()
        assert same[said < len(MOVES)].all()
    else:
        assert same.all()
    observations, infos = env.reset([5])
    first = infos["asked"][0] & (env.units.seat == 1)
    if first.any():
        for key, array in observations.items():
            assert (found.observations[key][: first.sum()] == array[0, first]).all()


def test_samples_are_read_with_the_choices_of_environments(tmp_path: Path) -> None:
    """Of all bots, in a folder; what no action stands for is left out and counted."""
    game = load("zombies")
    settings = make("zombies", **SMALL["zombies"]).settings
    bots = find_entrants(game, ["@gunner", "@wanderer"], Interpreters()).bots
    for seed in range(2):
        play(game, settings, bots, seed, Hosting(replay=tmp_path / f"m{seed}.koth.gz", time_control=PATIENT))
    found = demonstrations(tmp_path, window=4)
    assert found.observations["planes"].shape[1:] == (4, 9, 9)
    assert set(found.replay.tolist()) == {0, 1}
    assert set(found.seat.tolist()) == {0, 1}
    assert found.masks[np.arange(len(found)), found.actions[:, 0]].mean() > 0.99
    assert (found.actions[:, 0] >= 9).any()


def test_what_is_no_demonstration_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(KothError, match="there are no replays"):
        demonstrations(tmp_path)
    game = load("zombies")
    settings = make("zombies", **SMALL["zombies"]).settings
    bots = find_entrants(game, ["@gunner", "@wanderer"], Interpreters()).bots
    play(game, settings, bots, 1, Hosting(replay=tmp_path / "m.koth.gz", time_control=PATIENT))
    with pytest.raises(KothError, match="no bot 'gunnar' plays in these 1 replays; did you mean gunner"):
        demonstrations(tmp_path, "gunnar")
