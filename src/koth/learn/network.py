"""A policy as a network of weights in NumPy: perceptrons, and a memory if it is given one.

    network = Network.new(env.purpose, hidden=(128, 64), scales={"scalars": 0.1})
    actions = network(observations, mask)

What it computes stands once, in `Network.outputs`; training (`examples/learn/`) takes its gradients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from koth.learn.purpose import Purpose

Array = NDArray[Any]
Weights = Mapping[str, Array]

SCALE = "scale."
NEVER = np.float32(-1e9)
"""The logit of what is not possible."""


class Network:
    """A policy for what a `Purpose` tells.

    `weights` are `w0`, `b0`, `w1` ... of its layers (tanh), `out_w` and `out_b` of all choices and, last, the value
    of what is observed; with a memory `reset_w`, `update_w`, `new_w` and their `_b`. `scales` multiply what is
    observed, by the observation's name. It chooses what is likeliest; with `draws` it draws its actions as likely as
    it finds them, the same every time from the same seed.
    """

    def __init__(self, purpose: Purpose, weights: Weights, scales: Weights, *, draws: bool = False) -> None:
        self.purpose = purpose
        self.weights = dict(weights)
        self.scales = dict(scales)
        self.draws = draws
        self.reset(0)
        self._memory = np.zeros((0, self.remembers), np.float32)

    @classmethod
    def new(
        cls,
        purpose: Purpose,
        hidden: Sequence[int] = (128, 64),
        *,
        memory: int = 0,
        scales: Mapping[str, float | Sequence[float]] | None = None,
        seed: int = 0,
    ) -> Network:
        """With random weights: layers of these sizes, then a memory of so many numbers (0: none)."""
        random = np.random.default_rng(seed)
        told = {
            name: np.broadcast_to(np.asarray((scales or {}).get(name, 1), np.float32), shape).copy()
            for name, shape in purpose.observations.items()
        }
        sizes = [sum(int(scale.size) for scale in told.values()), *hidden]
        parts = [(f"{k}", before, after, 1.0) for k, (before, after) in enumerate(pairwise(sizes))]
        if memory:
            parts += [(name, sizes[-1] + memory, memory, 1.0) for name in ("reset", "update", "new")]
        parts.append(("out", memory or sizes[-1], sum(purpose.choices) + 1, 0.01))
        weights = {}
        for name, before, after, gain in parts:
            w, b = _names(name)
            weights[w] = random.normal(0, gain / np.sqrt(before), (before, after)).astype(np.float32)
            weights[b] = np.zeros(after, np.float32)
        return cls(purpose, weights, told)

    @classmethod
    def of(cls, arrays: Weights, purpose: Purpose) -> Network:
        """What `arrays` told of."""
        scales = {name.removeprefix(SCALE): a for name, a in arrays.items() if name.startswith(SCALE)}
        weights = {name: a for name, a in arrays.items() if not name.startswith(SCALE)}
        return cls(purpose, weights, scales, draws=bool(weights.pop("draws")))

    def arrays(self) -> dict[str, Array]:
        """All that it consists of."""
        scales = {SCALE + name: scale for name, scale in self.scales.items()}
        return {**self.weights, **scales, "draws": np.array(self.draws)}

    @property
    def remembers(self) -> int:
        """How many numbers it remembers of each agent."""
        return len(self.weights["new_b"]) if "new_b" in self.weights else 0

    def reset(self, seed: int) -> None:
        """Draw as if it were new, for this seed."""
        self._random = np.random.default_rng(seed)

    def begin(self, places: Array) -> None:
        """Matches begin for the agents in these places: what is remembered of them is forgotten."""
        short = int(places.max(initial=-1)) + 1 - len(self._memory)
        if short > 0:
            self._memory = np.concatenate((self._memory, np.zeros((short, self.remembers), np.float32)))
        self._memory[places] = 0

    def inputs(self, observations: Mapping[str, Array]) -> Array:
        """float32[rows, inputs]: all that is observed, scaled, in one line for each agent."""
        rows = len(next(iter(observations.values())))
        parts = [(observations[name] * scale).reshape(rows, -1) for name, scale in self.scales.items()]
        return np.concatenate(parts, axis=1, dtype=np.float32)

    def __call__(self, observations: Mapping[str, Array], mask: Array, places: Array | None = None) -> Array:
        """int64[rows], or [rows, actions]; `places` are the rows' agents, of whom it may remember something.

        Without places nothing is remembered of anybody.
        """
        memory = None
        if self.remembers:
            memory = np.zeros((len(mask), self.remembers), np.float32) if places is None else self._memory[places]
        logits, _, memory = self.outputs(self.weights, self.inputs(observations), mask, memory)
        if places is not None and memory is not None:
            self._memory[places] = memory
        logits = np.where(mask, logits, NEVER)
        if self.draws:
            logits = logits + self._random.gumbel(size=logits.shape)
        return self.purpose.best(logits)

    @staticmethod
    def outputs(
        weights: Weights, inputs: Array, mask: Array, memory: Array | None, xp: Any = np
    ) -> tuple[Array, Array, Any]:
        """Logits of all choices, values, and what is remembered then, by the numeric library `xp`."""
        x, k = inputs, 0
        while f"w{k}" in weights:
            x = xp.tanh(x @ weights[f"w{k}"] + weights[f"b{k}"])
            k += 1
        if memory is not None:
            x = memory = _remember(weights, x, memory, xp)
        out = x @ weights["out_w"] + weights["out_b"]
        return out[:, :-1], out[:, -1], memory

    def save(self, file: str | Path) -> None:
        """A checkpoint: an `.npz` of its arrays, with its purpose."""
        np.savez(file, purpose=np.array(self.purpose.text), **self.arrays())  # type: ignore[arg-type]

    @classmethod
    def load(cls, file: str | Path) -> Network:
        """A checkpoint that was saved."""
        with np.load(file, allow_pickle=False) as kept:
            arrays = dict(kept)
        return cls.of(arrays, Purpose.read(str(arrays.pop("purpose"))))


def _remember(weights: Weights, x: Array, memory: Array, xp: Any) -> Array:
    """A gated recurrent unit (Cho et al. 2014)."""

    def gate(name: str, before: Array) -> Array:
        sums: Array = xp.concatenate((x, before), axis=1) @ weights[f"{name}_w"] + weights[f"{name}_b"]
        return sums

    kept = 0.5 + 0.5 * xp.tanh(0.5 * gate("reset", memory))
    changed = 0.5 + 0.5 * xp.tanh(0.5 * gate("update", memory))
    now: Array = memory + changed * (xp.tanh(gate("new", kept * memory)) - memory)
    return now


def _names(part: str) -> tuple[str, str]:
    """The names of a part's weights and of what is added to them."""
    return (f"w{part}", f"b{part}") if part.isdigit() else (f"{part}_w", f"{part}_b")
