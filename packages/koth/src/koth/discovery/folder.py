"""The bots at a path, with name, build steps and start command.

koth runs a folder or a file by the first of these that exists: a manifest `koth.toml` with a `command`, a
`command.txt` (the last line starts the bot, earlier lines build it), a build file, a main file, sources for the JVM
(`build/jvm/`). `discovery/locations.py` finds the bots in a larger folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from koth.adapter.bot_adapter import GAME, PRELOAD
from koth.build.bot_files import COMMANDS, MANIFEST
from koth.build.jvm import entries as jvm
from koth.build.jvm.adapter import api_sources
from koth.build.jvm.adapter import digest as digest_of
from koth.build.jvm.jdk import JvmError
from koth.build.jvm.languages import SCRIPTS
from koth.build.jvm.languages import language_names as jvm_languages
from koth.build.jvm.sources import JAR, list_sources
from koth.discovery.bot_class import is_class, is_program
from koth.discovery.digest import check_size, content_digest, reading
from koth.discovery.interpreters import Interpreters, resolve_builder, resolve_program
from koth.discovery.languages import (
    LANGUAGES,
    Language,
    can_be_main,
    ending_of,
    fill_words,
    find_build_problem,
    language_names,
    start_command,
)
from koth.discovery.locations import (
    Locations,
    find_locations,
    find_main_file,
    find_only_program,
    is_excluded,
    is_for_jvm,
    is_marked,
    is_one_bot,
)
from koth.discovery.manifest import (
    check_effect,
    check_name,
    check_words,
    is_there,
    manifest_words,
    policy_of,
    read_commands,
    read_manifest,
    split_lines,
    split_words,
)
from koth.discovery.projects import NPM, find_build_file, read_project, refuse_unknown, starts_nothing
from koth.errors import BotError, choices
from koth.escaping import shell_word
from koth.game import Game
from koth.games import home
from koth.protocol.by_name import FRAMES, PYTHON_CLASS
from koth.sandbox.environment import IMPORTS, OPTIONS
from koth.sandbox.isolation import PLAIN, Isolation
from koth.sandbox.mounts import ADAPTER, find_installation
from koth.session.bot import Bot

MOST_NAMED = 12
"""The largest number of files that a note names."""
PYTHON = ("python", "python3")


@dataclass
class FoundEntrants:
    """The bots of a path, the errors of broken bots, notes for the host, and what was passed over."""

    bots: list[Bot] = field(default_factory=list)
    problems: list[BotError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    """Files and folders that are no bots, each with the reason."""

    def add(self, other: FoundEntrants) -> None:
        """Add the bots, errors and notes of another path."""
        self.bots += other.bots
        self.problems += other.problems
        self.notes += other.notes
        self.passed += other.passed


def load_bot(
    game: Game, path: Path, interpreters: Interpreters, name: str | None = None, isolation: Isolation = PLAIN
) -> Bot:
    """Return the bot at a path, which may end in #ENTRY; of several bots, the bot called `name`.

    Raises BotError and SandboxError.
    """
    place, entry = split_entry(str(path))
    found = read_bots(game, Path(place), interpreters, None if entry else name, isolation, is_named=bool(entry))
    for bot in found.bots:
        if entry and entry in (bot.entry, bot.name):
            return replace(bot, name=check_name(name or bot.name, bot.path))
        if not entry and (bot.name == name or (len(found.bots) == 1 and not found.problems)):
            return bot
    if found.problems:
        raise found.problems[0]
    names = [bot.name for bot in found.bots]
    raise BotError(f"{path}: there are several bots here{choices(entry or name or '', names)}")


def split_entry(word: str) -> tuple[str, str]:
    """Split PATH#ENTRY into the path and the entry."""
    path, mark, entry = word.rpartition("#")
    return (path, entry) if mark and path and not os.path.exists(word) else (word, "")


class BotSpec(NamedTuple):
    """A bot as a command line names it: NAME= (None if missing), a path or @SAMPLE, and #ENTRY ("" if missing)."""

    name: str | None
    target: str
    entry: str = ""

    def __str__(self) -> str:
        named = self.target if self.name is None else f"{self.name}={self.target}"
        return f"{named}#{self.entry}" if self.entry else named


