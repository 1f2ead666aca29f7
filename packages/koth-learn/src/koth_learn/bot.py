"""An exported policy as a bot, which uses the protocol `frames` and the observations of its environment.

Runs in the bot's process, from the copies that `koth_learn.export` made; nothing is compiled there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from koth.adapter import bot_adapter, kit
from koth.errors import KothError
from koth.question import Field, Observations, Question
from koth_learn.model import Model
from koth_learn.seat_policy import SeatPolicy
from koth_learn.spec import PolicySpec

Array = NDArray[Any]

assert kit, "the bot adapter looks for it among what is loaded"


class Player:
    """One match of the policy: the bot adapter passes each question to it.

    `match_info` and `questions` come from the start of the match; `declared` are the questions at the export of the
    policy, with the parts of fields that frames lack. Raises KothError if the match does not fit the policy.
    """

    def __init__(
        self,
        match_info: Mapping[str, Any],
        questions: Sequence[Mapping[str, Any]],
        declared: Mapping[str, Any],
        encoding: Any,
        spec: PolicySpec,
        model: Model,
    ) -> None:
        self._questions = {question["name"]: question_of(question, declared) for question in questions}
        self.encoding = encoding(match_info, self._questions, 1, **spec.options)
        spec.check(match_info["game"], len(match_info["names"]), self.encoding)
        self._own = SeatPolicy(match_info, self.encoding, model)
        self._seat = match_info["seat"]

    def answer(self, call: Any) -> None:
        """Answer one question of the bot adapter."""
        question = self._questions[call.question]
        observation = {
            name: values_of(field, call.observation[name], call.rows) for name, field in question.observation.items()
        }
        unit = np.frombuffer(call.observation["body"], np.int32)
        nobody = np.zeros(call.rows, np.int32)
        fields = {
            name: np.frombuffer(call.out[name], field.dtype).reshape(call.rows, *field.shape)
            for name, field in question.answer.items()
        }
        self._own.fill(Observations(question, nobody, nobody + self._seat, unit, observation), fields)


def question_of(spec: Mapping[str, Any], declared: Mapping[str, Any]) -> Question:
    """Return a question of this match: shapes as sent at the start, the rest as declared at the export."""
    own = declared[spec["name"]]
    observation = {name: field_of(own["view"][name], shape) for name, _, shape, _, _ in spec["view"]}
    answer = {name: field_of(own["answer"][name], shape) for name, _, shape, *_ in spec["answer"]}
    return Question(spec["name"], observation, answer, own["most"])


def field_of(declared: Mapping[str, Any], shape: Sequence[int]) -> Field:
    """Return the declared field with this shape."""
    legal = load_class(declared["legal"]) if ":" in declared["legal"] else declared["legal"]
    return Field(**{**declared, "shape": tuple(shape), "legal": legal})


def values_of(field: Field, values: Any, rows: int) -> Array:
    """Return the values of one field in the shape that the rules use: an axis for the rows, unless it is ragged."""
    if isinstance(values, bot_adapter.Sparse):
        full = np.zeros((rows, int(np.prod(field.shape))), field.dtype)
        counts = np.diff(np.asarray(values.start))
        full[np.repeat(np.arange(rows), counts), values.place] = values.value
        return full.reshape(rows, *field.shape)
    flat = np.frombuffer(values, field.dtype) if len(values) else np.zeros(0, field.dtype)
    return flat if field.ragged else flat.reshape(rows, *field.shape)


def load_class(path: str) -> Any:
    """Return a class by its module and its name."""
    module, name = path.split(":")
    return getattr(import_module(module), name)


def load(folder: Path, match_info: Mapping[str, Any]) -> tuple[dict[str, Any], Any, PolicySpec, Model]:
    """Return a policy's parts: declarations of the questions, the encoding's class, the spec and the model.

    A model that samples draws its random numbers from the bot's seed in this match.
    """
    policy = json.loads((folder / "policy.json").read_text(encoding="utf-8"))
    spec = PolicySpec(**policy["spec"])
    random = np.random.default_rng(match_info["seed"]) if policy["sample"] else None
    model = Model((folder / "policy.onnx").read_bytes(), spec, random)
    return policy["questions"], load_class(policy["encoding"]), spec, model


def main(folder: Path) -> None:
    """Play a match."""
    incoming, outgoing = bot_adapter.take_protocol()
    frame = bot_adapter.receive(incoming)
    if frame is None:
        return
    hello = json.loads(frame[4])
    try:
        player = Player(hello["facts"], hello["questions"], *load(folder, hello["facts"]))
    except KothError as error:
        bot_adapter.send_crash(outgoing, str(error))
        return
    bot_adapter.send(outgoing, bot_adapter.HELLO)
    bot_adapter.serve(incoming, outgoing, player, hello["questions"])
