"""A policy that becomes a bot does as a bot, in a sandbox, what it did in arrays."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.contest.preflight import build
from koth.discovery.folder import load
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import key_of
from koth.errors import KothError
from koth.game import TimeControl, state_hash
from koth.games import GAMES
from koth.learn import Against, Chooser, Environment, Network, export, greedy_policy, random_policy
from koth.match import Hosting, play
from koth.replay.reader import Replay
from koth.session.bot import Bot
from tests.learn.small import small
from tests.sandbox.zoo import isolation

PATIENT = TimeControl(start=120, question=120, first=120, lateness=10_000)


def policies(env: Environment) -> dict[int, Any]:
    """One for each seat: a network that does what is likeliest, one with a memory, and whoever needs no learning."""
    scales = {"scalars": 0.05}
    networks = [
        Network.new(env.purpose, (16,), scales=scales, seed=1),
        Network.new(env.purpose, (16,), memory=8, scales=scales, seed=2),
    ]
    for network in networks:  # fresh ones find everything as good as everything
        network.weights["out_w"] *= 300
    return dict(enumerate([*networks, greedy_policy(env)][: env.seats]))


def by_prospects(env: Environment) -> dict[int, Any]:
    """Choosers, and who is greedy."""
    choosers = [Chooser.new(env.purpose, 8, seed=seed) for seed in (7, 8)]
    for chooser in choosers:
        chooser.weights["out_w"] *= 300
    return dict(enumerate([*choosers, greedy_policy(env)][: env.seats]))


def in_arrays(env: Environment, field: dict[int, Any], seed: int) -> list[str]:
    """The hashes of all turns of a match between these policies; its first seat is the one that learns."""
    hashes: list[str] = []
    env.shaping = lambda state, _: hashes.append(state_hash(env.game, state, 0))
    against = Against(env, {seat: policy for seat, policy in field.items() if seat})
    observations, infos = against.reset([seed])
    places = np.flatnonzero(env.units.seat == 0)
    field[0].begin(places)
    ended = False
    while not ended:
        asked = infos["asked"][0]
        shown = {name: array[0, asked] for name, array in observations.items()}
        actions = np.zeros(against.action_shape, np.int64)
        actions[0, asked] = field[0](shown, infos["mask"][0, asked], places[asked])
        observations, _, _, _, infos = against.step(actions)
        ended = bool(infos["ended"][0])
    return hashes


def bots_of(env: Environment, field: dict[int, Any], folder: Path) -> list[Bot]:
    paths = [export(policy, folder / f"bot{seat}") for seat, policy in field.items()]
    return [load(env.game, path, Interpreters()) for path in paths]


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, {}) for name in GAMES), *((name, {"prospects": True}) for name in ("zombies", "pacman", "metalman"))],
)
def test_bots_play_the_match_that_their_policies_play(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    """Every turn of it, by the state's hashes that the replay holds."""
    env = small(name, 1, **options)
    field = by_prospects(env) if options else policies(env)
    kept = isolation("strong")
    bots = [build(bot, tmp_path / "built", kept)[0] for bot in bots_of(env, field, tmp_path)]
    file = tmp_path / "match.koth.gz"
    result = play(env.game, env.settings, bots, 5, Hosting(replay=file, time_control=PATIENT, isolation=kept))
    assert not any(record.faults for record in result.records.values())
    recorded = [moment.hash for moment in Replay(file).turns(frames=False) if moment.turn]
    assert in_arrays(env, field, key_of(5).dice) == recorded
    assert len(recorded) > 5


def test_a_policy_can_be_a_class_of_ones_own(tmp_path: Path) -> None:
    """Its file goes along; a bot whose match is another than its policy's says so and plays no further."""
    source = """
import numpy as np

class North:
    def __init__(self, purpose):
        self.purpose = purpose

    @classmethod
    def of(cls, arrays, purpose):
        return cls(purpose)

    def arrays(self):
        return {}

    def __call__(self, observations, mask):
        return np.zeros(len(mask), np.int64)
"""
    (tmp_path / "north.py").write_text(source)
    spec = importlib.util.spec_from_file_location("north", tmp_path / "north.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["north"] = module
    try:
        env = small("zombies", 1)
        north = export(module.North(env.purpose), tmp_path / "goes_north")
        small_eyes = export(random_policy(small("zombies", 1)), tmp_path / "small_eyes")
    finally:
        del sys.modules["north"]
    told = json.loads((small_eyes / "policy.json").read_text())
    told["purpose"]["choices"] = [40]
    (small_eyes / "policy.json").write_text(json.dumps(told))
    bots = [load(env.game, path, Interpreters()) for path in (north, small_eyes)]
    result = play(env.game, env.settings, bots, 5, Hosting(time_control=PATIENT))
    assert not result.records["goes_north"].faults
    assert "made for another match: choices [40], not [130]" in str(result.records["small_eyes"])


def test_what_cannot_be_exported_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "here").touch()
    with pytest.raises(KothError, match="exists already"):
        export(random_policy(small("pacman")), tmp_path / "full")
    with pytest.raises(KothError, match="'purpose'"):
        export(lambda observations, mask: mask, tmp_path / "new")
    with pytest.raises(KothError, match="another match: game pacman, not zombies"):
        Against(small("zombies"), {1: random_policy(small("pacman"))})


def test_checkpoints_are_kept_whole(tmp_path: Path) -> None:
    env = small("pacman")
    network = Network.new(env.purpose, (8,), memory=4, scales={"scalars": (0.1, 0.2)}, seed=3)
    network.draws = True
    network.save(tmp_path / "kept.npz")
    again = Network.load(tmp_path / "kept.npz")
    observations, infos = env.reset(2)
    shown = {name: array[:, 0] for name, array in observations.items()}
    places = np.arange(3)
    for policy in (network, again):
        policy.begin(places)
        policy.reset(4)
    for _ in range(3):
        assert (network(shown, infos["mask"][:, 0], places) == again(shown, infos["mask"][:, 0], places)).all()
    assert again.purpose == network.purpose