def parse_spec(word: str | BotSpec) -> BotSpec:
    """Split NAME=PATH#ENTRY. Names that authors chose may have any characters: they come as a `BotSpec` already."""
    if isinstance(word, BotSpec):
        return word
    path, entry = split_entry(word)
    name, _, rest = word.partition("=")
    if not rest or os.path.exists(path):
        return BotSpec(None, path, entry)
    return BotSpec(name, *split_entry(rest))


def read_bots(
    game: Game,
    path: Path,
    interpreters: Interpreters,
    name: str | None = None,
    isolation: Isolation = PLAIN,
    exclude: Sequence[str] = (),
    *,
    is_named: bool = False,
) -> FoundEntrants:
    """Return the bots at a path, and the errors of broken bots.

    `name` renames a single bot; files and entries that match a pattern of `exclude` are skipped. In a folder that
    `is_named` by the host a main file does not always decide. Raises BotError if every bot is broken, and
    SandboxError.
    """
    path = path.resolve() if path.name == ".." else path.absolute()
    if not path.exists():
        raise BotError(f"{path}: no such file or folder")
    check_size(path)
    manifest = read_manifest(game, path) if path.is_dir() else {}
    if "main" in manifest and not is_there(path / manifest["main"]):
        raise BotError(f"{path / MANIFEST}: main = {manifest['main']!r}: no such file")
    with reading(path):
        is_one = path.is_dir() and is_one_bot(game, path)
        there = Locations([path]) if is_one and not is_named else find_locations(game, path)
        main = None if path in there.places and there.classes else _find_main(game, path, manifest)
        found = _find_jvm_bots(game, path, there, main, manifest, isolation, exclude)
    if found is not None:
        several = len(found.bots) + len(found.broken) > 1 or (is_one and there.places != [path])
        return _read_jvm_bots(game, path, manifest, found, interpreters, name, exclude, several=several)
    bot = _read_program(game, path, main, manifest, interpreters, name)
    for line in (*bot.build, bot.argv):
        check_words(line, path)
    names = [name for name in manifest.get("bots", {}) if not is_excluded(Path(name), path, exclude)]
    return FoundEntrants(
        [_make_variant(bot, name, manifest["bots"][name]) for name in names] if "bots" in manifest else [bot]
    )


def _make_variant(program: Bot, name: str, words: str | list[str]) -> Bot:
    """Return one of a program's bots: add the bot's words in the manifest to the command."""
    arguments = split_words(words) if isinstance(words, str) else tuple(words)
    return replace(
        program,
        name=check_name(name, program.path),
        entry=name,
        arguments=arguments,
        digest=digest_of([program.content, *arguments]),
    )


# -- the JVM


def _find_main(game: Game, path: Path, manifest: Mapping[str, Any]) -> Path | None:
    """Return the main file at a path; None if there is none, or a command starts the bot."""
    if path.is_file():
        return path
    if "command" in manifest or ("main" not in manifest and is_there(path / COMMANDS)):
        return None
    if "main" in manifest:
        main: Path = path / manifest["main"]
        return main
    language = manifest.get("language", "")
    if (found := find_main_file(game, path, language)) is not None or find_build_file(path) != NPM:
        return found or find_only_program(game, path, language)
    return find_only_program(game, path, language or "javascript") if starts_nothing(path) else None


