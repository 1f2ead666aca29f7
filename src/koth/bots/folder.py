"""From a path to a bot: what it is called, how it is built, how it is started.

A bot is a folder or a file. The first of these that is there says how it runs: a manifest `koth.toml` with
a `command`, a `command.txt` (every line but the last builds, the last starts), a recognised main file, files
for the JVM (`bots/jvm/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from koth.bots.bot import Bot
from koth.bots.digest import content_digest
from koth.bots.jvm import entries as jvm
from koth.bots.jvm.adapter import digest as digest_of
from koth.bots.jvm.jdk import JvmError
from koth.bots.jvm.languages import names as jvm_languages
from koth.bots.languages import LANGUAGES, Interpreters, program_of
from koth.bots.manifest import (
    MANIFEST,
    BotError,
    check_words,
    checked_name,
    is_there,
    lines_of,
    policy_of,
    read_manifest,
    words_of,
)
from koth.bots.sandbox.isolation import PLAIN, Isolation
from koth.bots.sandbox.places import PACKAGE
from koth.errors import choices
from koth.game import Game
from koth.games import home

COMMANDS = "command.txt"


def is_bot(game: str, path: Path) -> bool:
    """Whether this folder or file is a bot of this game by itself (for the JVM: one or several)."""
    if path.is_file():
        return path.suffix in LANGUAGES or jvm.is_for_jvm(game, path)
    if any((path / name).is_file() for name in (MANIFEST, COMMANDS)) or main_files(game, path):
        return True
    return not _other_files(game, path) and jvm.is_for_jvm(game, path)


def _other_files(game: str, folder: Path) -> list[Path]:
    """The files of a folder that could be main files, those for the JVM left out."""
    return [p for p in _files(folder) if not jvm.is_for_jvm(game, p)]


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_file() and p.suffix in LANGUAGES)


def main_files(game: str, folder: Path, language: str = "") -> list[Path]:
    """The folder's main file, if it has one: `bot`, or the only file that could be it.

    Files for the JVM are left out, unless the manifest names a language that is not of the JVM.
    """
    files = _files(folder) if language else _other_files(game, folder)
    named = [p for p in files if p.stem == "bot"]
    alone = len(files) == 1 and (language != "" or not jvm.is_for_jvm(game, folder))
    return named[:1] or (files if alone else [])


def load(
    game: Game, path: Path, interpreters: Interpreters, name: str | None = None, isolation: Isolation = PLAIN
) -> Bot:
    """The bot at this path; of several, the one of this name. Raises BotError and SandboxError."""
    bots = load_all(game, path, interpreters, name, isolation)
    for bot in bots:
        if len(bots) == 1 or bot.name == name:
            return bot
    names = [bot.name for bot in bots]
    raise BotError(f"{path}: there are several bots here{choices(name or '', names)}")


def load_all(
    game: Game, path: Path, interpreters: Interpreters, name: str | None = None, isolation: Isolation = PLAIN
) -> list[Bot]:
    """The bots at this path: one, or the entries of files for the JVM; one may be given a name.

    Raises BotError and SandboxError.
    """
    path = path.absolute()
    if not path.exists():
        raise BotError(f"{path}: no such file or folder")
    manifest = read_manifest(game, path) if path.is_dir() else {}
    if "main" in manifest and not is_there(path / manifest["main"]):
        raise BotError(f"{path / MANIFEST}: main = {manifest['main']!r}: no such file")
    if not _is_jvm(game, path, manifest):
        bot = _load_one(game, path, manifest, interpreters, name)
        for words in (*bot.build, bot.argv):
            check_words(words, path)
        return [bot]
    try:
        entries = jvm.entries(game.name, path, manifest, isolation)
    except JvmError as error:
        raise BotError(str(error)) from None
    name = name or manifest.get("name")
    folder = path if path.is_dir() else path.parent
    content = content_digest(path)
    return [
        Bot(
            name=checked_name(name if name and len(entries) == 1 else entry.name, path),
            path=path,
            folder=folder,
            wire="frames",
            argv=entry.argv,
            digest=digest_of([content, entry.identity]),
            content=content,
            made=entry.made,
            reads=entry.reads,
            policy=policy_of(manifest, path, entry.memory),
        )
        for entry in entries
    ]


def _is_jvm(game: Game, path: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether koth's runner for the JVM runs what is here."""
    if "command" in manifest or (path.is_dir() and "main" not in manifest and (path / COMMANDS).is_file()):
        return False
    language = manifest.get("language", "")
    if language:
        return language in jvm_languages()
    if path.is_file() or "main" in manifest:
        return jvm.is_for_jvm(game.name, path / manifest["main"] if "main" in manifest else path)
    return not main_files(game.name, path) and jvm.is_for_jvm(game.name, path)


