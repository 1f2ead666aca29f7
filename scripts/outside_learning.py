"""make outside-learning: koth's environments under the checkers and in short loops of libraries that researchers use.

Runs in an environment of its own that has Gymnasium, PettingZoo, Stable-Baselines3 (and sb3-contrib), SuperSuit and
TorchRL. A warning that koth raises is a failure, but for those of `ALLOWED`. Prints a line for each check; exits with
1 if one fails.
"""

from __future__ import annotations

import copy
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np

import koth_learn
from koth_learn import gym
from tests.learn.small import SINGLE
from tests.learn.small import SMALL as GAMES

ALLOWED = (
    "Observation is not a NumPy array",  # PettingZoo's, of observations by name (without flat=True)
    "Observation space for each agent probably should be",
    "Action space for each agent probably should be",  # PettingZoo's, of several actions (Metal Man)
    "Environment has not defined a render",
    "PettingZoo environments may be",  # TorchRL's, of agents that leave
)

Check = Callable[[], None]


def gymnasium_check(name: str) -> None:
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make(f"koth/{name}-v0", **SINGLE[name]).unwrapped
    check_env(env)
    env.close()


def pettingzoo_check(name: str, flat: bool) -> None:
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    options = {**GAMES[name], "flat": flat}
    parallel_api_test(koth_learn.parallel_env(name, limit=12, **options), 40)
    parallel_seed_test(partial(koth_learn.parallel_env, name, limit=12, **options), 20)
    api_test(koth_learn.aec_env(name, limit=5, **options), 30)
    seed_test(partial(koth_learn.aec_env, name, limit=5, **options), 20)


def pettingzoo_closes() -> None:
    """No process of a bot outlives `close`, and names of agents do not depend on opponents."""
    env = koth_learn.parallel_env("pacman", seats=3, opponents={1: "@greedy", 2: "@hunter"})
    env.reset(seed=1)
    assert env.agents == ["seat_0"], env.agents
    processes = [seat.process for one in env.native.bots._referees.values() for seat in one.seats.values()]
    assert len(processes) == 2
    env.close()
    assert not env.native.bots._referees


def sb3_check(name: str) -> None:
    from stable_baselines3.common.env_checker import check_env

    env = gym.env(name, **SINGLE[name])
    check_env(env)
    env.close()


def sb3_trains(name: str) -> None:
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import DQN, PPO
    from stable_baselines3.common.vec_env import VecFrameStack, VecMonitor

    env = VecMonitor(koth_learn.vec_env(name, 4, limit=12, **GAMES[name]))
    masked = MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=64, device="cpu").learn(1000)
    assert masked.ep_info_buffer, "VecMonitor noted no episode"
    stacked = VecFrameStack(koth_learn.vec_env(name, 2, flat=True, limit=12, **GAMES[name]), 3)
    PPO("MlpPolicy", stacked, n_steps=16, batch_size=64, device="cpu").learn(200)
    if name != "metalman":  # DQN is for a single action
        DQN("MlpPolicy", stacked, buffer_size=1000, learning_starts=50, device="cpu").learn(200)


def torchrl_rolls_out(name: str, make: Callable[..., Any], flat: bool) -> None:
    from torchrl.envs import PettingZooWrapper

    env = PettingZooWrapper(
        make(name, limit=12, flat=flat, **GAMES[name]), use_mask=True, done_on_any=False, categorical_actions=True
    )
    env.rollout(30)
    env.close()


def torchrl_takes_gymnasium(name: str) -> None:
    from torchrl.envs import GymWrapper

    env = GymWrapper(gymnasium.make(f"koth/{name}-v0", **SINGLE[name]))
    env.rollout(30)
    env.close()


def supersuit_wraps(name: str) -> None:
    import supersuit

    env = koth_learn.parallel_env(name, flat=True, limit=12, **GAMES[name])
    for wrap in (
        supersuit.black_death_v3,
        supersuit.agent_indicator_v0,
        partial(supersuit.frame_stack_v1, stack_size=2),
    ):
        env = wrap(env)
    vector = supersuit.pettingzoo_env_to_vec_env_v1(env)
    several = supersuit.concat_vec_envs_v1(vector, 2, num_cpus=1, base_class="stable_baselines3")
    several.reset()
    for _ in range(20):
        several.step(np.array([several.action_space.sample() for _ in range(several.num_envs)]))
    padded = supersuit.pad_observations_v0(supersuit.flatten_v0(koth_learn.aec_env(name, flat=True, **GAMES[name])))
    padded.reset(seed=1)


def workers_differ() -> None:
    """Unseeded environments begin with other boards, and so do resets one after another."""
    first, second = (gymnasium.make_vec("koth/pacman-v0", 2, seats=2) for _ in range(2))
    boards = [env.reset()[0]["planes"].tobytes() for env in (first, second, first)]
    assert len(set(boards)) == 3


def goes_to_processes() -> None:
    """An environment with copies goes through pickle in the middle of a match."""
    env = koth_learn.parallel_env("pacman", seats=3, copies=True)
    env.reset(seed=1)
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, 4))
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    wanted = env.step(dict.fromkeys(env.agents, 0))[1]
    assert all(other.step(dict.fromkeys(other.agents, 0))[1] == wanted for other in others)


def checks() -> dict[str, Check]:
    """Return all checks by name."""
    found: dict[str, Check] = {}
    for name in GAMES:
        found[f"gymnasium check_env: {name}"] = partial(gymnasium_check, name)
        for flat in (False, True):
            found[f"pettingzoo tests: {name}, flat={flat}"] = partial(pettingzoo_check, name, flat)
        found[f"stable-baselines3 check_env: {name}"] = partial(sb3_check, name)
        found[f"stable-baselines3 PPO and MaskablePPO: {name}"] = partial(sb3_trains, name)
        # TorchRL gives dead agents actions in turn-based environments, where PettingZoo wants None: nobody may die.
        for make in (koth_learn.parallel_env, *([koth_learn.aec_env] if name == "pacman" else [])):
            for flat in (False, True):
                title = f"torchrl PettingZooWrapper: {name}, {make.__name__}, flat={flat}"
                found[title] = partial(torchrl_rolls_out, name, make, flat)
        found[f"torchrl GymWrapper: {name}"] = partial(torchrl_takes_gymnasium, name)
        found[f"supersuit wrappers: {name}"] = partial(supersuit_wraps, name)
    others: tuple[Check, ...] = (pettingzoo_closes, workers_differ, goes_to_processes)
    return {**found, **{one.__name__.replace("_", " "): one for one in others}}


def main() -> None:
    words = sys.argv[1:]
    failed = 0
    for title, check in checks().items():
        if not all(word in title for word in words):
            continue
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("error", module="koth")
                for text in ALLOWED:
                    warnings.filterwarnings("ignore", text)
                check()
            print(f"ok      {title}", flush=True)
        except Exception as error:
            failed += 1
            last = traceback.extract_tb(error.__traceback__)[-1]
            print(
                f"FAILED  {title}: {type(error).__name__}: {str(error)[:300]} ({last.filename}:{last.lineno})",
                flush=True,
            )
    print(f"{failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
