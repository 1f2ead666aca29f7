"""Seats of an environment that policies of this process play: functions on arrays, such as past selves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from koth.engine.plain_data import shorten
from koth.errors import KothError
from koth.game import Array, Observations
from koth.rng import derive

Policy = Callable[[Mapping[str, Array], Array], Any]
"""A function from observations ([rows, ...] each, by name) and masks (bool[rows, choices]) to integers, [rows] or
[rows, actions]. A policy is called once for all rows of all matches.
"""


def check_actions(returned: Any, rows: int, choices: Array, who: str = "the policy") -> Array:
    """Return what a policy returned for these rows as int64[rows, actions].

    `choices` has the number of choices of each action. Raises KothError for anything but a possible number of each
    action for each row.
    """
    given = np.asarray(returned)
    if given.dtype.kind not in "iu" or given.size != rows * len(choices):
        wanted = f"whole numbers[{rows}, {len(choices)}]"
        raise KothError(f"{who} must return {wanted}, not {given.dtype}{list(given.shape)}")
    actions: Array = given.reshape(rows, -1).astype(np.int64)
    if (actions < 0).any() or (actions >= choices).any():
        wanted = f"actions from 0 to {', '.join(str(number - 1) for number in choices)}"
        raise KothError(f"{who} must return {wanted}, not {shorten(actions.tolist())}")
    return actions


class PolicyPool:
    """Policies of which each new match draws one, all equally likely: for example past selves.

    With `most` a pool keeps only the policies added last. A pool may be shared by seats and environments.
    """

    def __init__(self, policies: Iterable[Policy] = (), most: int | None = None) -> None:
        self.policies, self.most = list(policies), most

    def add(self, policy: Policy) -> None:
        """Add a policy; matches that have begun keep the policy that they drew."""
        self.policies.append(policy)
        if self.most is not None:
            del self.policies[: -self.most]

    def draw(self, seed: int) -> Policy:
        """Return the policy for a match with this seed. Raises KothError for an empty pool."""
        if not self.policies:
            raise KothError("a pool has no policy: add one before the first reset")
        return self.policies[seed % len(self.policies)]


Opponent = str | Policy | PolicyPool
"""A bot as on a command line, a policy, or a pool of policies."""


class PolicyOpponents:
    """The policies of some seats in every match of a batch. Raises KothError for one that is not callable."""

    def __init__(self, seats: int, given: Mapping[int, Policy | PolicyPool], choices: Sequence[int] | Array) -> None:
        for seat, policy in given.items():
            if not isinstance(policy, PolicyPool) and not callable(policy):
                kinds = "a bot's name or path, a function of observations and masks, or a koth_learn.PolicyPool"
                raise KothError(f"the opponent at seat {seat} must be {kinds}, not {type(policy).__name__}")
        self._pools = {seat: one if isinstance(one, PolicyPool) else PolicyPool([one]) for seat, one in given.items()}
        self.seats = np.array([seat in self._pools for seat in range(seats)])
        """bool[seats]: the seats that policies play."""
        self._choices = np.array(choices)
        """The number of choices of each action."""
        self._drawn: dict[int, dict[int, Policy]] = {seat: {} for seat in self._pools}
        """The policy of each match, by seat."""

    def __deepcopy__(self, memo: object) -> PolicyOpponents:
        """Share the policies, which are not part of a match."""
        other = PolicyOpponents(len(self.seats), self._pools, self._choices)
        other._drawn = {seat: dict(drawn) for seat, drawn in self._drawn.items()}
        return other

    def begin(self, seeds: Mapping[int, int]) -> None:
        """Draw the policies of new matches, each match with a seed."""
        for match, seed in seeds.items():
            for seat, pool in self._pools.items():
                self._drawn[seat][match] = pool.draw(derive(seed, "pool", seat))

    def act(
        self, observations: Observations, rows: Array, shown: Mapping[str, Array], mask: Array, actions: Array
    ) -> None:
        """Write the actions of these seats' rows; `rows` are the flat indices of all asked agents.

        Raises KothError for a policy that does not return a possible number of each action for each row.
        """
        for seat, drawn in self._drawn.items():
            asked = np.flatnonzero(observations.seat == seat)
            groups: dict[int, tuple[Policy, list[int]]] = {}
            for row, match in zip(asked.tolist(), observations.match[asked].tolist(), strict=True):
                groups.setdefault(id(drawn[match]), (drawn[match], []))[1].append(row)
            for policy, group in groups.values():
                places = rows[group]
                returned = policy({name: array[places] for name, array in shown.items()}, mask[places])
                actions[places] = check_actions(returned, places.size, self._choices, f"the policy at seat {seat}")
