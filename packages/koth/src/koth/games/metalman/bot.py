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
from koth.games.metalman.atlas import use_match_info
from koth.games.metalman.percepts import DIRECTIONS, action_note, percepts, read_action


class Logger:
    """A stand-in for `games.utils.Logger`, which bots of the original contest import: with `print_logs` it prints."""

    def __init__(self, *args: Any, print_logs: bool = False, **options: Any) -> None:
        self.print_logs = print_logs

    def log_step(self, *args: Any, **options: Any) -> None:
        """Print the arguments; koth keeps a bot's output with the match."""
        if self.print_logs and (args or options):
            print(*args, *(f"{key}={value}" for key, value in options.items()))


class LoggerModule(MetaPathFinder, Loader):
    """The module `games.utils.Logger` for bots that bring none: the last finder that an import asks."""

    names = ("games", "games.utils", "games.utils.Logger")

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name not in self.names:
            return None
        return spec_from_loader(name, self, is_package=name != self.names[-1])

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == self.names[-1]:
            module.Logger = Logger  # type: ignore[attr-defined]


sys.meta_path.append(LoggerModule())


def takes_print_logs(bot_class: Any) -> bool:
    """Return whether the class can be called with `print_logs=True`."""
    try:
        parameters = inspect.signature(bot_class).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == "print_logs" or p.kind is p.VAR_KEYWORD for p in parameters)


def make_bot(bot_class: Any, start: Sequence[Any]) -> Any:
    """Make an object of a bot's class.

    The statement has no constructor, so places and directions at the start are passed only if the class takes them.
    """
    options = {"print_logs": True} if takes_print_logs(bot_class) else {}
    if takes(bot_class, *start, **options) or not takes(bot_class, **options):
        return bot_class(*start, **options)
    return bot_class(**options)


def takes(function: Any, *arguments: Any, **options: Any) -> bool:
    """Return whether a callable takes these arguments, judging by its signature."""
    try:
        inspect.signature(function).bind(*arguments, **options)
    except (TypeError, ValueError):
        return False
    return True


class Host:
    """Host of the bot: koth's adapter passes each question to it."""

    def __init__(self, match_info: dict[str, Any], module: ModuleType) -> None:
        self.columns = int(match_info["columns"])
        self.left = TimeLeft(match_info)
        self.steps = (int(match_info["spotter_steps"]), int(match_info["assassin_steps"]))
        use_match_info(match_info)
        wanted = "a metalman bot is one class with a method step(self, state)"
        bot_class = find_bot_class(module, lambda c: callable(getattr(c, "step", None)), wanted)
        start = (
            tuple(match_info["spotter"]),
            tuple(match_info["assassin"]),
            *(list(DIRECTIONS[k]) for k in match_info["facing"]),
        )
        self.bot = make_bot(bot_class, start)

    def answer(self, call: Any) -> None:
        """Ask the bot for its action: record errors, use the valid parts."""
        # The adapter adds "body", the unit's number, in every game; here a bot has one row.
        observation = {name: field.tolist() for name, field in call.observation.items() if name != "body"}
        self.left.update(call)
        state = percepts(observation, self.columns)
        if call.bank or call.strikes:  # as over JSON: only once some are used
            state["left"] = {"bank": self.left.bank, "strikes": self.left.strikes}
        try:
            value = self.bot.step(state)
            action = read_action(value, self.steps, observation["alive"])
            note = action_note(action)
        except Exception:
            call.record_fault(0)
            return
        for piece, name in enumerate(("spotter", "assassin")):
            for k, code in enumerate(action.moves[piece]):
                call.out[f"{name}_moves"][k] = code
            call.out[f"{name}_direction"][0] = action.direction[piece]
        for text in ["step returned None: is a return missing?"] if value is None else action.missing:
            call.record_fault(0, MISSING, text)
        for text in action.illegal:
            call.record_fault(0, ILLEGAL, text)
        call.note = note
