"""Small contests of zombies, with bots that are functions and leave their players where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from koth.contest.contest import Contest
from koth.engine.secret import Secret
from koth.game import TimeControl
from koth.session.local import InlineBot

SETTINGS = {"players": 3, "vision": 2, "shoot_range": 2, "density": 0.02}


def stays(observations: Any, match_info: Any) -> dict[str, Any]:
    return {}


def still(*names: str) -> list[InlineBot]:
    """Bots of these names whose players stay in place."""
    return [InlineBot(name, stays) for name in names]


def small_contest(bots: Sequence[Any], matches: int, **more: Any) -> Contest:
    """A contest of these bots; `more` are other fields of it, or others than usual."""
    usual = {"overrides": SETTINGS, "secret": Secret.from_seed(5), "time_control": TimeControl()}
    return Contest(game="zombies", ruleset="published", matches=matches, bots=bots, **{**usual, **more})
