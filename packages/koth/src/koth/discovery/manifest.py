"""The manifest `koth.toml` in a bot's folder: reading and checking."""

from __future__ import annotations

import errno
import inspect
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from koth.build.bot_files import MANIFEST
from koth.errors import BotError, KothError, choices
from koth.files.bounded_read import read_text
from koth.files.shape import find_mismatch
from koth.game import Game
from koth.names import LONGEST_NAME, leads_elsewhere, visible_text
from koth.protocol.by_name import protocol_names
from koth.sandbox.environment import LIBRARIES
from koth.sandbox.policy import MEGABYTE, SandboxPolicy, memory_problem

LARGEST_MANIFEST = 1 << 16
"""The largest size of a manifest in bytes."""
MOST_DOTS = 1000
"""The largest number of dots in a line of a manifest: parsing a key of n parts takes n squared steps."""
MOST_BOTS = 1000
"""The largest number of bots in one manifest."""
LONGEST_NAME_READ = 1000
"""The largest number of a name's characters that koth reads."""

WORDS = (str, [str])
KEYS: Mapping[str, Any] = {
    "name": str,
    "game": str,
    "command": WORDS,
    "build": WORDS,
    "language": str,
    "python": str,
    "main": str,
    "protocol": str,
    "options": {},
    "entry": WORDS,
    "classpath": WORDS,
    "env": {str: str},
    "read": WORDS,
    "prebuilt": bool,
    "memory": int,
    "subprocesses": bool,
    "writable": bool,
    "seats": [int],
    "preload": WORDS,
    "bots": {str: WORDS},
}
"""The keys of a manifest with types (see `koth.files.shape`), without the options of protocols."""

COMMON_KEYS = {"name", "game", "env", "read", "memory", "subprocesses", "seats"}
PROGRAM_KEYS = COMMON_KEYS | {"build", "protocol", "options", "prebuilt", "python", "bots", "writable"}
VALID_KEYS = {
    "a bot with a command": PROGRAM_KEYS | {"command"},
    "a bot with a command.txt": PROGRAM_KEYS,
    "a bot with a build file": PROGRAM_KEYS,
    "a bot with a main file": PROGRAM_KEYS | {"main", "language"},
    "a class in Python": PROGRAM_KEYS | {"main", "language", "preload"},
    "bots for the JVM": COMMON_KEYS | {"entry", "main", "language", "classpath"},
}
"""The keys that have an effect, by kind of bot."""

SHELL_WORDS = {"&&", "||", "|", "&", ";", ">", ">>", "<", "2>", "2>&1"}
"""Words of a command that only a shell would interpret."""
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
RESERVED_VARIABLES = ("KOTH_", "PYTHONHASHSEED")
"""Prefixes of environment variables that koth sets itself."""


def read_manifest(game: Game, folder: Path) -> dict[str, Any]:
    file = folder / MANIFEST
    manifest = read_tables(file)
    if manifest.get("game", game.name) != game.name:
        raise BotError(f"{file}: game = {manifest['game']!r}: it is not a bot for {game.name}")
    protocol = manifest.get("protocol", next(iter(game.protocols)))
    if not isinstance(protocol, str) or protocol not in protocol_names(game):
        raise BotError(f"{file}: unknown protocol {protocol!r}{choices(str(protocol), protocol_names(game))}")
    options = protocol_options(game, protocol)
    for key, value in manifest.items():
        if key not in KEYS and key not in options:
            raise BotError(f"{file}: unknown key {key!r}{choices(key, [*KEYS, *options])}")
        if key in KEYS and (wrong := find_mismatch(value, KEYS[key], key)):
            raise BotError(f"{file}: {wrong}")
        if any("\0" in text for text in _texts(value)):
            raise BotError(f"{file}: {key} has the character U+0000, which is not allowed")
    chosen = {**manifest.get("options", {}), **{key: manifest[key] for key in options if key in manifest}}
    for key in chosen:
        if key not in options:
            raise BotError(f"{file}: the protocol {protocol!r} has no option {key!r}{choices(key, options)}")
    if chosen:
        try:
            game.protocols[protocol](next(iter(game.rulesets.values())), game.seats[0], **chosen)
        except (KothError, ValueError, TypeError) as error:
            raise BotError(f"{file}: {error}") from None
        manifest["options"] = chosen
    _check_values(game, file, manifest)
    if not (folder / manifest.get("main", "")).resolve().is_relative_to(folder.resolve()):
        raise BotError(f"{file}: main = {manifest['main']!r} does not lie in the bot's folder")
    return manifest


def _check_values(game: Game, file: Path, manifest: Mapping[str, Any]) -> None:
    """Refuse invalid values of valid types. Raises BotError."""
    bots, seats = manifest.get("bots", {}), manifest.get("seats", [game.seats[0]])
    if len(bots) > MOST_BOTS:
        raise BotError(f"{file}: bots: more than {MOST_BOTS:,} bots")
    if bots and "name" in manifest:
        raise BotError(f"{file}: `bots` names {len(bots)} bot{'' if len(bots) == 1 else 's'}: leave out `name`")
    if not seats or not all(number in game.seats for number in seats):
        span = f"{game.seats[0]}..{game.seats[-1]}"
        raise BotError(f"{file}: seats must be a list of whole numbers in {span}, not {seats!r:.200}")
    for word in manifest.get("env", {}):
        if not VARIABLE_NAME.fullmatch(word) or word.startswith(RESERVED_VARIABLES):
            raise BotError(f"{file}: env: a bot may not set the variable {word!r}")
    for word in manifest_words(manifest, "preload"):
        if word not in LIBRARIES:
            raise BotError(f"{file}: preload: unknown library {word!r}{choices(word, LIBRARIES)}")


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a TOML value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts([*value, *value.values()])


