"""Copies and pickles of environments: their arguments, and their position in the matches."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from koth.errors import KothError

if TYPE_CHECKING:
    from koth_learn.environment import Environment

CURE = (
    "this environment can't be copied or pickled in a match: make it with copies=True (or copy it before its reset)"
)
PROCESSES = (
    "an environment with bots can't be copied or pickled in a match, as their processes can't: copy it before its "
    "first reset"
)
MADE_OF = (
    "game", "settings", "seats", "encoding", "matches", "spec", "limit", "reward", "shaping", "copies", "autoreset",
    "bots", "policies",
)  # fmt: skip
"""The arguments of `Environment` that a copy gets."""
SPACES = ("observation_space", "action_space")
POINT = ("_last_actions", "_worth", "_restarted", "_gone")
"""Arrays, apart from those that a step returns, that hold the position in the matches."""


def parts(env: Environment) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]:
    """Return the environment's arguments, its spaces, and the state of its matches (None before a reset).

    Raises KothError if it can't be copied.
    """
    made = {name: getattr(env, name) for name in MADE_OF}
    spaces: dict[str, Any] = {name: vars(env)[name] for name in SPACES if name in vars(env)}
    if env._batch is None:
        return made, spaces, None
    if not env.copies:
        raise KothError(CURE if env.bots is None else PROCESSES)
    point: dict[str, Any] = {
        "shown": env._whole.all,
        "arrays": {name: getattr(env, name) for name in POINT},
        "seeds": env._seeds,
        "first_seed": env._seed,
        "episodes": env._episodes,
        "batch": env._batch,
    }
    return made, spaces, point


def restore(env: Environment, spaces: Mapping[str, Any], point: Mapping[str, Any] | None) -> None:
    """Set a new environment to the state that `parts` returned, with the spaces that exist already."""
    vars(env).update(spaces)
    if point is None:
        return
    for name, array in point["shown"].items():
        env._whole[name][...] = array
    for name, array in point["arrays"].items():
        getattr(env, name)[...] = array
    env._seeds, env._seed, env._episodes = list(point["seeds"]), point["first_seed"], point["episodes"]
    env._attach(point["batch"])
    env._find_rows()


class Copyable:
    """An environment that can be copied and pickled at any point, if it was made with `copies`."""

    copies: bool

    def copy(self) -> Self:
        """Return an independent environment at the same point, with its own arrays.

        Raises KothError if this one was not made with `copies=True`.
        """
        if not self.copies:
            raise KothError(CURE)
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the environment as `copy` does; before the first reset any environment can be copied."""
        env: Any = self
        memo |= {id(shared): shared for shared in (env.game, env.settings, env.spec)}
        copied: Self = _rebuild(type(env), *copy.deepcopy(parts(env), memo))
        return copied

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        env: Any = self
        return _rebuild, (type(env), *parts(env))


def _rebuild(kind: Any, made: dict[str, Any], spaces: dict[str, Any], point: dict[str, Any] | None) -> Any:
    """Return an environment of these parts."""
    env = kind(**made)
    restore(env, spaces, point)
    return env
