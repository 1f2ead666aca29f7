"""Gold, as `koth new-game gold` makes it, with messages and a Python API of its own (docs/new-game.md)."""

from typing import ClassVar

from koth_gold import observation, rules, turn
from koth_gold.protocol import open_json
from koth_gold.state import Settings
from koth_gold.text import GoldText

from koth.game import ContestDefaults, TimeControl
from koth.games.defaults import Defaults


class Gold(Defaults):
    """The game as the arena knows it; what is not said here is as in `koth.games.defaults`."""

    name = "gold"
    title = "Gold"
    seats = range(1, 17)
    rulesets: ClassVar = {"standard": Settings(), "rich": Settings(gold=20)}
    contest_defaults = ContestDefaults(matches=20, aggregate="mean", seats=4)
    time_control = TimeControl(question=0.5, bank=5.0)
    default_entrants = ("collector",)
    protocols: ClassVar = {"json": open_json, "text": GoldText}
    initial_state = staticmethod(rules.initial_state)
    questions = staticmethod(observation.questions)
    turn = staticmethod(turn.turn)


GAME = Gold()
