"""Bots for the JVM written, loaded and played by tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from koth.bots.folder import Bot, Interpreters, load, load_all, sample_path
from koth.game import Budgets
from koth.games import load as load_game
from koth.match import Result, play

GAME = load_game("zombies")
SMALL: Any = replace(GAME.rulesets["published"], players=4, density=0.02)
"""Four players a bot: short matches."""
HEAD = "package player;\nimport zombie.*;\nimport java.util.*;\n"
PATIENT = Budgets(start=60, question=30)


def java(name: str, turn: str = "return Move.STAY;", more: str = "") -> str:
    """The source of an entry: what its doTurn does, and what else is in its class."""
    body = f"{more}{more and chr(10)}  public Action doTurn(PlayerContext context) {{\n{turn}\n  }}"
    return f"{HEAD}public class {name} implements Player {{\n{body}\n}}\n"


def written(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder, with these files in it."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def bots_at(path: Path) -> list[Bot]:
    """The bots of this file or folder."""
    return load_all(GAME, path, Interpreters())


def names_at(path: Path) -> list[str]:
    """Their names."""
    return [bot.name for bot in bots_at(path)]


def fight(
    bots: Sequence[Bot], settings: Any = SMALL, seed: int = 3, budgets: Budgets = PATIENT, **more: Any
) -> Result:
    """Play these bots against one that stands still."""
    quiet = load(GAME, sample_path("zombies", "stand_still"), Interpreters())
    return play(GAME, settings, [*bots, quiet], seed, budgets=budgets, **more)