def _find_jvm_bots(
    game: Game,
    path: Path,
    there: Locations,
    main: Path | None,
    manifest: Mapping[str, Any],
    isolation: Isolation,
    exclude: Sequence[str],
) -> jvm.JvmBots | None:
    """Return the bots at a path that run on the JVM; None if a bot is a program. Raises BotError.

    In a folder that is one bot all sources below it are compiled, in another only those directly in it.
    """
    if main is not None and not is_for_jvm(game.name, main, manifest.get("language", "")):
        return None
    has_command = "command" in manifest or (main is None and path.is_dir() and is_there(path / COMMANDS))
    if not api_sources(game.name) or has_command:
        return None
    files, others = [path] if path.is_file() else list(there.classes), list[Path]()
    try:
        if main is not None and main.suffix in SCRIPTS:
            return jvm.find_scripts(game.name, path, main, manifest)
        if path in there.places and there.classes:
            others = [place for place in there.places if place != path]
        elif path.is_dir() and (main is not None or is_marked(path)):
            files = [*list_sources(path), *(file for file in sorted(path.iterdir()) if file.suffix == JAR)]
        others += [file for file in files if file != path and is_excluded(file, path, exclude)]
        files = [file for file in files if file not in others]
        if not files:
            return None
        names = frozenset(str(place.relative_to(path)) for place in others)
        found = jvm.find_classes(game.name, path, files, manifest, isolation, names)
    except JvmError as error:
        raise BotError(str(error)) from None
    own = [bot for bot in found.bots if main is not None and path.is_dir() and bot.name == main.stem]
    return replace(found, bots=own) if own else found


def _read_jvm_bots(
    game: Game,
    path: Path,
    manifest: Mapping[str, Any],
    there: jvm.JvmBots,
    interpreters: Interpreters,
    name: str | None,
    exclude: Sequence[str],
    *,
    several: bool,
) -> FoundEntrants:
    check_effect(manifest, path, "bots for the JVM")
    bots = [bot for bot in there.bots if not is_excluded(Path(bot.name), path, exclude)]
    broken = {path / file if (path / file).exists() else path: text for file, text in there.broken.items()}
    found = FoundEntrants([], [BotError(f"{place}: {text}") for place, text in broken.items()])
    if there.own:
        text = f"{path}: left out, because koth has its own API of {game.name}: {file_names(there.own, path)}"
        found.notes.append(text)
    own = {bot.name for bot in bots if bot.name in game.reserved_names and len(bots) > 1}
    if own:
        found.notes.append(f"{path}: left out, because the game has its own: {', '.join(sorted(own))}")
    bots = _pick_entries([bot for bot in bots if bot.name not in own], manifest, path)
    if "name" in manifest and len(bots) > 1:
        raise BotError(f"{path / MANIFEST}: name is for one bot, here are {len(bots)}: {FEWER}")
    content = content_digest(path)
    for bot in bots:
        given = (name or manifest.get("name")) if len(bots) == 1 else None
        found.bots.append(
            replace(
                bot,
                name=check_name(given or bot.name, path),
                digest=digest_of([content, bot.digest]),
                content=content,
                reads=(*bot.reads, *_readable_paths(manifest, path, interpreters)),
                policy=replace(bot.policy, processes=manifest.get("subprocesses", False)),
                seats=tuple(manifest.get("seats", ())),
                environment=manifest.get("env", {}),
                entry=bot.name if several else "",
            )
        )
    return found


FEWER = "`entry` picks one, NAME=PATH#ENTRY on the command line names one"


def _pick_entries(bots: Sequence[Bot], manifest: Mapping[str, Any], path: Path) -> list[Bot]:
    """Return the bots whose entries a manifest selects; without a selection all."""
    wanted = {word for word in manifest_words(manifest, "entry") if word}
    known = {word for bot in bots for word in (bot.name, bot.argv[-1])}
    for word in sorted(wanted - known):
        there = choices(word, [bot.name for bot in bots])
        raise BotError(f"{path}: entry = {word!r}: no such entry{there}")
    return [bot for bot in bots if not wanted or wanted & {bot.name, bot.argv[-1]}]


def file_names(files: Sequence[Path], root: Path) -> str:
    """Return the names of at most `MOST_NAMED` files, relative to `root`, as text."""
    names = [str(file.relative_to(root)) if file.is_relative_to(root) else str(file) for file in files[:MOST_NAMED]]
    return ", ".join(names) + (f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else "")


# -- programs


