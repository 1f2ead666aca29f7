"""A policy that weighs each choice by what it promises, with the same weights for all of them.

    env = koth.learn.make(NAME, matches=64, prospects=True)
    chooser = Chooser.new(env.purpose, hidden=32)

What it learns of one choice it knows of all, so it needs far less to learn from than a network of pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth.learn.network import Array, Network, Weights
from koth.learn.purpose import Purpose

PROSPECTS = "prospects"
"""The observation that it takes: float32[choices, features] of each agent."""


class Chooser(Network):
    """A policy for what a `Purpose` tells, by its observation `prospects`.

    `weights`: `each_w` and `each_b` make so many numbers of a choice's features (tanh). Their mean and their most
    over all that is possible tell what is to be had; `with_w` adds it to each choice, `then_w` and `then_b` join
    both (tanh), `out_w` makes a logit of that. `see_w`, `see_b` (tanh) and `value_w`, `value_b` value the whole.
    """

    @classmethod
    def new(cls, purpose: Purpose, hidden: int = 32, *, seed: int = 0) -> Chooser:  # type: ignore[override]
        """With random weights."""
        random = np.random.default_rng(seed)
        features = purpose.observations[PROSPECTS][-1]
        shapes = {
            "each": (features, hidden), "with": (2 * hidden, hidden), "then": (hidden, hidden), "out": (hidden, 1),
            "see": (2 * hidden, hidden), "value": (hidden, 1),
        }  # fmt: skip
        weights = {}
        for name, (before, after) in shapes.items():
            gain = 0.01 if after == 1 else 1.0
            weights[f"{name}_w"] = random.normal(0, gain / np.sqrt(before), (before, after)).astype(np.float32)
            if name not in ("with", "out"):
                weights[f"{name}_b"] = np.zeros(after, np.float32)
        return cls(purpose, weights, {})

    def inputs(self, observations: Mapping[str, Array]) -> Array:
        """float32[rows, choices, features]: what it takes of all that is observed."""
        return observations[PROSPECTS]

    @staticmethod
    def outputs(
        weights: Weights, inputs: Array, mask: Array, memory: Array | None, xp: Any = np
    ) -> tuple[Array, Array, Any]:
        """Logits of all choices, values, and no memory, by the numeric library `xp`."""
        each = xp.tanh(inputs @ weights["each_w"] + weights["each_b"])
        possible = mask[:, :, None].astype(np.float32)
        mean = xp.sum(each * possible, axis=1) / xp.maximum(xp.sum(possible, axis=1), 1)
        most = xp.max(each * possible - 2 * (1 - possible), axis=1)
        whole = xp.concatenate((mean, most), axis=1)
        told = (whole @ weights["with_w"])[:, None] + each @ weights["then_w"] + weights["then_b"]
        logits = (xp.tanh(told) @ weights["out_w"])[:, :, 0]
        seen = xp.tanh(whole @ weights["see_w"] + weights["see_b"])
        return logits, (seen @ weights["value_w"])[:, 0] + weights["value_b"], None
