"""Settings of a game as a person chooses them: a ruleset, and overrides of single constants."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, get_args, get_origin, get_type_hints

from koth.engine.plain_data import shorten
from koth.engine.plain_returns import is_json
from koth.errors import SettingsError, choices
from koth.files.shape import KINDS
from koth.game import Constants, Game

LARGEST_OBSERVATIONS = 1 << 29
"""The largest size in bytes of the observations of one question in a stranger's match."""


def choose(game: Game, ruleset: str | None, overrides: Mapping[str, Any], *, files: bool = True) -> tuple[str, Any]:
    """Return the ruleset's name, and its settings with some constants overridden (given as text or as values).

    Without `files` no constant may name a file: koth does not open files that strangers' settings name. Raises
    SettingsError that names the key and the valid choices.
    """
    if not isinstance(overrides, Mapping):
        raise SettingsError(f"settings must be a dict of names and values, not {shorten(overrides)}")
    name = ruleset or next(iter(game.rulesets))
    if name not in game.rulesets:
        raise SettingsError(f"{game.name} has no ruleset {name!r}{choices(name, game.rulesets)}")
    settings = game.rulesets[name]
    hints = get_type_hints(type(settings))
    types = {field.name: hints[field.name] for field in dataclasses.fields(settings)}
    changes = {}
    for key, value in overrides.items():
        if key not in types:
            raise SettingsError(f"{game.name} has no setting {key!r}{choices(key, types)}")
        changes[key] = (_parse if isinstance(value, str) else _check_and_convert)(settings, key, value, types[key])
    for key, names_file in {} if files else getattr(type(settings), "FILES", {}).items():
        if isinstance(changes.get(key), str) and names_file(changes[key]):
            raise SettingsError(f"{key}: {game.name} does not know this name, and files are not read here")
    try:
        chosen = dataclasses.replace(settings, **changes)
    except (TypeError, ValueError) as error:
        raise SettingsError(str(error)) from error
    for key, value in changes.items():
        if not is_json(value):  # a replay's header could not hold it
            raise settings.refusal(key, value)
    return name, chosen


def _parse(settings: Constants, key: str, text: str, kind: Any) -> Any:
    if get_origin(kind) is tuple and text.lstrip().startswith("["):  # lists of lists
        try:
            return _check_and_convert(settings, key, json.loads(text), kind)
        except (ValueError, RecursionError):
            raise settings.refusal(key, text) from None
    if get_origin(kind) is tuple:
        words = [word.strip() for word in text.split(",")] if text.strip() else []
        kinds = _item_kinds(kind, len(words))
        if kinds is None:
            raise settings.refusal(key, text, _describe_length(kind))
        return tuple(_parse_one(settings, key, word, one) for word, one in zip(words, kinds, strict=True))
    return _parse_one(settings, key, text, kind)


def _parse_one(settings: Constants, key: str, text: str, kind: Any) -> Any:
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() not in words:
            raise settings.refusal(key, text)
        return words[text.lower()]
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            raise settings.refusal(key, text) from None
    return text


def _item_kinds(kind: Any, count: int) -> tuple[Any, ...] | None:
    """Return the declared types of the items of a tuple; None if the tuple can't have this number of items."""
    inner = get_args(kind)
    if inner[1:] == (...,):
        return inner[:1] * count
    return inner if len(inner) == count else None


def _describe_length(kind: Any) -> str:
    inner = get_args(kind)
    return f"a list of {len(inner)}: {', '.join(KINDS.get(one, 'another value') for one in inner)}"


def _check_and_convert(settings: Constants, key: str, value: Any, kind: Any) -> Any:
    """Return a value from JSON or TOML. Raises SettingsError if the value does not have the declared type."""
    if not _fits(value, kind):
        raise settings.refusal(key, value)
    return _convert(value, kind)


def _convert(value: Any, kind: Any) -> Any:
    if get_origin(kind) is tuple:
        kinds = _item_kinds(kind, len(value)) or ()
        return tuple(_convert(item, one) for item, one in zip(value, kinds, strict=True))
    if kind in (int, float):
        return kind(value)  # NumPy's numbers are not JSON, and 1 is a float where one is declared
    return tuple(value) if isinstance(value, list) else value


def _fits(value: Any, kind: Any) -> bool:
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    if get_origin(kind) is tuple:
        kinds = _item_kinds(kind, len(value)) if isinstance(value, list | tuple) else None
        return kinds is not None and all(map(_fits, value, kinds))
    return kind not in KINDS or isinstance(value, kind)


def read_settings(game: Game, record: Mapping[str, Any]) -> Any:
    """Return the settings of a replay's header or a run's record; files that the settings name are not read.

    Raises SettingsError.
    """
    return choose(game, record["ruleset"] or None, record["settings"], files=False)[1]


def check_size(game: Game, settings: Any, seats: int) -> None:
    """Raise SettingsError for strangers' matches whose observations or answers would fill the memory."""
    for question in game.questions(settings, seats).values() if seats in game.seats else ():
        fields = (*question.observation.values(), *question.answer.values())
        size = question.max_rows * sum(field.size for field in fields)
        if size > LARGEST_OBSERVATIONS:
            raise SettingsError(
                f"with these settings a question has {size >> 20} MB; at most {LARGEST_OBSERVATIONS >> 20} MB "
                "are allowed"
            )
