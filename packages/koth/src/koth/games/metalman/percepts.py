"""The statement's dictionaries: percepts sent to a bot, and the action that it returns.

Bots' processes import it: standard library only, so it repeats some names of `state` and `terrain`, which need NumPy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

DIRECTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""(rows, columns) of a step UP, RIGHT, DOWN, LEFT, by the codes of `terrain`."""
NONE = 4
"""The code for no step, and for keeping the direction."""
STATEMENT_PIECES = ("spotter", "assasin")
"""The pieces as the statement spells them, also in its keys; `state.PIECES` are koth's own names."""
PARTS = ("Spotter", "Assasin")
"""The keys of an action."""
ABSENT = object()
"""A marker for a missing key, because bots send None as a value."""
BOARD = ("board", "enemy_row", "enemy_column", "enemy_facing")
OWN = ("row", "column", "facing", "alive")
"""Fields that `percepts` converts. Every other field must be a single number, and stays unchanged."""
KEYS = {"circles": "circles collapsed"}
"""The statement's key of a field, if it differs from the field's name."""


def plain_fields(names: Iterable[str]) -> dict[str, str]:
    """Return the dictionary's key of each field that is a single number, by field."""
    return {name: KEYS.get(name, name) for name in names if name not in (*BOARD, *OWN)}


def percepts(observation: Mapping[str, Sequence[int]], columns: int) -> dict[str, Any]:
    """Return an observation in the statement's words (rule 15). `observation` has the fields of one row, flat."""
    flat: list[Any] = list(observation["board"])
    board = [flat[start : start + columns] for start in range(0, len(flat), columns)]
    enemies = zip(observation["enemy_row"], observation["enemy_column"], observation["enemy_facing"], strict=True)
    for number, (row, column, code) in enumerate(enemies):
        if row >= 0:
            board[row][column] = {
                "playerId": number // 2,
                "direction": list(DIRECTIONS[code]),
                "type": STATEMENT_PIECES[number % 2],
                "square": board[row][column],
            }
    places = list(zip(observation["row"], observation["column"], strict=True))
    facing = [list(DIRECTIONS[code]) for code in observation["facing"]]
    return {
        "board": board,
        **{key: value for name, key in plain_fields(observation).items() for (value,) in [observation[name]]},
        "spotter location": places[0],
        "assasin location": places[1],
        "spotter alive": bool(observation["alive"][0]),
        "assasin alive": bool(observation["alive"][1]),
        "spotter direction": facing[0],
        "assasin direction": facing[1],
    }


class Action(NamedTuple):
    """A parsed action: codes per piece, the keys that have no meaning (`extra`), and the errors found."""

    moves: tuple[list[int], list[int]]
    direction: tuple[int, int]
    extra: dict[str, Any]
    missing: list[str]
    illegal: list[str]


def read_action(value: Any, steps: Sequence[int], alive: Sequence[int]) -> Action:
    """Read the valid parts of an action (rule 8); `steps` and `alive` are the numbers for spotter and assassin.

    Parts for dead pieces are never errors.
    """
    action = Action(([], []), (NONE, NONE), {}, [], [])
    if value is None:
        action.missing.append("there is no action")
        return action
    if not isinstance(value, Mapping):
        action.illegal.append(f"an action must be a dictionary, not {_short(value)}")
        return action
    directions = []
    for piece, name in enumerate(PARTS):
        part = value.get(name, ABSENT)
        blamed = (action.missing, action.illegal) if alive[piece] else ([], [])
        wrong = WrongAction(name, *blamed, value)
        if isinstance(part, Mapping):
            wrong = wrong._replace(said=part)
            _read_moves(part.get("moves", ABSENT), steps[piece], action.moves[piece], wrong)
            directions.append(_read_direction(part.get("direction", ABSENT), wrong))
        else:
            wrong.about("", part, "a dictionary")
            directions.append(NONE)
    action.extra.update((str(key), extra) for key, extra in value.items() if key not in PARTS)
    return action._replace(direction=(directions[0], directions[1]))


def action_note(action: Action) -> Any:
    """Return the note for the replay (rule 8): the unknown keys, or only the value of a `note`."""
    extra = plain(action.extra)
    return extra["note"] if list(extra) == ["note"] else extra or None


class WrongAction(NamedTuple):
    """The errors of one part of an action; `said` is the dictionary in which its keys are searched."""

    part: str
    missing: list[str]
    illegal: list[str]
    said: Mapping[Any, Any]

    def about(self, key: str, value: Any, wanted: str) -> None:
        """Record that a value is missing or wrong."""
        place = f"{self.part} {key}".strip()
        if value is ABSENT:
            self.missing.append(f"{place} is missing{_misspelt(key or self.part, self.said)}")
        else:
            self.illegal.append(f"{place} must be {wanted}, not {_short(value)}")


def _misspelt(key: str, said: Mapping[Any, Any]) -> str:
    """Return a hint at a key that differs in spelling only: the statement has "Assasin", with a capital."""
    for other in said:
        if isinstance(other, str) and _plain(other) == _plain(key):
            return f": {other!r} is spelled otherwise"
    return ""


def _plain(key: str) -> str:
    return key.strip().lower().rstrip("s").replace("ss", "s")


def _read_moves(value: Any, most: int, moves: list[int], wrong: WrongAction) -> None:
    if not isinstance(value, (list, tuple)):
        wrong.about("moves", value, "a list")
        return
    for step in value[:most]:
        code = _code(step)
        if code is None and _vector(step) != (0, 0):
            wrong.about("moves", step, "steps like [-1, 0]")
        moves.append(NONE if code is None else code)


def _read_direction(value: Any, wrong: WrongAction) -> int:
    code = _code(value)
    if code is None:
        wrong.about("direction", value, "one of [-1, 0], [0, 1], [1, 0], [0, -1]")
        return NONE
    return code


def _code(value: Any) -> int | None:
    """Return the code of a direction's vector; None if it is not one of the four."""
    vector = _vector(value)
    return DIRECTIONS.index(vector) if vector in DIRECTIONS else None


def _vector(value: Any) -> tuple[int, int] | None:
    """Return a list or tuple of two integers (of any integer type, but no booleans) as a tuple, else None."""
    if not isinstance(value, (list, tuple)) or len(value) != 2 or any(isinstance(n, bool) for n in value):
        return None
    try:
        return operator.index(value[0]), operator.index(value[1])
    except TypeError:
        return None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def plain(value: Any, depth: int = 20) -> Any:
    """Return a value as JSON; other values become the nearest JSON value, or the name of their type."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**63 else "<int>"
    if isinstance(value, float):
        return float(value) if abs(value) < float("inf") else str(float(value))
    if depth == 0:
        return "..."
    if isinstance(value, Mapping):
        return {str(plain(key, 2)): plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, depth - 1) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item, depth - 1) for item in value), key=repr)
    tolist: Callable[[], Any] | None = getattr(value, "tolist", None)
    return plain(tolist(), depth - 1) if callable(tolist) else f"<{type(value).__name__}>"
