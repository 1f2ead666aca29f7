"""The contests' own rules for researchers: matches by the hundred, in arrays (`docs/learning.md`).

env = koth.learn.make(NAME, matches=512, seats=4)
observations, infos = env.reset(seed=1)
observations, rewards, terminated, truncated, infos = env.step(actions)
"""

from koth.learn.against import Against, random_policy
from koth.learn.environment import Environment, make

__all__ = ["Against", "Environment", "make", "random_policy"]