def _load_one(
    game: Game, path: Path, manifest: Mapping[str, Any], interpreters: Interpreters, name: str | None
) -> Bot:
    folder = path if path.is_dir() else path.parent
    name = name or manifest.get("name") or (path.name if path.is_dir() else path.stem)
    content = content_digest(path)
    bot = Bot(
        name=checked_name(name, path),
        path=path,
        folder=folder,
        wire=manifest.get("wire", ""),
        argv=(),
        digest=content,
        content=content,
        build=tuple(words_of(line) for line in lines_of(manifest.get("build", []))),
        options=manifest.get("options", {}),
        policy=policy_of(manifest, path),
    )
    if "command" in manifest:
        command = manifest["command"]
        return _as_program(game, bot, words_of(command) if isinstance(command, str) else tuple(command), interpreters)
    if path.is_dir() and "main" not in manifest and is_there(folder / COMMANDS):
        try:
            lines = [words_of(line) for line in lines_of((folder / COMMANDS).read_text(encoding="utf-8"))]
        except (OSError, UnicodeDecodeError) as error:
            raise BotError(f"{folder / COMMANDS}: {error}") from None
        if not lines:
            raise BotError(f"{folder / COMMANDS}: no command in it")
        bot = replace(bot, build=(*bot.build, *lines[:-1]))
        return _as_program(game, bot, lines[-1], interpreters)
    return _as_main_file(game, bot, _main_file(game, path, folder, manifest), manifest, interpreters)


def _main_file(game: Game, path: Path, folder: Path, manifest: Mapping[str, Any]) -> Path:
    if path.is_file():
        return path
    if "main" in manifest:
        main: Path = folder / manifest["main"]
        return main
    found = main_files(game.name, folder, manifest.get("language", ""))
    if not found:
        raise BotError(f"{folder}: no main file (bot.py, bot.js ...) and no command in {MANIFEST} or {COMMANDS}")
    return found[0]


def _as_main_file(game: Game, bot: Bot, main: Path, manifest: Mapping[str, Any], interpreters: Interpreters) -> Bot:
    language = LANGUAGES.get(main.suffix)
    if language is None:
        raise BotError(f"{main}: not a main file koth knows how to start{choices(main.suffix, LANGUAGES)}")
    if language.name == "python":
        python = program_of(manifest.get("python", "python"), bot.folder, interpreters)
        at = home(game.name)
        if bot.wire in ("", "frames") and (at.folder / "bot.py").is_file():
            runner = PACKAGE / "bots" / "runner.py"
            argv = (python, "-s", "-S", str(runner), at.module, str(at.folder), str(main))
            reads = (runner, *sorted(at.folder.glob("*.py")))
            return replace(bot, wire="frames", argv=argv, runner=True, reads=reads)
        return _as_program(game, bot, (python, str(main)), interpreters)
    return _as_program(game, bot, (language.program, str(main)), interpreters)


def _as_program(game: Game, bot: Bot, argv: tuple[str, ...], interpreters: Interpreters) -> Bot:
    if not argv:
        raise BotError(f"{bot.path}: an empty command")
    argv = (program_of(argv[0], bot.folder, interpreters), *argv[1:])
    return replace(bot, wire=bot.wire or next(iter(game.wires)), argv=argv)
