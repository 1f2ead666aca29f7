"""Policies in ONNX, made by hand: what training exports, without what trains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from koth_learn import Environment

ROWS = "rows"


def linear(env: Environment, seed: int = 1, **changed: Any) -> bytes:
    """Return a policy whose logits are a random linear function of everything that is observed."""
    shapes = {name: field.shape for name, field in env.encoding.observations.items()}
    random = np.random.default_rng(seed)
    weights: dict[str, np.ndarray] = {}
    nodes, parts = [], []
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        weights[f"w_{name}"] = random.normal(0, 1, (size, sum(env.choices))).astype(np.float32)
        nodes.append(helper.make_node("Flatten", [name], [f"flat_{name}"], axis=1))
        nodes.append(helper.make_node("MatMul", [f"flat_{name}", f"w_{name}"], [f"part_{name}"]))
        parts.append(f"part_{name}")
    nodes.append(helper.make_node("Sum", parts, ["logits"]))
    return model(nodes, shapes, {"logits": (sum(env.choices),)}, weights, **changed)


def model(
    nodes: Sequence[Any],
    inputs: Mapping[str, Sequence[int]],
    outputs: Mapping[str, Sequence[int]],
    weights: Mapping[str, np.ndarray],
    *,
    rows: Any = ROWS,
    dtype: int = TensorProto.FLOAT,
    said: int = TensorProto.FLOAT,
) -> bytes:
    """Return a model of these nodes; inputs and outputs have an axis for the rows before their shapes."""
    graph = helper.make_graph(
        list(nodes),
        "policy",
        [helper.make_tensor_value_info(name, dtype, [rows, *shape]) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, said, [rows, *shape]) for name, shape in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return made.SerializeToString()