def _readable_paths(manifest: Mapping[str, Any], path: Path, interpreters: Interpreters) -> tuple[Path, ...]:
    """Return paths that a bot may read outside its folder: the manifest's (if the host allows all), or the host's."""
    if "read" not in manifest:
        return interpreters.paths
    wanted = [Path(word) for word in manifest_words(manifest, "read")]
    for place in wanted:
        if not place.is_absolute() or not os.path.exists(place):
            raise BotError(f"{path / MANIFEST}: read: {place} is not an absolute path of this machine")
        if not any(place.resolve().is_relative_to(accepted) for accepted in interpreters.paths):
            shown = f"KOTH_ALLOW_READ={shell_word(place)}"
            raise BotError(f"{path / MANIFEST}: it wants to read {place}; to allow it: {shown}")
    return tuple(place.resolve() for place in wanted)


def _import_variables(paths: Sequence[Path]) -> dict[str, str]:
    """Return the environment variable that lets Python bots import modules from these folders."""
    folders = [str(path) for path in paths if path.is_dir()]
    return {IMPORTS: os.pathsep.join(folders)} if folders else {}


def _read_program(
    game: Game,
    path: Path,
    main: Path | None,
    manifest: Mapping[str, Any],
    interpreters: Interpreters,
    name: str | None,
) -> Bot:
    folder = path if path.is_dir() else path.parent
    name = name or manifest.get("name") or (path.name if path.is_dir() else path.stem)
    content = content_digest(path)
    if "python" in manifest:
        interpreters = replace(interpreters, python=resolve_program(manifest["python"], folder, interpreters))
    reads = _readable_paths(manifest, path, interpreters)
    bot = Bot(
        name=check_name(name, path),
        path=path,
        folder=folder,
        protocol=manifest.get("protocol", ""),
        argv=(),
        digest=content,
        content=content,
        build=tuple(split_words(line) for line in split_lines(manifest.get("build", []))),
        options=manifest.get("options", {}),
        policy=policy_of(manifest, path),
        seats=tuple(manifest.get("seats", ())),
        environment=_import_variables(reads) | manifest.get("env", {}),
        reads=reads,
    )
    if "command" in manifest:
        command = manifest["command"]
        argv = split_words(command) if isinstance(command, str) else tuple(command)
        return _as_program(game, bot, argv, interpreters, manifest, "a bot with a command")
    if path.is_dir() and "main" not in manifest and is_there(folder / COMMANDS):
        lines = read_commands(folder / COMMANDS)
        if not lines:
            raise BotError(f"{folder / COMMANDS}: it has no command")
        bot = replace(bot, build=(*bot.build, *lines[:-1]))
        return _as_program(game, bot, lines[-1], interpreters, manifest, "a bot with a command.txt")
    project = find_build_file(path) if path.is_dir() and "main" not in manifest else ""
    if project and (project != NPM or main is None):
        steps, argv, language = read_project(path, project)
        bot = replace(bot, build=(*bot.build, *steps), language=language)
        return _as_program(game, bot, argv, interpreters, manifest, "a bot with a build file")
    if main is None:
        refuse_unknown(folder)
        raise BotError(
            f"{folder}: no main file (bot.py, bot.js ...), and its {MANIFEST} names none; "
            f"main = PATH in {MANIFEST} names one, command = ... starts it in another way"
        )
    return _as_main_file(game, bot, main, manifest, interpreters)


def _as_main_file(game: Game, bot: Bot, main: Path, manifest: Mapping[str, Any], interpreters: Interpreters) -> Bot:
    kind = "a bot with a main file"
    language = LANGUAGES.get(ending_of(main))
    if language is None:
        raise BotError(f"{main}: not a main file koth knows how to start{choices(main.suffix, LANGUAGES)}")
    if manifest.get("language", language.name) != language.name:
        valid = [*language_names(), *jvm_languages()]
        text = f"language = {manifest['language']!r}, but {main.name} is {language.name}"
        raise BotError(f"{bot.folder / MANIFEST}: {text}{choices(manifest['language'], dict.fromkeys(valid))}")
    if problem := find_build_problem(main, language):
        raise BotError(f"{main}: {problem}")
    bot = replace(bot, language=language.name)
    is_undeclared = not bot.protocol and not bot.options  # with either, its manifest makes it a program
    has_api = bot.protocol in ("", FRAMES) and _has_api(game) and not (is_undeclared and is_program(main))
    if language.name == "python" and has_api:
        return _as_class(game, bot, main, manifest, interpreters, FRAMES)
    if language.name == "python" and (bot.protocol == PYTHON_CLASS or (is_undeclared and is_class(main))):
        return _as_class(game, bot, main, manifest, interpreters, PYTHON_CLASS)
    if language.name == "java" and not can_be_main(main):
        raise BotError(f"{main}: {game.name} has no API for the JVM, and there is no main to start in this class")
    bot = replace(bot, build=(*bot.build, *_compiler_lines(bot, main, language)))
    return _as_program(game, bot, start_command(language, bot.folder, main), interpreters, manifest, kind)


