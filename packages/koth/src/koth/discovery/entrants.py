"""The entrants of a command line, with unique names."""

from __future__ import annotations

import difflib
import itertools
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from koth.build.bot_files import COMMANDS, MANIFEST
from koth.discovery.archives import Allowance, unpack_zip
from koth.discovery.digest import reading
from koth.discovery.folder import MOST_NAMED, BotSpec, FoundEntrants, parse_spec, read_bots
from koth.discovery.interpreters import Interpreters
from koth.discovery.languages import LANGUAGES
from koth.discovery.locations import ZIP, Locations, find_locations, is_excluded, is_one_bot, is_zip
from koth.discovery.manifest import check_name
from koth.discovery.projects import refuse_unknown
from koth.discovery.samples import find_sample, sample_names
from koth.errors import BotError, choices
from koth.game import Game
from koth.sandbox.failures import refuse_at_bugs
from koth.sandbox.isolation import PLAIN, Isolation
from koth.sandbox.mounts import PACKAGE
from koth.session.bot import Bot


def find_only(
    game: Game,
    word: str | BotSpec,
    interpreters: Interpreters,
    isolation: Isolation = PLAIN,
    cure: str = "name one",
    allowance: Allowance | None = None,
) -> Bot:
    """Return the only bot that a word of a command line names; `cure` is the advice for a word with several bots.

    A folder with a main file is that bot, whatever else is in it. Raises BotError and SandboxError.
    """
    found = find_entrants(game, [word], interpreters, isolation, allowance=allowance, is_single=True)
    if found.problems:
        raise found.problems[0]
    if len(found.bots) != 1:
        names = ", ".join(bot.name for bot in found.bots)
        raise BotError(f"{word}: {len(found.bots)} bots; {cure}: {word}#{found.bots[0].name} (there are: {names})")
    return found.bots[0]


def find_entrants(
    game: Game,
    words: Sequence[str | BotSpec],
    interpreters: Interpreters,
    isolation: Isolation = PLAIN,
    exclude: Sequence[str] = (),
    allowance: Allowance | None = None,
    *,
    is_single: bool = False,
) -> FoundEntrants:
    """Return the bots that words of a command line name, the errors of broken bots, and notes for the host.

    A word is a folder, a file, a zip, a folder of bots or `@name` for a sample; `NAME=` in front of a word renames
    the bot, `#ENTRY` behind a word picks one of several bots. Paths that match a pattern of `exclude` are skipped.
    Bots that must be compiled to be found are compiled in `isolation`. `allowance` limits unpacking (default: for
    each word, the size of one bot, in koth's cache). If each word `is_single`, the name of one bot, a main file
    decides in a folder, as it does where `NAME=` names one. Raises SandboxError.
    """
    found = FoundEntrants()
    chosen: set[int] = set()  # indices in found.bots of bots that were given a name
    for word in words:
        given, _, _ = parse_spec(word)
        try:
            with refuse_at_bugs(str(word)):
                here = _find_word(game, word, interpreters, isolation, exclude, allowance, is_single=is_single)
        except BotError as error:
            found.problems.append(error)
            continue
        if given is not None:
            chosen.add(len(found.bots))
        found.add(here)
    _name_apart(found, chosen)
    _refuse_reserved(game, found)
    return found


def check_apart(bots: Sequence[Bot]) -> None:
    """Refuse several bots for the JVM in one folder, if their authors may be strangers. Raises BotError."""
    for bot in bots:
        if bot.made and bot.entry:
            raise BotError(f"{bot.path}: several bots for the JVM in one folder see each other: give each a folder")


def _find_word(
    game: Game,
    word: str | BotSpec,
    interpreters: Interpreters,
    isolation: Isolation,
    exclude: Sequence[str],
    allowance: Allowance | None,
    *,
    is_single: bool,
) -> FoundEntrants:
    """Return the bots of one word. Raises BotError if the word names no bot."""
    given, target, entry = parse_spec(word)
    if target.startswith("@"):
        found = read_bots(game, find_sample(game.name, target[1:]), interpreters, given, isolation)
    else:
        name = given if not entry else None
        one = not entry and (is_single or given is not None)
        found = _find_below(game, Path(target), name, interpreters, isolation, exclude, allowance, is_single=one)
    names = [bot.name for bot in found.bots]
    if entry:
        found.bots = [bot for bot in found.bots if entry in (bot.entry, bot.name, bot.argv[-1])]
        found.problems = [] if found.bots else found.problems
        if not found.bots and not found.problems:
            raise BotError(f"{target}: no bot {entry!r} here{choices(entry, names)}")
    if given is not None and len(found.bots) > 1:
        raise BotError(
            f"{target}: only one bot can be called {given}, here are several: "
            f"{given}={target}#ENTRY picks one (there are: {', '.join(names)})"
        )
    if given is not None and found.bots:
        found.bots[0] = replace(found.bots[0], name=check_name(given, found.bots[0].path))
    return found


