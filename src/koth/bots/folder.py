"""From a path to a bot: what it is called, how it is built, how it is started.

A bot is a folder or a file. The first of these that is there says how it runs: a manifest `koth.toml` with
a `command`, a `command.txt` (every line but the last builds, the last starts), a recognised main file, files
for the JVM (`bots/jvm/`).
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from koth.bots.command import ArenaError, Command, environment_seed
from koth.bots.jvm import entries as jvm
from koth.bots.jvm.adapter import digest as digest_of
from koth.bots.jvm.jdk import JvmError
from koth.bots.jvm.languages import names as jvm_languages
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
from koth.bots.sandbox.copies import is_left_out, is_plain
from koth.bots.sandbox.isolation import PLAIN, Isolation
from koth.bots.sandbox.policy import FOR_BOTS, Policy
from koth.bots.sandbox.seal import Seal
from koth.bots.wires import FramesWire, Wire
from koth.errors import choices
from koth.game import Game

COMMANDS = "command.txt"
PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Language:
    """How a main file of this ending is run."""

    name: str
    program: str
    package: str


LANGUAGES = {
    ".py": Language("python", "python", "python3"),
    ".js": Language("javascript", "node", "nodejs"),
    ".mjs": Language("javascript", "node", "nodejs"),
}
"""Recognised main files: `bot` and one of these endings, or the only such file of a folder."""


@dataclass(frozen=True)
class Bot:
    """A bot as it was found: everything needed to start it in any match.

    `argv` is the program that speaks a wire by itself; with `runner`, `main` is a Python file that koth's
    runner loads. `options` go to the wire. `reads` are places outside its folder that it must be able to read.
    """

    name: str
    path: Path
    folder: Path
    wire: str
    argv: tuple[str, ...]
    digest: str
    runner: bool = False
    build: tuple[tuple[str, ...], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    reads: tuple[Path, ...] = ()
    policy: Policy = FOR_BOTS
    """What it may use; its manifest may ask for more `memory`, and for `processes`."""
    content: str = ""
    """The digest of its files; of several bots with the same files, `digest` says which it is."""
    made: tuple[Path, ...] = ()
    """Folders outside its own that hold what was compiled for it."""
    seal: Seal | None = None
    """On its private copy, and on what was compiled for it, once it has one."""

    def command(self, seed: int) -> Command:
        """How to start it for a match in which its own seed is `seed`."""
        return Command(self.argv, self.folder, environment_seed(seed), self.reads, self.policy)

    def check_seal(self, isolation: Isolation) -> None:
        """Raises ArenaError unless it is played from what its private copy was when it was made.

        Where bots can write, to their folder too, what they have added there is nobody's fault.
        """
        if self.seal is None:
            return
        try:
            broken = self.seal.broken(may_add=not isolation.is_at_least("partial"))
        except OSError as error:
            broken = f"{error.filename} ({error.strerror})"
        if broken:
            raise ArenaError(f"{self.name} is not what it was when the run began: {broken} was altered")

    def open_wire(self, game: Game, settings: Any, seats: int) -> Wire:
        """A new wire to speak to it in one match."""
        if self.wire == "frames":
            return FramesWire(game.questions(settings, seats))
        wire: Wire = game.wires[self.wire](settings, seats, **self.options)
        return wire


@dataclass(frozen=True)
class Interpreters:
    """What `python` in a command means."""

    python: str = sys.executable


def sample_paths(game: str) -> list[Path]:
    """The files and folders of a game's sample bots, sorted: in `bots/`, and for the JVM in `jvm/bots/`."""
    folders = [PACKAGE / "games" / game / place for place in ("bots", "jvm/bots")]
    paths = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    return [p for p in paths if (p.is_dir() or is_bot(game, p)) and not p.name.startswith(("_", "."))]


def sample_names(game: str) -> list[str]:
    """The sample bots of a game, sorted."""
    return sorted(path.stem if path.is_file() else path.name for path in sample_paths(game))


def sample_path(game: str, name: str) -> Path:
    """The folder or file of a sample. Raises BotError naming the valid ones."""
    for path in sample_paths(game):
        if name in (path.name, path.stem):
            return path
    raise BotError(f"there is no sample @{name} for {game}{choices(name, sample_names(game))}")


def summary(path: Path) -> str:
    """The first line of a sample's main file that says what it is about."""
    file = (
        path
        if path.is_file()
        else next(iter([*_main_files("", path), *sorted(p for p in path.iterdir() if p.is_file())]))
    )
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        text = line.strip().strip("\"'/*#; ").strip()
        if text and not line.startswith("#!"):
            return text
    return ""


def is_bot(game: str, path: Path) -> bool:
    """Whether this folder or file is a bot of this game by itself (for the JVM: one or several)."""
    if path.is_file():
        return path.suffix in LANGUAGES or jvm.is_for_jvm(game, path)
    if any((path / name).is_file() for name in (MANIFEST, COMMANDS)) or _main_files(game, path):
        return True
    return not _other_files(game, path) and jvm.is_for_jvm(game, path)


def _other_files(game: str, folder: Path) -> list[Path]:
    """The files of a folder that could be main files, those for the JVM left out."""
    return [p for p in _files(folder) if not jvm.is_for_jvm(game, p)]


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_file() and p.suffix in LANGUAGES)


def _main_files(game: str, folder: Path, language: str = "") -> list[Path]:
    """The folder's main file, if it has one: `bot`, or the only file that could be it.

    Files for the JVM are left out, unless the manifest names a language that is not of the JVM.
    """
    files = _files(folder) if language else _other_files(game, folder)
    named = [p for p in files if p.stem == "bot"]
    alone = len(files) == 1 and (language != "" or not jvm.is_for_jvm(game, folder))
    return named[:1] or (files if alone else [])


