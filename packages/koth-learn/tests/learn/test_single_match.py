"""One match that stays at its end, its rewards by name, its state, and its replay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import koth_learn
from koth.errors import KothError
from koth.games import GAMES
from koth.rng import derive
from koth_learn import gym, make
from tests.learn.small import SINGLE, SMALL, Addressed


@pytest.mark.parametrize("name", GAMES)
def test_a_match_stays_at_its_end(name: str) -> None:
    """Its last observation, turn and state are those of the match that ended, not of the next one."""
    env = make(name, autoreset=False, limit=3, **SMALL[name])
    env.reset(1)
    act = Addressed(env)
    while not env.arrays["ended"][0]:
        observations, *_, infos = env.step(act())
    assert infos["turn"][0] == 3
    assert not infos["asked"].any()
    for key, array in observations.items():
        assert (array == infos["final_observations"][key]).all()
    assert (infos["final_scores"] == env.game.scores(env.settings, env.state)).all()
    with pytest.raises(KothError, match="the match is over: call reset before"):
        env.step(np.zeros(env.action_shape, np.int64))
    env.reset()
    assert infos["asked"].any()


OVER_SOON: dict[str, Any] = {"seats": 2, "settings": {"players": 1}, "opponents": {1: lambda _, mask: mask.argmax(1)}}
"""Of zombies: in some matches the only agent is eaten before its first question."""


@pytest.mark.parametrize("api", [gym.env, koth_learn.parallel_env, koth_learn.aec_env])
def test_a_reset_returns_no_match_that_is_over(api: Any) -> None:
    """It goes on to the match that an environment with autoreset goes on to."""
    env, whole = api("zombies", **OVER_SOON), make("zombies", **OVER_SOON)
    native, skipped = env.native, 0
    for seed in range(60):
        env.reset(seed=seed)
        whole.reset(seed)
        skipped += native._seeds != [derive(seed, 0)]
        assert native.arrays["asked"].any()
        assert not native.arrays["ended"].any()
        assert not native.arrays["terminated"].any()
        for name, array in whole.arrays.observations.items():
            assert (array == native.arrays.observations[name]).all()
        if api is koth_learn.aec_env:
            assert not any(env.last()[2:4])
            env.step(0)
        else:
            env.step(0 if api is gym.env else {"seat_0": 0})
    assert skipped


def test_the_last_picture_and_info_are_of_the_match_that_ended() -> None:
    env = gym.env("pacman", render_mode="ansi", seats=1, limit=3)
    env.reset(seed=1)
    first, ended = env.render().splitlines()[0], False
    while not ended:
        *_, truncated, info = env.step(4)
        ended = truncated
    assert info["turn"] == 3
    assert env.render().splitlines()[0] == first


def test_resets_without_a_seed_differ_and_follow_from_the_last_seed() -> None:
    env = make("pacman", seats=1)
    boards = []
    for seed in (5, None, None, 5, None):
        env.reset(seed)
        boards.append(env.state.walls.tobytes())
    assert len(set(boards[:3])) == 3
    assert boards[3:] == boards[:2]
    others = [make("pacman", seats=1) for _ in range(2)]
    assert len({other.reset()[0]["planes"].tobytes() + other.state.walls.tobytes() for other in others}) == 2


def test_agents_are_named_alike_with_and_without_opponents() -> None:
    env = koth_learn.parallel_env("pacman", seats=3, opponents={1: lambda observations, masks: masks.argmax(1)})
    observations, _ = env.reset(seed=1)
    assert list(observations) == ["seat_0", "seat_2"]
    with pytest.raises(KothError, match="seat_2 is asked and has no action"):
        env.step({"seat_0": 4})
    with pytest.raises(KothError, match="there is no agent 'seat_1'"):
        env.step({"seat_0": 4, "seat_1": 4})


def test_closing_ends_the_bots() -> None:
    env = koth_learn.parallel_env("pacman", **SINGLE["pacman"])
    env.reset(seed=1)
    assert env.native.bots is not None
    assert env.native.bots._referees
    env.close()
    assert not env.native.bots._referees


def test_an_impossible_action_is_marked() -> None:
    env = make("pacman", 1, seats=2)
    env.reset(1)
    wall = int(env.arrays["mask"][0, 0].argmin())
    *_, infos = env.step(np.array([[wall, 4]]))
    assert infos["impossible"].tolist() == [[True, False]]


def test_rewards_by_name() -> None:
    """`zero_sum` adds up to 0 over the seats; `unit` is of each unit alone, and adds up to the score of a seat."""
    options = SMALL["aliens"]
    envs = {name: make("aliens", 2, reward=name, **options) for name in ("score", "zero_sum", "unit")}
    for env in envs.values():
        env.reset(4)
    act = Addressed(envs["score"])
    sums = dict.fromkeys(envs, 0.0)
    begun = envs["unit"].game.scores(envs["unit"].settings, envs["unit"].state)
    for _ in range(11):
        actions = act()
        for name, env in envs.items():
            sums[name] = sums[name] + env.step(actions)[1].astype(np.float64)
    zero = envs["zero_sum"]
    lived = zero.arrays["alive"]
    for m in range(2):
        by_seat = [sums["zero_sum"][m][lived[m] & (zero.units.seat == seat)] for seat in range(2)]
        if all(map(len, by_seat)):
            assert by_seat[0][0] == pytest.approx(-by_seat[1][0])
    scores = zero.game.scores(zero.settings, zero.state)
    own = np.stack([sums["unit"][:, zero.units.seat == seat].sum(axis=1) for seat in range(2)], axis=1)
    assert np.abs(begun + own - scores).max() <= 0.5 + 1e-3
    turns = make("zombies", 1, reward="unit", **SMALL["zombies"])
    turns.reset(1)
    assert (turns.step(np.zeros(turns.action_shape, np.int64))[1][turns.arrays["alive"]] == 1).all()
    for wrong, words in ({"reward": "rank"}, "no reward 'rank'"), ({"reward": "zero_sum", "seats": 1}, "two seats"):
        with pytest.raises(KothError, match=words):
            make("pacman", **wrong)  # type: ignore[arg-type]


def test_flat_observations_are_vectors() -> None:
    flat, named = (koth_learn.aec_env("metalman", flat=flat) for flat in (True, False))
    for env in (flat, named):
        env.reset(seed=1)
    agent: Any = flat.agent_selection
    vector, observation = flat.observe(agent), named.observe(agent)
    assert flat.observation_space(agent).contains(vector)
    assert (vector == np.concatenate([observation[key].ravel() for key in ("planes", "scalars")])).all()


RESETS: dict[str, Any] = {
    "native": lambda **options: make("metalman", **options),
    "gymnasium": lambda **options: gym.env("metalman", **{**SINGLE["metalman"], **options}),
    "vector": lambda **options: gym.vector_env("metalman", 2, **options),
    "parallel": lambda **options: koth_learn.parallel_env("metalman", **options),
}


@pytest.mark.parametrize("api", RESETS)
def test_a_reset_may_change_the_settings(api: str) -> None:
    """The next matches are those of an environment made with these settings, until another reset changes them."""

    def reset(env: Any, settings: Any = None) -> bytes:
        given = {"settings": settings} if api == "native" else {"options": settings and {"settings": settings}}
        env.reset(seed=3, **given)
        board: bytes = getattr(env, "native", env).state.terrain.tobytes()
        return board

    held_out = {"map": "random", "timer": 9}
    env, fixed, random = (RESETS[api](settings=settings) for settings in (held_out, {}, held_out))
    try:
        assert reset(env, {"map": "classic"}) == reset(fixed)
        assert reset(env) == reset(fixed) != reset(random)
        assert reset(env, held_out) == reset(random)
        assert getattr(env, "native", env).settings.timer == 9
        for wrong, words in ({"map": "random", "size": 25}, "other shapes than <metalman"), ({"maps": 1}, "'maps'"):
            with pytest.raises(KothError, match=words):
                reset(env, wrong)
    finally:
        for one in (env, fixed, random):
            one.close()


def test_a_misspelt_option_of_a_reset_is_refused() -> None:
    env = koth_learn.parallel_env("metalman")
    with pytest.raises(KothError, match="did you mean settings"):
        env.reset(options={"Setting": {"timer": 9}})
    env.reset(options={"reset_mask": None})  # a wrapper's own