def _find_below(
    game: Game,
    path: Path,
    given: str | None,
    interpreters: Interpreters,
    isolation: Isolation,
    exclude: Sequence[str],
    allowance: Allowance | None,
    *,
    is_single: bool,
) -> FoundEntrants:
    """Return all bots at a path; zips are unpacked within the `allowance` (None: the size of a bot for each)."""
    if not os.path.exists(path):
        raise _missing_error(game, path)
    is_packed = is_zip(path) and not path.is_dir()
    root = unpack_zip(path, allowance or Allowance()) if is_packed else path
    with reading(path):
        is_one = is_single and root.is_dir() and is_one_bot(game, root)
        there = Locations([root]) if is_one else find_locations(game, root)
    passed = [f"{_near(place, root)}: {why}" for place, why in there.passed.items()]
    found = FoundEntrants(notes=[there.note] if there.note else [], passed=passed)
    places = [place for place in there.places if place == root or not is_excluded(place, root, exclude)]
    zips = []
    for place in places:
        try:
            with refuse_at_bugs(str(place)):
                _refuse_link(place, root)
                name, inner = given if len(places) == 1 else None, place
                if is_zip(place) and place.is_file():
                    inner = place if is_packed else unpack_zip(place, Allowance())
                    if is_packed or not is_one_bot(game, inner):
                        why = "a zip in a zip" if is_packed else "its folder has no main file; name it to look inside"
                        zips.append(f"{_near(place, root)}: {why}")
                        continue
                found.add(
                    read_bots(
                        game, inner, interpreters, name, isolation, exclude, is_named=place == root and not is_one
                    )
                )
        except BotError as error:
            found.problems.append(error)
    found.passed += zips
    if not there.places or 0 < len(zips) == len(places):
        if root.is_dir():
            refuse_unknown(root)
        raise _no_bot_error(path, found.passed)
    return found


def _near(place: Path, root: Path) -> str:
    return place.relative_to(root).as_posix()


def _refuse_link(place: Path, root: Path) -> None:
    """Refuse a link below the root, which could show another user's files. Raises BotError."""
    if place.is_symlink() and place != root:
        raise BotError(f"{place} is a link; name a bot that lies elsewhere by itself: {place.resolve()}")


def _missing_error(game: Game, path: Path) -> BotError:
    near = path.parent if os.path.isdir(path.parent) else Path()
    hint = difflib.get_close_matches(path.name, [p.name for p in near.iterdir()], 1)
    samples = " (a sample is named with @, see `koth list GAME`)" if str(path) in sample_names(game.name) else ""
    return BotError(f"{path}: no such file or folder{f'; did you mean {near / hint[0]}?' if hint else samples}")


def _no_bot_error(path: Path, passed: Sequence[str]) -> BotError:
    if not path.is_dir() and not is_zip(path):
        return BotError(
            f"{path}: no bot: a file that is one ends in {', '.join(LANGUAGES)} or {ZIP}; "
            f"a bot that is started in another way is a folder with a {MANIFEST} or a {COMMANDS}"
        )
    seen = f"; passed over: {'; '.join(passed[:MOST_NAMED])}" if passed else ""
    return BotError(
        f"{path}: no bot here; a bot has a {MANIFEST}, a {COMMANDS} or a main file (bot.py, bot.js ...){seen}"
    )


# -- names


def _name_apart(found: FoundEntrants, chosen: set[int]) -> None:
    """Give bots with equal names unique names, with a note; keep names that the host has chosen.

    The first of several copies keeps the name, and further copies get numbers; different bots get the differing
    parts of their paths.
    """
    places: dict[str, list[int]] = {}
    for at, bot in enumerate(found.bots):
        places.setdefault(bot.name, []).append(at)
    taken = {name for name, same in places.items() if len(same) == 1 or chosen & {*same}}
    for name, same in places.items():
        if len(chosen & {*same}) > 1:
            found.problems.append(BotError(f"two bots are called {name}: the command line gives that name twice"))
        bots = [found.bots[at] for at in same]
        copies = len({bot.digest for bot in bots}) == 1
        suffixes = [""] * len(bots) if copies else _path_differences(name, bots)
        numbers = itertools.count(2)
        for at, bot, suffix in zip(same, bots, suffixes, strict=True):
            if at in chosen or len(same) == 1:
                continue
            if copies and name not in taken:
                taken.add(name)
                continue
            words = itertools.chain([f"{name}-{suffix}"] if suffix else [], (f"{name[:30]}-{k}" for k in numbers))
            free = next(one for word in words if (one := check_name(word, bot.path)) not in taken)
            taken.add(free)
            found.bots[at] = replace(bot, name=free)
            found.notes.append(f"{bot.where}: called {free}, because several are called {name}")


def _path_differences(name: str, bots: Sequence[Bot]) -> list[str]:
    """Return for each bot the parts of the path that distinguish the bot from others, from the files upwards.

    For a sample return "sample"; leave out parts equal to the name.
    """
    paths = [
        ("sample",)
        if bot.path.is_relative_to(PACKAGE)
        else (bot.path.with_suffix("") if bot.path.is_file() else bot.path).parts[:0:-1]
        for bot in bots
    ]
    found = [""] * len(bots)
    for level in itertools.zip_longest(*paths, fillvalue=""):
        if all(found) and len({*found}) == len(found):
            break
        if len({*level}) > 1:
            parts = ["" if part == name else part for part in level]
            found = [f"{part}-{below}".strip("-") for part, below in zip(parts, found, strict=True)]
    return found


def _refuse_reserved(game: Game, found: FoundEntrants) -> None:
    for bot in found.bots:
        if bot.name in game.reserved_names:
            found.problems.append(BotError(f"{bot.path}: no bot of {game.name} may be called {bot.name}"))
    found.bots = [bot for bot in found.bots if bot.name not in game.reserved_names]
