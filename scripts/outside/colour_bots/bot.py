"""A bot of the Colour Battle contest, unchanged: `bot.py MODULE CLASS`.

Its modules lie in the clone of the contest's repository, which the host lets bots read.
"""

from __future__ import annotations

import importlib
import random
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np

np.bool8 = np.bool_  # type: ignore[attr-defined]  # NumPy 2 has dropped a name that one of them uses
MODULE, CLASS = sys.argv[1:]
Robot = getattr(importlib.import_module(f"robots.{MODULE}"), CLASS)
Move = importlib.import_module("robots.bot_control").Move
WAYS = {Move.UP: "south", Move.DOWN: "north", Move.LEFT: "west", Move.RIGHT: "east"}


class Bot:
    """A match of the bot, with the arguments that the contest's own controller passes."""

    def __init__(self, info: Any) -> None:
        random.seed(info.seed)
        np.random.seed(info.seed % 2**32)
        self.seat, self.robot = info.seat, Robot()
        self.game = SimpleNamespace(number_of_rounds=info.turns)

    def act(self, obs: Any) -> str:
        """Return where the bot goes; a crash is not a move, as in the contest."""
        numbers = np.array([0, *obs.number], np.int16)
        grid = numbers[np.array(obs.canvas)]
        grid.flags.writeable = False
        places = [np.array(place, np.int16) for place in zip(obs.x, obs.y, strict=True)]
        bots = [{"id": number, "position": place} for number, place in zip(obs.number, places, strict=True)]
        self.robot.id, self.robot.position = obs.number[self.seat], places[self.seat]
        self.game.grid_size, self.game.current_round = len(grid), obs.turn + 1
        try:
            return WAYS.get(self.robot.determine_next_move(grid, bots, self.game), "stay")
        except Exception:
            return "stay"
