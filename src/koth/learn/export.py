"""A policy becomes a bot: a folder that plays in contests as any other."""

from __future__ import annotations

import inspect
import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from koth.build.bot_files import MANIFEST
from koth.compile.sources import KOTH, package_root, sources
from koth.discovery.locations import check_free
from koth.encoding import Encoding
from koth.engine.settings import choose
from koth.errors import KothError
from koth.game import Field, Question
from koth.games import load, part

MAIN = '''"""{name}: a policy for {game}, exported by koth. It needs Python 3.11 or newer with NumPy."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER / "lib"))

from koth.learn.bot import main  # noqa: E402

if __name__ == "__main__":
    main(FOLDER)
'''


def export(policy: Any, folder: str | Path) -> Path:
    """Write a bot that does what the policy does; returns its folder, which must be empty or not there yet.

    A policy has a `purpose` (an environment's), `arrays()` that hold all that it consists of, and its class an
    `of(arrays, purpose)` that makes it again: so has `koth.learn.Network`, so have the random and the greedy ones.
    The class's own file goes along, with what it imports of koth and of its package; beside these it may import
    NumPy. The bot holds copies of everything: it plays on as it is when koth changes.

    Raises KothError for a policy that lacks one of these, and for a folder in which something lies.
    """
    folder = Path(folder)
    for word in ("purpose", "arrays", "of"):
        if not hasattr(policy, word):
            raise KothError(f"a policy that becomes a bot has {word!r}, this one ({type(policy).__name__}) has not")
    check_free(folder)
    game = load(policy.purpose.game)
    own = part(game, "learn")
    classes = {"policy": type(policy), "encoding": Encoding if own is None else own.Encoding}
    folder.mkdir(parents=True, exist_ok=True)
    _copy([Path(inspect.getfile(cls)).resolve() for cls in classes.values()], folder / "lib")
    told = {
        **{word: f"{_module(cls)}:{cls.__qualname__}" for word, cls in classes.items()},
        "purpose": asdict(policy.purpose),
        "questions": _questions(policy.purpose),
    }
    (folder / "policy.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    np.savez(folder / "policy.npz", **policy.arrays())
    text = f'# A policy for {game.name}.\ncommand = "python main.py"\nwire = "frames"\n'
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    (folder / "main.py").write_text(MAIN.format(name=folder.name, game=game.title), encoding="utf-8")
    return folder


def _module(cls: type) -> str:
    """The module of a class, as it is called where its file is imported."""
    file = Path(inspect.getfile(cls)).resolve()
    return ".".join(file.relative_to(package_root(file)).with_suffix("").parts)


def _copy(files: list[Path], lib: Path) -> None:
    """These modules and those that they and the bot itself import, without what compiles."""
    compiler = KOTH / "kernel.py"
    bot = KOTH / "learn" / "bot.py"
    for file in sorted(frozenset().union(*(sources(file, frozenset({compiler})) for file in (bot, *files)))):
        place = lib / file.relative_to(package_root(file))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    shutil.copyfile(KOTH / "compile" / "uncompiled.py", lib / "koth" / "kernel.py")
    for inner in lib.rglob("*"):
        if inner.is_dir() and inner.name != "__pycache__":
            (inner / "__init__.py").touch()


def _questions(purpose: Any) -> dict[str, Any]:
    """What frames do not tell of a game's questions: what is declared of their fields."""
    game = load(purpose.game)
    settings = choose(game, purpose.ruleset, purpose.settings)[1]
    return {name: _declared(question) for name, question in game.questions(settings, purpose.seats).items()}


def _declared(question: Question) -> dict[str, Any]:
    def plain(field: Field) -> dict[str, Any]:
        return {**asdict(field), "names": list(field.names)}

    observation = {name: plain(field) for name, field in question.observation.items()}
    answer = {name: plain(field) for name, field in question.answer.items()}
    return {"most": question.max_rows, "view": observation, "answer": answer}
