"""The contests' own rules for researchers: matches by the hundred, in arrays (`docs/learning.md`).

    env = koth.learn.make(NAME, matches=512, seats=4)
    observations, infos = env.reset(seed=1)
    observations, rewards, terminated, truncated, infos = env.step(actions)

`koth.learn.gym` and `koth.learn.zoo` are thin adapters over it (extra `learn`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from koth.learn.against import Against, greedy_policy, random_policy
from koth.learn.chooser import Chooser
from koth.learn.environment import Environment, make
from koth.learn.export import export
from koth.learn.network import Network

if TYPE_CHECKING:
    from koth.learn.zoo import Parallel, Turns

__all__ = [
    "Against",
    "Chooser",
    "Environment",
    "Network",
    "aec_env",
    "export",
    "greedy_policy",
    "make",
    "parallel_env",
    "random_policy",
]


def parallel_env(name: str, render_mode: str | None = None, **options: Any) -> Parallel:
    """One match for PettingZoo in which all act at the same time, with `make`'s options."""
    from koth.learn.zoo import Parallel  # the native environments work without the extra

    return Parallel(make(name, 1, **options), render_mode)


def aec_env(name: str, render_mode: str | None = None, **options: Any) -> Turns:
    """One match for PettingZoo in which one agent acts after another, with `make`'s options."""
    from koth.learn.zoo import Turns

    return Turns(make(name, 1, **options), render_mode)
