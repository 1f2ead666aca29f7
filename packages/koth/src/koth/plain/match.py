"""One match of a plain game: the class that its author writes, and its dice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from koth.engine.plain_data import PlainType, types_of
from koth.events import default_events
from koth.game import Event
from koth.rng import derive, draw

Settings = TypeVar("Settings")


class Dice:
    """The random numbers of one turn of a match: each depends only on its address."""

    def __init__(self, seed: int, turn: int) -> None:
        self._seed, self._turn = seed, turn
        self._drawn: set[tuple[int, int]] = set()

    def integer(self, phase: int, index: int, n: int) -> int:
        """Return a uniform integer below `n`. Raises ValueError for an address that this turn has used before."""
        if (phase, index) in self._drawn:
            raise ValueError(
                f"dice ({phase}, {index}) are drawn twice in a turn: give each draw of a phase its own index"
            )
        if not 1 <= n <= 1 << 31:
            raise ValueError(f"dice ({phase}, {index}): n must be in 1..{1 << 31}, not {n}")
        self._drawn.add((phase, index))
        return int(draw(self._seed, self._turn, phase, index, n))

    def random(self, phase: int) -> Random:
        """Return a generator for this phase, for engines that need one, always in the same state at first.

        Raises ValueError for a phase that this turn has used before.
        """
        if (phase, -1) in self._drawn:
            raise ValueError(f"dice.random({phase}) is made twice in a turn: give each generator its own phase")
        self._drawn.add((phase, -1))
        return Random(derive(self._seed, "random", self._turn, phase))

    def shuffled(self, phase: int, items: Iterable[Any]) -> list[Any]:
        """Return the items in a random order; it uses the indices of `phase` from 0 on, one for each item."""
        found = list(items)
        for k in range(len(found) - 1, 0, -1):
            other = self.integer(phase, k, k + 1)
            found[k], found[other] = found[other], found[k]
        return found


@dataclass
class CallContext:
    """The context of a call of a match's method; it is not part of the state."""

    settings: Any
    seats: int
    turn: int = 0
    dice: Dice | None = None
    gone: list[int] = field(default_factory=list)


class Match(Generic[Settings]):
    """Base class of a plain game's match; the annotated fields of a subclass, and `kept`, are its state.

    `reset` sets all fields. Methods may change nothing else, and fields only in `reset` and `step`.
    """

    kept: ClassVar[tuple[str, ...]] = ()
    """Names of attributes that are not plain data, such as an old engine: koth keeps these objects in memory only.

    A copy of a match has deep copies of them; a replay is played again from the answers.
    """
    _context: CallContext

    @classmethod
    def state_types(cls) -> dict[str, PlainType]:
        """Return the declared types of the state by field."""
        return types_of(cls, Match, cls.kept)

    @property
    def settings(self) -> Settings:
        """The match's settings."""
        settings: Settings = self._context.settings
        return settings

    @property
    def seats(self) -> int:
        """The number of bots; their seats are numbered from 0."""
        return self._context.seats

    @property
    def turn(self) -> int:
        """The number of turns, in `step` including the current one."""
        return self._context.turn

    @property
    def dice(self) -> Dice:
        """The random numbers of this turn. Raises RuntimeError in methods that may not draw any."""
        if self._context.dice is None:
            raise RuntimeError("dice are drawn in reset and step only: store the numbers in the state")
        return self._context.dice

    @property
    def gone(self) -> Sequence[int]:
        """The seats of bots that are known to be dead for good, whose answers are the defaults; in `step` only."""
        return self._context.gone

    def reset(self) -> None:
        """Set every field of the state to its value at the start."""
        raise NotImplementedError("must be written")

    def observe(self, seat: int) -> Mapping[str, Any]:
        """Return this bot's observation without `shared_observation`: a value for each other field.

        Values are as in JSON, or NumPy arrays of the declared shape; arrays hold the numbers of names.
        """
        return {}

    def shared_observation(self) -> Mapping[str, Any]:
        """Return the fields of the question that are the same for all bots (default: none)."""
        return {}

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        """Play one turn with the answers of the asked bots, by seat, each by the names of its fields.

        Values are as declared, names are texts; an answer that is missing or wrong holds the defaults.
        """
        raise NotImplementedError("must be written")

    def is_over(self) -> bool:
        """Return whether the match is over."""
        raise NotImplementedError("must be written")

    def scores(self) -> Sequence[float]:
        """Return the score of each seat so far (default: the field `score`)."""
        scores: Sequence[float] = self.score  # type: ignore[attr-defined]
        return scores

    def is_alive(self, seat: int) -> bool:
        """Return whether this bot can still be asked in the match (default: True)."""
        return True

    def question(self) -> str:
        """Return the name of the question that this turn asks; required if the game has several questions."""
        return ""

    def asked(self) -> Collection[int]:
        """Return the seats that are asked in this turn (default: all living bots' seats)."""
        return [seat for seat in range(self.seats) if self.is_alive(seat)]

    def match_info(self, seat: int) -> Mapping[str, Any]:
        """Return the match info in the hello of this bot (default: all settings)."""
        return asdict(self.settings)  # type: ignore[call-overload,no-any-return]

    def events(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> Sequence[Event]:
        """Return the events of the finished turn, between these frames (default: which bots are out)."""
        return default_events(before, now)

    def frame(self) -> Mapping[str, Any]:
        """Return the frame for pictures, as JSON (default: the state).

        A `list[tuple[int, int]]` of positions `(x, y)` becomes two lists: `gold` becomes `gold_x` and `gold_y`. A
        list of dataclasses with fields `x` and `y` becomes a list for each field: `gold_x`, `gold_y`, `gold_value`.
        The first list whose items also have a field `seat` gives the pieces: `x`, `y`, `seat`, and their other
        fields.
        """
        types = self.state_types()
        found: dict[str, Any] = {}
        for name, one in types.items():
            value = getattr(self, name)
            if one.words == "list[tuple[int, int]]":
                found[f"{name}_x"], found[f"{name}_y"] = [x for x, _ in value], [y for _, y in value]
            elif "x" in one.item_fields and "y" in one.item_fields:
                fields = one.item_fields
                prefix = "" if "seat" in fields and fields.keys().isdisjoint({*found, *types}) else f"{name}_"
                for key, part in fields.items():
                    found[prefix + key] = [part.write(getattr(item, key), key, {}) for item in value]
            else:
                found[name] = one.write(value, name, {})
        return found