def _as_class(
    game: Game, bot: Bot, main: Path, manifest: Mapping[str, Any], interpreters: Interpreters, protocol: str
) -> Bot:
    """Return a class bot with a command: koth's adapter with the game's Python API or the declared API."""
    check_effect(manifest, bot.folder, "a class in Python", True, bool(bot.build))
    at, parts = home(game.name), [ADAPTER.with_name(name) for name in ("bot_adapter.py", "kit.py")]
    words, api = [GAME, at.module, str(at.folder)], sorted(at.folder.glob("*.py"))
    if protocol == PYTHON_CLASS:
        words, api = [], [ADAPTER.with_name("declared_bot.py")]
    libraries = [PRELOAD + name for name in dict.fromkeys(manifest_words(manifest, "preload"))]
    argv = (interpreters.python, *OPTIONS, str(ADAPTER), *libraries, *words, str(main))
    reads = (ADAPTER, *parts, *api, *bot.reads)
    bot = replace(bot, protocol=protocol, argv=argv, has_adapter=True, reads=reads, hang_report="on request")
    return _resolve_build(bot, manifest, interpreters)


def _has_api(game: Game) -> bool:
    return (home(game.name).folder / "bot.py").is_file()


def _compiler_lines(bot: Bot, main: Path, language: Language) -> list[tuple[str, ...]]:
    """Return the build step that compiles a main file and neighbouring sources, if the language is compiled."""
    if not language.build:
        return []
    beside = sorted(file for file in main.parent.glob(f"*{main.suffix}") if file.is_file() and bot.path.is_dir())
    return [fill_words(language.build, bot.folder, main, beside or [main])]


def _as_program(
    game: Game,
    bot: Bot,
    argv: tuple[str, ...],
    interpreters: Interpreters,
    manifest: Mapping[str, Any],
    kind: str,
) -> Bot:
    if not argv:
        raise BotError(f"{bot.path}: an empty command")
    if bot.protocol == PYTHON_CLASS:
        raise BotError(
            f'{bot.folder / MANIFEST}: protocol = "{PYTHON_CLASS}" is for a main file in Python, not for {kind}'
        )
    python = any(line and line[0] in PYTHON for line in (argv, *bot.build))
    check_effect(manifest, bot.folder, kind, python, bool(bot.build))
    bot = _resolve_build(bot, manifest, interpreters)
    program = resolve_program(argv[0], bot.folder, interpreters)
    known = "/" in argv[0] or argv[0] in PYTHON  # the parts of a Python are found when it is started
    reads = bot.reads if known else (*bot.reads, *find_installation(program))
    return replace(bot, protocol=bot.protocol or next(iter(game.protocols)), argv=(program, *argv[1:]), reads=reads)


def _resolve_build(bot: Bot, manifest: Mapping[str, Any], interpreters: Interpreters) -> Bot:
    """Return the bot with full paths of programs in build steps; remove the steps of a prebuilt bot."""
    if manifest.get("prebuilt", False):
        return replace(bot, build=())
    lines = [(resolve_builder(line[0], bot.folder, interpreters), *line[1:]) for line in bot.build if line]
    programs = [now[0] for now, before in zip(lines, bot.build, strict=True) if now[0] != before[0]]
    reads = dict.fromkeys([*bot.reads, *(part for program in programs for part in find_installation(program))])
    return replace(bot, build=tuple(lines), reads=tuple(reads))