def find(
    game: Game, words: Sequence[str], interpreters: Interpreters, isolation: Isolation = PLAIN
) -> tuple[list[Bot], list[BotError]]:
    """The bots that these words of a command line name, and what is wrong with the others.

    A word is a folder, a file, a folder of bots or `@name` for a sample, each with `NAME=` in front of it if
    the bot is to have another name. What has to be compiled to be found is compiled in this isolation.
    Raises SandboxError.
    """
    bots: list[Bot] = []
    errors: list[BotError] = []
    for word in words:
        name, _, rest = word.partition("=")
        given, target = (name, rest) if rest and not Path(word).exists() else (None, word)
        try:
            paths = _paths(game, target)
        except BotError as error:
            errors.append(error)
            continue
        for path in paths:
            try:
                bots += load_all(game, path, interpreters, given if len(paths) == 1 else None, isolation)
            except BotError as error:
                errors.append(error)
    seen: dict[str, Bot] = {}
    for bot in bots:
        if bot.name in seen:
            text = f"two bots are called {bot.name}: {seen[bot.name].path} and {bot.path}"
            errors.append(BotError(f"{text}; name one of them otherwise: OTHER={bot.path}"))
        elif bot.name in game.reserved_names:
            errors.append(BotError(f"{bot.path}: no bot of {game.name} may be called {bot.name}"))
        else:
            seen[bot.name] = bot
    return list(seen.values()), errors


def _paths(game: Game, target: str) -> list[Path]:
    if target.startswith("@"):
        return [sample_path(game.name, target[1:])]
    path = Path(target)
    if not path.exists():
        near = path.parent if path.parent.is_dir() else Path()
        hint = difflib.get_close_matches(path.name, [p.name for p in near.iterdir()], 1)
        samples = " (a sample is named with @, see `koth bots`)" if target in sample_names(game.name) else ""
        raise BotError(f"{target}: no such file or folder{f'; did you mean {near / hint[0]}?' if hint else samples}")
    if is_bot(game.name, path):
        return [path]
    inside = (
        sorted(p for p in path.iterdir() if not p.name.startswith(".") and is_bot(game.name, p))
        if path.is_dir()
        else []
    )
    links = [p for p in inside if p.is_symlink()]
    if links:
        raise BotError(f"{links[0]} is a link; name a bot that lies elsewhere by itself: {links[0].resolve()}")
    if not inside:
        kinds = ", ".join(f"bot{ending}" for ending in LANGUAGES)
        raise BotError(f"{target}: no bot here; a bot has a {MANIFEST}, a {COMMANDS} or a main file ({kinds})")
    return inside


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
    return not _main_files(game.name, path) and jvm.is_for_jvm(game.name, path)


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
    found = _main_files(game.name, folder, manifest.get("language", ""))
    if not found:
        raise BotError(f"{folder}: no main file (bot.py, bot.js ...) and no command in {MANIFEST} or {COMMANDS}")
    return found[0]


def _as_main_file(game: Game, bot: Bot, main: Path, manifest: Mapping[str, Any], interpreters: Interpreters) -> Bot:
    language = LANGUAGES.get(main.suffix)
    if language is None:
        raise BotError(f"{main}: not a main file koth knows how to start{choices(main.suffix, LANGUAGES)}")
    if language.name == "python":
        python = _program(manifest.get("python", "python"), bot.folder, interpreters)
        if bot.wire in ("", "frames") and (PACKAGE / "games" / game.name / "bot.py").is_file():
            runner = str(PACKAGE / "bots" / "runner.py")
            argv = (python, "-s", "-S", runner, str(PACKAGE), game.name, str(main))
            reads = (PACKAGE / "bots" / "runner.py", *sorted((PACKAGE / "games" / game.name).glob("*.py")))
            return replace(bot, wire="frames", argv=argv, runner=True, reads=reads)
        return _as_program(game, bot, (python, str(main)), interpreters)
    return _as_program(game, bot, (language.program, str(main)), interpreters)


def _as_program(game: Game, bot: Bot, argv: tuple[str, ...], interpreters: Interpreters) -> Bot:
    if not argv:
        raise BotError(f"{bot.path}: an empty command")
    argv = (_program(argv[0], bot.folder, interpreters), *argv[1:])
    return replace(bot, wire=bot.wire or next(iter(game.wires)), argv=argv)


def _program(word: str, folder: Path, interpreters: Interpreters) -> str:
    """The program a word of a command means. Raises BotError when there is none."""
    if word in ("python", "python3"):
        return interpreters.python
    if "/" in word:
        return str(folder / word) if not os.path.isabs(word) else word
    found = shutil.which(word)
    if found:
        return found
    if is_there(folder / word):
        return str(folder / word)
    package = next((f" (Debian: {lang.package})" for lang in LANGUAGES.values() if lang.program == word), "")
    raise BotError(f"{folder}: the program {word!r} is not installed{package}")


def content_digest(path: Path) -> str:
    """A digest of a bot's files: their names and contents. Links are not followed, unless it is one itself."""
    digest = hashlib.blake2b(digest_size=8)
    files = [path] if path.is_file() else []
    for place, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not is_left_out(Path(place, name))]
        files += [file for file in (Path(place, name) for name in names) if is_plain(file)]
    for file in sorted(files):
        name = file.relative_to(path.parent if path.is_file() else path).as_posix()
        try:
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0" + file.read_bytes() + b"\0")
        except OSError as error:
            raise BotError(f"{file}: {error.strerror}") from None
    return digest.hexdigest()
