"""A strategy of Axelrod's library, unchanged: `bot.py MODULE CLASS`.

Importing all of Axelrod takes seconds (torch, dask, matplotlib) in every match, so only its core and the module of
the one strategy are imported.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

MODULE, CLASS = sys.argv[1:]
ROOT = next(Path(place, "axelrod") for place in sys.path if Path(place, "axelrod", "player.py").is_file())


def stub(name: str, folder: Path | None = None) -> Any:
    """Return a module of this name, empty or with the modules of a folder, in place of the library's own."""
    sys.modules[name] = module = ModuleType(name)
    module.__path__ = [str(folder)] if folder else []
    return module


axelrod = stub("axelrod", ROOT)
stub("axelrod.strategies", ROOT / "strategies")
if CLASS not in ("FirstByGraaskamp", "FirstBySteinAndRapoport"):  # only these call it; importing it takes a second
    stub("scipy.stats").chisquare = None
axelrod.Action = importlib.import_module("axelrod.action").Action
axelrod.DEFAULT_TURNS = 200
axelrod._module_random = importlib.import_module("axelrod.random_").RandomGenerator()
DefaultGame = importlib.import_module("axelrod.game").DefaultGame
Player = importlib.import_module("axelrod.player").Player
Strategy = getattr(importlib.import_module(f"axelrod.strategies.{MODULE}"), CLASS)
ACTIONS = {"C": axelrod.Action.C, "D": axelrod.Action.D}


class Bot:
    """A match of the strategy."""

    def __init__(self, info: Any) -> None:
        self.player, self.opponent = Strategy(), Player()
        self.player.set_match_attributes(length=info.turns, game=DefaultGame, noise=0)
        self.player.set_seed(info.seed % 2**32)

    def act(self, obs: Any) -> str:
        """Return C or D."""
        if obs.turn:
            mine, theirs = ACTIONS[obs.mine], ACTIONS[obs.theirs]
            self.player.update_history(mine, theirs)
            self.opponent.update_history(theirs, mine)
        return str(self.player.strategy(self.opponent))
