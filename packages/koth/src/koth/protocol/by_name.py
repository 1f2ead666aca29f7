"""Protocols by name: a game's own, and two that every game has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.engine.plain_data import shorten
from koth.errors import GameError
from koth.game import Game
from koth.protocol.bot_protocol import BotProtocol
from koth.protocol.returned import ReturnedProtocol
from koth.protocol.schema import codec_of

FRAMES = "frames"
"""The name of the protocol of arrays, for koth's own adapters and exported policies."""
PYTHON_CLASS = "python"
"""The name of the protocol of Python classes with the API that follows from the game's declaration."""


def protocol_names(game: Game) -> list[str]:
    """Return the names of all protocols that a bot of this game can have."""
    return [*game.protocols, FRAMES, PYTHON_CLASS]


def open_protocol(game: Game, name: str, settings: Any, seats: int, options: Mapping[str, Any]) -> BotProtocol:
    """Make a new protocol object for one bot in one match; `options` are for protocols of the game."""
    if name == FRAMES:
        from koth.protocol.frames import FramesProtocol  # takes Numba, which naming protocols does not

        return FramesProtocol(game.questions(settings, seats))
    if name == PYTHON_CLASS:
        return ReturnedProtocol(codec_of(game, settings, seats))
    protocol: BotProtocol = game.protocols[name](settings, seats, **options)
    if not all(callable(getattr(protocol, method, None)) for method in ("hello", "ask", "decode", "bye")):
        raise GameError(
            f"the game {game.name}: protocols[{name!r}] must return a BotProtocol, not {shorten(protocol)}"
        )
    return protocol
