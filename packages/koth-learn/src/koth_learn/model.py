"""A policy in ONNX: its required inputs and outputs, and how it is run.

Runs where a policy is exported and in the bot's process: NumPy and onnxruntime only.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from koth.errors import KothError, choices
from koth.game import Array, Field
from koth_learn.spec import PolicySpec, flatten

MASK, FLAT = "mask", "flat"
LOGITS, ACTIONS = "logits", "actions"
MISSING = "a policy in ONNX needs onnxruntime in this Python: pip install onnxruntime"
DTYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int8)": np.int8, "tensor(uint8)": np.uint8, "tensor(int32)": np.int32, "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}  # fmt: skip


class Model:
    """A policy that is run by onnxruntime, on one thread.

    Inputs are observations by their names, with an axis for the rows first, `flat` (all of them as vectors), and
    `mask` (the possible choices); the model may leave some out. Inputs get the dtype that the model declares. The
    only output, or the one with this name, is `logits` (float[rows, choices]) or `actions` (int64[rows], or
    [rows, actions]). Of the possible choices the one with the highest logit is taken, or, with `random`, each with
    its probability (softmax).

    Raises KothError for bytes that are not a model, and if onnxruntime is missing.
    """

    def __init__(self, data: bytes, spec: PolicySpec, random: np.random.Generator | None = None) -> None:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it must be there before the import
        try:
            import onnxruntime
        except ImportError:
            raise KothError(MISSING) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session: Any = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # (its exceptions have no base of their own)
            text = " ".join(str(error).split())[:300]
            hint = "; its weights must be in the file itself" if "external" in text.lower() else ""
            raise KothError(f"onnxruntime can't load it: {text}{hint}") from None
        self._spec, self._random = spec, random
        self._inputs = {one.name: DTYPES.get(one.type) for one in self._session.get_inputs()}
        outputs = [one.name for one in self._session.get_outputs()]
        named = [name for name in outputs if name in (LOGITS, ACTIONS)] or outputs
        self._output = named[0]
        if len(named) > 1:
            raise KothError(
                f"it has the outputs {', '.join(outputs)}: name the policy's output {LOGITS} or {ACTIONS}"
            )

    def check(self, fields: Mapping[str, Field]) -> None:
        """Run the model and check its inputs and outputs. Raises KothError."""
        shapes = {name: field.shape for name, field in fields.items()}
        size = sum(int(np.prod(shape)) for shape in shapes.values())
        known = {**shapes, FLAT: (size,), MASK: (sum(self._spec.choices),)}
        for one in self._session.get_inputs():
            if one.name not in known:
                raise KothError(f"its input {one.name!r} is not an observation{choices(one.name, known)}")
            if one.type not in DTYPES:
                raise KothError(f"its input {one.name} is a {one.type}; it may be {', '.join(DTYPES)}")
            shape = known[one.name]
            if isinstance(one.shape[0] if one.shape else 1, int):
                raise KothError(
                    f"its input {one.name} has the shape {one.shape}: the first axis must be of any length "
                    "(a dynamic axis), for as many rows as are asked at once"
                )
            if any(
                isinstance(size, int) and size != own for size, own in zip(one.shape[1:], shape, strict=False)
            ) or (len(one.shape) != 1 + len(shape)):
                raise KothError(
                    f"its input {one.name} has the shape {one.shape}; it must be [rows, {str(shape)[1:-1]}]"
                )
        for rows in (1, 3):
            shown = {name: np.zeros((rows, *field.shape), field.dtype) for name, field in fields.items()}
            self(shown, np.ones((rows, sum(self._spec.choices)), np.bool_))

    def __call__(self, observations: Mapping[str, Array], mask: Array) -> Array:
        """Return the actions of agents (int64[rows, actions]) for their observations and masks. Raises KothError."""
        given = {**observations, MASK: mask}
        if FLAT in self._inputs:
            given[FLAT] = flatten(observations)
        fed = {name: np.ascontiguousarray(given[name], dtype) for name, dtype in self._inputs.items()}
        try:
            (said,) = self._session.run([self._output], fed)
        except Exception as error:
            raise KothError(f"it can't be run: {' '.join(str(error).split())[:300]}") from None
        rows, heads = len(mask), len(self._spec.choices)
        if said.dtype.kind in "iu":
            if self._random:
                raise KothError(f"its {self._output} are whole numbers: sample=True is for {LOGITS}")
            if said.size != rows * heads:
                raise KothError(f"its {self._output} have the shape {list(said.shape)}, not [{rows}, {heads}]")
            actions: Array = np.clip(said.reshape(rows, heads).astype(np.int64), 0, np.array(self._spec.choices) - 1)
            return actions
        if said.dtype.kind != "f" or said.shape != mask.shape:
            found = f"{said.dtype}{list(said.shape)}"
            raise KothError(f"its {self._output} are {found}, not float{list(mask.shape)}: a column for each choice")
        if self._random:  # the highest sum of a logit and Gumbel noise is a sample from the softmax
            said = said + self._random.gumbel(size=said.shape)
        return self._spec.best(np.where(mask, said, -np.inf))
