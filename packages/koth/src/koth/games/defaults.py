"""A base class for games, with defaults that fit most of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from koth.errors import KothError
from koth.events import default_events
from koth.game import Agents, Array, Buffers, ContestDefaults, Event, FrameSpec, State, TimeControl, Turn
from koth.protocol.declared import open_json

SIZES = ("side", "width", "height", "wraps")
"""Settings that give the board's size in a picture."""
UNSEEN = frozenset({"seed", "turn", "over"})
"""Fields of a state that pictures do not show."""


class Defaults:
    """A game with one unit per bot, and JSON as its questions declare it.

    The state must have `over` (bool[M]) and `score` (a number for each match and seat). A match's bots receive all
    settings. A frame has the fields of the state. A game overrides the methods and attributes that differ.
    """

    name: str
    seats: range

    version = 1
    contest_defaults = ContestDefaults(matches=10, aggregate="mean")
    time_control = TimeControl(bank=2.0)
    reserved_names: frozenset[str] = frozenset()
    main_names: Sequence[str] = ()
    event_kinds: Mapping[str, str] = {"out": "it is not alive any more"}
    match_info_meanings: Mapping[str, str] = {}
    frame_spec = FrameSpec()
    dice = True
    """True if matches draw random numbers: without them all seeds play the same match."""
    protocols: Mapping[str, Callable[..., Any]] = {"json": open_json}

    def match_info(self, settings: Any, state: State, match: int, seat: int) -> dict[str, Any]:
        """Return every setting."""
        return asdict(settings)

    def opening(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        """Ask nothing before the first turn."""
        yield from ()

    def over(self, state: State) -> Array:
        over: Array = state.over
        return over

    def agents(self, settings: Any, seats: int) -> Agents:
        """Return one unit for each seat, number 0."""
        return Agents.of_seats(seats)

    def alive(self, settings: Any, state: State) -> Array:
        """Return the state's `alive` (bool[M, agents]), or all agents by default; none after the end."""
        living: Array = state.alive if hasattr(state, "alive") else np.ones(state.score.shape, np.bool_)
        return living & ~self.over(state)[:, None]

    def scores(self, settings: Any, state: State) -> Array:
        scores: Array = state.score.astype(np.float64)
        return scores

    def extra_scores(self, settings: Any, state: State, match: int) -> dict[str, float]:
        """Return no scores but the bots'."""
        return {}

    def events(
        self, settings: Any, state: State, match: int, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[Event]:
        """Return an event for each unit that a bot has lost, by the frames' `alive`."""
        return default_events(before, now)

    def scratch(self) -> frozenset[str]:
        """Return no fields: all of the state is hashed."""
        return frozenset()

    def carried(self) -> frozenset[str]:
        """Return no fields: scratch is computed again in each turn."""
        return frozenset()

    def frame(self, settings: Any, state: State, match: int) -> dict[str, Any]:
        """Return the board's size from the settings, and the state of one match without scratch fields.

        `score` and `alive` are lists, other rows of integers arrays. A board (an axis for y, one for x) of flags or
        numbers is written as the squares that are not 0: `gold` becomes `gold_x` and `gold_y`. If bots have several
        units, and `alive` has one of each, `seat` names their owners, `alive` counts those that live, and the dead
        are off the board.
        """
        frame: dict[str, Any] = {key: getattr(settings, key) for key in SIZES if hasattr(settings, key)}
        for name, array in zip(state._fields, state, strict=True):
            values = array[match]
            if name in UNSEEN or name in self.scratch():
                continue
            if values.ndim == 2:
                frame[f"{name}_y"], frame[f"{name}_x"] = np.nonzero(values)
            elif values.ndim == 1 and values.dtype.kind in "iu" and name not in ("score", "alive"):
                frame[name] = values.astype(np.int64)
            else:
                frame[name] = (values + 0).tolist()
        return self._by_bot(frame, settings, state.score.shape[1])

    def _by_bot(self, frame: dict[str, Any], settings: Any, seats: int) -> dict[str, Any]:
        """Return the frame; if `alive` has more units than bots, add owners and count the living of each bot."""
        living = frame.get("alive", [])
        if len(living) <= seats:
            return frame
        owner = self.agents(settings, seats).seat.astype(np.int64)
        if len(owner) != len(living):
            raise KothError(
                f"{self.name}: `alive` has {len(living)} units and `agents` {len(owner)}; both must be of the same "
                "units: Agents.of_seats(seats, UNITS) makes UNITS for each seat"
            )
        for name in {"x", "y"} & frame.keys():
            frame[name] = np.where(living, frame[name], -1)
        return {"seat": owner, **frame, "alive": np.bincount(owner, living, seats).astype(int).tolist()}
