"""Settings of a game as a person chooses them: a ruleset, and overrides of single constants."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, get_args, get_origin, get_type_hints

from koth.engine.plain_data import shorten
from koth.engine.plain_returns import is_json
from koth.errors import SettingsError, choices, visible
from koth.files.shape import KINDS
from koth.game import Constants, Game

LARGEST_OBSERVATIONS = 1 << 29
"""The largest size in bytes of the observations of one question in a stranger's match."""
EACH = "each"
"""The key of a setting's values where a contest plays each of them: `{"map": {"each": ["maze", "open"]}}`."""
MOST_VARIANTS = 1000
"""The largest number of variants of a contest's settings."""


def expand_variants(overrides: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the overrides of every variant: all combinations of the values in `EACH`. Raises SettingsError."""
    lists = {key: one[EACH] if isinstance(one, Mapping) and EACH in one else [one] for key, one in overrides.items()}
    if not all(isinstance(values, list) and values for values in lists.values()):
        raise SettingsError(f'"{EACH}" must have a list of values')
    if (count := math.prod(map(len, lists.values()))) > MOST_VARIANTS:
        raise SettingsError(f"{count:,} variants of the settings; at most {MOST_VARIANTS:,} are allowed")
    return [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]


def choose_variants(game: Game, ruleset: str | None, given: Mapping[str, Any]) -> tuple[str, dict[str, Any], Any]:
    """Return the ruleset's name, a contest's overrides with their variants, and the settings of the first variant.

    A setting has several values if it is given as a list, or as text with commas that is not a value as a whole. The
    game's own variants hold for settings that are not given. Raises SettingsError.
    """
    if not isinstance(given, Mapping):
        return (*choose(game, ruleset, given), {})
    every = {key: {EACH: list(values)} for key, values in game.contest_defaults.variants.items()} | dict(given)
    listed = {key: {EACH: _split_values(game, ruleset, key, value)} for key, value in every.items()}
    chosen = [choose(game, ruleset, variant) for variant in expand_variants(listed)]
    values = {key: list(dict.fromkeys(getattr(settings, key) for _, settings in chosen)) for key in every}
    name, settings = chosen[0]
    return name, {key: found[0] if len(found) == 1 else {EACH: found} for key, found in values.items()}, settings


def describe_settings(overrides: Mapping[str, Any]) -> str:
    """Return overrides as text: `map=maze or open, turns=20`."""
    return visible(", ".join(f"{key}={describe_value(value)}" for key, value in overrides.items()))


def describe_value(value: Any) -> str:
    """Return an override's value as text: `maze or open`."""
    return " or ".join(map(str, value[EACH])) if isinstance(value, Mapping) and EACH in value else str(value)


def _split_values(game: Game, ruleset: str | None, key: str, value: Any) -> list[Any]:
    if isinstance(value, Mapping) and EACH in value:
        return value[EACH]  # type: ignore[no-any-return]
    if not isinstance(value, list) and not (isinstance(value, str) and "," in value):
        return [value]
    try:
        choose(game, ruleset, {key: value})
        return [value]
    except SettingsError:
        if get_origin(get_type_hints(type(next(iter(game.rulesets.values())))).get(key)) is tuple:
            return [value]
        return value if isinstance(value, list) else [word.strip() for word in value.split(",")]


def choose(game: Game, ruleset: str | None, overrides: Mapping[str, Any], *, files: bool = True) -> tuple[str, Any]:
    """Return the ruleset's name, and its settings with some constants overridden (given as text or as values).

    Of several variants the first is chosen. Without `files` no constant may name a file: koth does not open files
    that strangers' settings name. Raises SettingsError that names the key and the valid choices.
    """
    if not isinstance(overrides, Mapping):
        raise SettingsError(f"settings must be a dict of names and values, not {shorten(overrides)}")
    overrides = expand_variants(overrides)[0]
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
            inner = get_args(kind)
            wanted = f"a list of {len(inner)}: {', '.join(KINDS.get(one, 'another value') for one in inner)}"
            raise settings.refusal(key, text, wanted)
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


def _check_and_convert(settings: Constants, key: str, value: Any, kind: Any) -> Any:
    """Return a value from JSON or TOML. Raises SettingsError if the value does not have the declared type."""
    if not _fits(value, kind):
        raise settings.refusal(key, value)
    try:
        return _convert(value, kind)
    except OverflowError:  # no float represents an integer of this size
        raise settings.refusal(key, shorten(value)) from None


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


def read_settings(game: Game, record: Mapping[str, Any], variant: int = 0) -> Any:
    """Return the settings of a replay's header, or of a variant of a run's record (counted on from the first again).

    Files that the settings name are not read. Raises SettingsError.
    """
    variants = expand_variants(record["settings"])
    return choose(game, record["ruleset"] or None, variants[variant % len(variants)], files=False)[1]


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
