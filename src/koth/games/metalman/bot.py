"""The Python bots of metalman: hosts a class with a `step` in a process of its own.

    class Hunter:
        def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction): ...

        def step(self, state):
            return {"Spotter": {"moves": [[-1, 0]], "direction": [0, 1]},
                    "Assasin": {"moves": [], "direction": [1, 0]}}

A bot's file needs to import nothing. This module needs the standard library only.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

from koth.adapter.kit import ILLEGAL, MISSING, TimeLeft, find_bot_class
from koth.adapter.kit import debug as debug
from koth.games.metalman.atlas import play_by
from koth.games.metalman.percepts import DIRECTIONS, percepts, read_action, said_besides


class Logger:
    """The module `games.utils.Logger` that bots written for the contest import: with `print_logs` it prints."""

    def __init__(self, *args: Any, print_logs: bool = False, **options: Any) -> None:
        self.print_logs = print_logs

    def log_step(self, *args: Any, **options: Any) -> None:
        """Print what it is given; a bot's output is kept beside the match."""
        if self.print_logs and (args or options):
            print(*args, *(f"{key}={value}" for key, value in options.items()))


class OldModules(MetaPathFinder, Loader):
    """The last finder: gives bots `games.utils.Logger` unless they bring one of their own."""

    names = ("games", "games.utils", "games.utils.Logger")

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name not in self.names:
            return None
        return spec_from_loader(name, self, is_package=name != self.names[-1])

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == self.names[-1]:
            module.Logger = Logger  # type: ignore[attr-defined]


sys.meta_path.append(OldModules())


def takes_print_logs(entry: Any) -> bool:
    """Return whether the class can be called with `print_logs=True`."""
    try:
        parameters = inspect.signature(entry).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == "print_logs" or p.kind is p.VAR_KEYWORD for p in parameters)


def made(entry: Any, start: Sequence[Any]) -> Any:
    """Return an object of a bot's class.

    The statement has no constructor, so start places are passed only if the class takes them.
    """
    options = {"print_logs": True} if takes_print_logs(entry) else {}
    if takes(entry, *start, **options) or not takes(entry, **options):
        return entry(*start, **options)
    return entry(**options)


def takes(entry: Any, *words: Any, **options: Any) -> bool:
    """Return whether a callable takes these arguments, as far as its signature says."""
    try:
        inspect.signature(entry).bind(*words, **options)
    except (TypeError, ValueError):
        return False
    return True


class Host:
    """Runs the bot: koth's adapter passes each question to it."""

    def __init__(self, match_info: dict[str, Any], module: ModuleType) -> None:
        self.columns = int(match_info["columns"])
        self.left = TimeLeft(match_info)
        self.steps = (int(match_info["spotter_steps"]), int(match_info["assassin_steps"]))
        play_by(match_info)
        wanted = "a metalman bot is one class with a method step(self, state)"
        entry = find_bot_class(module, lambda c: callable(getattr(c, "step", None)), wanted)
        start = (
            tuple(match_info["spotter"]),
            tuple(match_info["assassin"]),
            *(list(DIRECTIONS[k]) for k in match_info["facing"]),
        )
        self.bot = made(entry, start)

    def answer(self, call: Any) -> None:
        """Ask the bot for its action; what it says wrong is recorded, the rest counts."""
        observation = {name: field.tolist() for name, field in call.observation.items() if name != "body"}
        self.left.update(call)
        state = percepts(observation, self.columns)
        if call.bank or call.strikes:  # as over JSON: only once some are used
            state["left"] = {"bank": self.left.bank, "strikes": self.left.strikes}
        try:
            value = self.bot.step(state)
            action = read_action(value, self.steps, observation["alive"])
            note = said_besides(action)
        except Exception:
            call.failed(0)
            return
        for piece, name in enumerate(("spotter", "assassin")):
            for k, code in enumerate(action.moves[piece]):
                call.out[f"{name}_moves"][k] = code
            call.out[f"{name}_direction"][0] = action.direction[piece]
        for text in ["step returned None: is a return missing?"] if value is None else action.missing:
            call.failed(0, MISSING, text)
        for text in action.illegal:
            call.failed(0, ILLEGAL, text)
        call.note = note
