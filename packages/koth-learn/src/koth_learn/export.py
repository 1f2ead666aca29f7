"""Export of a policy in ONNX as a bot: a folder that plays in contests like any other."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from koth.build.bot_files import MANIFEST
from koth.compile.sources import KOTH, find_sources, package_root
from koth.discovery.locations import check_free
from koth.errors import KothError
from koth.game import Field, Question
from koth_learn.encodings import encode
from koth_learn.environment import Environment
from koth_learn.model import Model

MAIN = '''"""{name}: a policy for {game}, exported by koth. It needs Python 3.11 or newer, NumPy and onnxruntime."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER / "lib"))

from koth_learn.bot import main  # noqa: E402

if __name__ == "__main__":
    main(FOLDER)
'''
TRIED = 16
"""The largest number of seats for which the shapes of matches are compared."""


def export(model: str | Path | bytes, folder: str | Path, env: Any, *, sample: bool = False) -> Path:
    """Write a bot that plays by an ONNX policy for `env`; return its folder, which must be empty or new.

    `model` is a file or its bytes: see `koth_learn.model.Model` for its inputs and outputs. `env` is the environment,
    an adapter of it, or a wrapper around one. The bot takes the choice with the highest logit, or with `sample` draws
    one by its probability, from the seed that a bot gets in each match; contests and `koth_learn.evaluate` play the
    folder alike. The folder holds copies of everything, so that the bot does not change when koth does. If shapes
    depend on the number of seats, the manifest lists the numbers that the bot can play.

    Raises KothError for a model that does not fit, and for a folder that is not empty.
    """
    folder, inner = Path(folder), getattr(env, "unwrapped", env)
    native = getattr(inner, "native", inner)
    if not isinstance(native, Environment):
        raise KothError(f"export takes an environment of koth_learn, not a {type(env).__name__}")
    named = "the model" if isinstance(model, bytes) else str(model)
    try:
        data = model if isinstance(model, bytes) else Path(model).read_bytes()
    except OSError as error:
        raise KothError(f"{named}: {error.strerror}") from None
    check_free(folder)
    seats = _seats(native)
    spec = replace(native.spec, seats=seats)
    try:
        Model(data, spec, np.random.default_rng() if sample else None).check(native.encoding.observations)
    except KothError as error:
        raise KothError(f"{named}: {error}") from None
    folder.mkdir(parents=True, exist_ok=True)
    questions = native.encoding.questions
    legal = [
        field.legal for question in questions.values() for field in question.answer.values() if callable(field.legal)
    ]
    _copy([type(native.encoding), *legal], folder / "lib")
    policy = {
        "encoding": _place(type(native.encoding)),
        "spec": asdict(spec),
        "sample": sample,
        "questions": {name: _describe_question(question) for name, question in questions.items()},
    }
    (folder / "policy.json").write_text(json.dumps(policy, indent=1) + "\n", encoding="utf-8")
    (folder / "policy.onnx").write_bytes(data)
    lines = [f"# A policy for {native.game.name}.", 'command = "python main.py"', 'protocol = "frames"']
    lines += [f"seats = {seats}"] if seats else []
    (folder / MANIFEST).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "main.py").write_text(MAIN.format(name=folder.name, game=native.game.title), encoding="utf-8")
    return folder


def _seats(env: Environment) -> list[int]:
    """Return the numbers of seats at which matches have the shapes of this environment's; [] if all have."""
    game, settings = env.game, env.settings
    tried = [number for number in game.seats if number <= TRIED or number == env.seats]
    fit = []
    for seats in tried:
        try:
            encoding = encode(game, settings, seats, 1, env.spec.options)
        except KothError:  # these settings can't be played by that many
            continue
        fit += [seats] if env.spec.has_shapes_of(encoding) else []
    return [] if len(fit) == len(tried) else fit


def _place(thing: Any) -> str:
    """Return a class's or function's name and its module's, as the module is named when its file is imported."""
    file = Path(inspect.getfile(thing)).resolve()
    module = ".".join(file.relative_to(package_root(file)).with_suffix("").parts)
    return f"{module}:{thing.__qualname__}"


def _copy(things: Sequence[Any], lib: Path) -> None:
    """Copy the modules of these objects, and the modules that these and the bot import, without compilers."""
    compiler, bot = KOTH / "kernel.py", Path(__file__).with_name("bot.py")
    files = {bot, *(Path(inspect.getfile(thing)).resolve() for thing in things)}
    for file in sorted(set().union(*(find_sources(file, frozenset({compiler})) for file in files))):
        place = lib / file.relative_to(package_root(file))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    shutil.copyfile(KOTH / "compile" / "uncompiled.py", lib / "koth" / "kernel.py")
    for inner in lib.rglob("*"):
        if inner.is_dir() and inner.name != "__pycache__":
            (inner / "__init__.py").touch()


def _describe_question(question: Question) -> dict[str, Any]:
    """Return the part of a question's declaration that `frames` does not send: names, bounds and meanings."""

    def plain(field: Field) -> dict[str, Any]:
        legal = _place(field.legal) if callable(field.legal) else field.legal
        return {**asdict(field), "names": list(field.names), "legal": legal}

    observation = {name: plain(field) for name, field in question.observation.items()}
    answer = {name: plain(field) for name, field in question.answer.items()}
    return {"most": question.max_rows, "view": observation, "answer": answer}
