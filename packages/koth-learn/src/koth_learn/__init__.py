"""The contests' own rules for researchers: matches by the hundred, in arrays (`docs/learning.md`).

    env = koth_learn.make(NAME, matches=512, seats=4)
    observations, infos = env.reset(seed=1)
    observations, rewards, terminated, truncated, infos = env.step(actions)

`koth_learn.gym`, `koth_learn.zoo` and `koth_learn.sb3` are thin adapters of this API. Train with a
library of your choice; `export` makes a bot of a policy in ONNX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from koth_learn.construction import make
from koth_learn.decisions import Decisions, rollout
from koth_learn.demonstrations import Demonstrations, demonstrations
from koth_learn.environment import Environment
from koth_learn.evaluation import Evaluation, evaluate
from koth_learn.export import export
from koth_learn.policies import Policy, PolicyPool

if TYPE_CHECKING:
    from koth_learn.sb3 import KothVecEnv
    from koth_learn.zoo import Parallel, TurnEnv

__all__ = [
    "Decisions",
    "Demonstrations",
    "Environment",
    "Evaluation",
    "Policy",
    "PolicyPool",
    "aec_env",
    "demonstrations",
    "evaluate",
    "export",
    "make",
    "parallel_env",
    "rollout",
    "vec_env",
]


def parallel_env(name: str, render_mode: str | None = None, flat: bool = False, **options: Any) -> Parallel:
    """Return one match for PettingZoo in which all agents act at the same time, with `make`'s options.

    With `flat`, here and below, an observation is one vector.
    """
    from koth_learn.zoo import Parallel  # the native environments load no other library

    return Parallel(make(name, 1, autoreset=False, **options), render_mode, flat)


def aec_env(name: str, render_mode: str | None = None, flat: bool = False, **options: Any) -> TurnEnv:
    """Return one match for PettingZoo in which agents act one after another, with `make`'s options."""
    from koth_learn.zoo import TurnEnv

    return TurnEnv(make(name, 1, autoreset=False, **options), render_mode, flat)


def vec_env(name: str, matches: int = 1, flat: bool = False, **options: Any) -> KothVecEnv:
    """Return matches as a VecEnv of Stable-Baselines3, each agent an environment, with `make`'s options.

    Raises KothError if Stable-Baselines3 is not installed.
    """
    from koth_learn.sb3 import KothVecEnv

    return KothVecEnv(make(name, matches, **options), flat)