def read_tables(file: Path) -> dict[str, Any]:
    """Return a manifest's content, unchecked; empty without a manifest. Raises BotError."""
    if not is_there(file):
        return {}
    try:
        text = read_text(file, LARGEST_MANIFEST)
        if any(line.count(".") > MOST_DOTS for line in text.split("\n")):
            raise ValueError(f"more than {MOST_DOTS} dots in a line")
        found = tomllib.loads(text)
        str(found)  # raises ValueError for a hexadecimal number with more digits than any message can show
        return found
    except OSError as error:
        raise BotError(f"{file}: {_read_error_text(error)}") from None
    except (ValueError, RecursionError) as error:  # no text, no TOML, a huge number or too deep a list
        raise BotError(f"{file}: {error}") from None


def read_commands(file: Path) -> list[tuple[str, ...]]:
    """Return the lines of a `command.txt`, split into words. Raises BotError."""
    try:
        return [split_words(line) for line in split_lines(read_text(file, LARGEST_MANIFEST))]
    except OSError as error:
        raise BotError(f"{file}: {_read_error_text(error)}") from None
    except UnicodeDecodeError as error:
        raise BotError(f"{file}: {error}") from None


def _read_error_text(error: OSError) -> str:
    return f"it is larger than {LARGEST_MANIFEST >> 10} kB" if error.errno == errno.EFBIG else str(error.strerror)


def check_effect(
    manifest: Mapping[str, Any], folder: Path, kind: str, python: bool = True, builds: bool = True
) -> None:
    """Raise BotError for a key that has no effect on a bot of this kind (see `VALID_KEYS`).

    `python` says whether a command of the bot begins with python, `builds` whether the bot has build steps.
    """
    options = {*manifest.get("options", {})} if "options" in VALID_KEYS[kind] else set()
    for key in manifest:
        if key not in VALID_KEYS[kind] | options:
            raise BotError(f"{folder / MANIFEST}: {key} has no effect on {kind}; leave it out")
    if "python" in manifest and not python:
        raise BotError(f"{folder / MANIFEST}: python has no effect: none of its commands begins with python")
    if "prebuilt" in manifest and not builds:
        raise BotError(f"{folder / MANIFEST}: prebuilt has no effect: there is nothing to build")


def manifest_words(manifest: Mapping[str, Any], key: str) -> list[str]:
    """Return the words of a key whose value is one word or a list."""
    value = manifest.get(key, [])
    return [value] if isinstance(value, str) else list(value)


def is_there(file: Path) -> bool:
    """Return whether a file exists. Raises BotError for a link, which could lead to any file of the host."""
    try:
        is_link, is_file = file.is_symlink(), file.is_file()
    except OSError as error:
        raise BotError(f"{file}: {error.strerror}") from None
    if is_link:
        raise BotError(f"{file} is a link; a bot's folder must hold its files themselves")
    return is_file


def protocol_options(game: Game, protocol: str) -> list[str]:
    """Return a protocol's options in a manifest: the keyword-only parameters of the protocol's factory."""
    if protocol not in game.protocols:
        return []
    parameters = inspect.signature(game.protocols[protocol]).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


def policy_of(manifest: Mapping[str, Any], path: Path) -> SandboxPolicy:
    """Return a program's sandbox policy."""
    memory = manifest.get("memory", SandboxPolicy.memory // MEGABYTE)
    if problem := memory_problem(memory):
        raise BotError(f"{path}: {problem}")
    processes, own_copy = manifest.get("subprocesses", False), manifest.get("writable", False)
    return SandboxPolicy(memory=memory * MEGABYTE, processes=processes, own_copy=own_copy)


def split_lines(value: str | Sequence[str]) -> list[str]:
    lines = value.splitlines() if isinstance(value, str) else list(value)
    return [line.strip() for line in lines if line.strip()]


def split_words(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line, posix=True))
    except ValueError as error:
        raise BotError(f"the command {line!r} can't be read: {error}") from None


def check_words(words: Sequence[str], path: Path) -> None:
    """Raise BotError for a command that can't be started, or needs a shell."""
    if "\0" in "".join(words):
        raise BotError(f"{path}: a command has the character U+0000, which is not allowed")
    for word in words:
        if word in SHELL_WORDS:
            line = " ".join(words)
            raise BotError(f"{path}: {word!r} needs a shell, but no shell runs a bot's commands: {line}")


def check_name(name: str, path: Path) -> str:
    """Return the visible characters of a name, at most 40.

    Raises BotError if the result is empty, or would lead to another page in a site's address.
    """
    shown = visible_text(name[:LONGEST_NAME_READ])[:LONGEST_NAME].strip()
    if leads_elsewhere(shown):
        raise BotError(f"{path}: {name[:LONGEST_NAME_READ]!r} is not a name for a bot")
    return shown
