"""Pictures of a match in letters."""

from __future__ import annotations

from typing import Any

from koth.errors import KothError, choices
from koth.games.board_text import board_text
from koth_learn.environment import Environment

MODES = ("ansi", "human")
"""All render modes: text, or text that is printed."""


class RenderModeError(KothError, TypeError):
    """Raised for a mode that there is not: after a TypeError Stable-Baselines3's make_vec_env does without a mode."""


def check_mode(mode: str | None) -> str | None:
    """Return a render mode. Raises RenderModeError for an unknown mode."""
    if mode is not None and mode not in MODES:
        raise RenderModeError(f"there is no render mode {mode!r}{choices(mode, MODES)}")
    return mode


def render_match(env: Environment, mode: str | None) -> Any:
    """Return the first match in this mode; `human` prints the text and returns None, as no mode does."""
    if mode == "ansi":
        return text_of(env)
    if mode == "human":
        print(text_of(env))
    return None


def text_of(env: Environment) -> str:
    """Return the board of the first match in letters."""
    frame = env.game.frame(env.settings, env.state, 0)
    match_info = env.game.match_info(env.settings, env.state, 0, 0)
    return "\n".join(board_text(env.game, frame, match_info))
