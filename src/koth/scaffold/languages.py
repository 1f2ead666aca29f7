"""The languages that a start can be made in for every game, from its declaration alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from koth.scaffold import kits, typed
from koth.scaffold.shapes import pascal, snake
from koth.scaffold.spelling import Spelling

SHIPPED = Path(__file__).parents[1] / "games"
"""Where koth's own games lie."""
GROUP = "koth.games"
"""By which installed packages bring more."""


@dataclass(frozen=True)
class Language:
    """A language: `templates/FOLDER/` has the page that an author writes, and the files that it rests on."""

    folder: str
    page: str
    method: Callable[[str], str]
    """A question's name as what answers it is called."""
    spelling: Spelling
    manifest: str = ""
    """What koth.toml says about it: how it is built and started, where koth does not know by itself."""


def _snake(name: str) -> str:
    return f"answer_{snake(name)}"


def _camel(name: str) -> str:
    return f"answer{pascal(name)}"


def _pascal(name: str) -> str:
    return f"Answer{pascal(name)}"


TYPESCRIPT = 'build = ["tsc"]\ncommand = ["node", "bot.js"]\n'
KOTLIN = """\
build = ["kotlinc -nowarn -no-reflect -d bot Bot.kt Koth.kt"]
# Debian has Kotlin's library in this place:
command = ["java", "-XX:+UseSerialGC", "-Xmx256m", "-cp", "bot:/usr/share/java/kotlin-stdlib.jar", "BotKt"]
"""

LANGUAGES = {
    "c": Language("c", "bot.c", _snake, kits.C),
    "c#": Language("csharp", "Bot.cs", _pascal, kits.CSHARP),
    "c++": Language("cpp", "bot.cpp", _snake, typed.CPP),
    "go": Language("go", "bot.go", _pascal, typed.GO),
    "haskell": Language("haskell", "bot.hs", _camel, kits.HASKELL),
    "java": Language("java", "Bot.java", _camel, typed.JAVA),
    "javascript": Language("javascript", "bot.js", _camel, typed.TYPESCRIPT),
    "kotlin": Language("kotlin", "Bot.kt", _camel, kits.KOTLIN, KOTLIN),
    "lua": Language("lua", "bot.lua", _snake, kits.LUA),
    "php": Language("php", "bot.php", _camel, kits.PHP),
    "python": Language("python", "bot.py", _snake, typed.PYTHON),
    "ruby": Language("ruby", "bot.rb", _snake, kits.RUBY),
    "rust": Language("rust", "bot.rs", _snake, typed.RUST),
    "typescript": Language("typescript", "bot.ts", _camel, typed.TYPESCRIPT, TYPESCRIPT),
}
"""By the word of `koth new --lang`."""


def own(folder: Path) -> dict[str, Path]:
    """The folders in `new/` of a game's folder, by language: starts that are copied as they are."""
    return {path.name: path for path in (folder / "new").glob("*") if path.is_dir()}


def languages() -> dict[str, list[str]]:
    """The languages of the starts of each game, none of which is imported: koth's own, then those of packages."""
    folders = {path.parent.name: path.parent for path in sorted(SHIPPED.glob("*/RULES.md"))}
    if entry_points(group=GROUP):
        from koth.games import GAMES, home, playable  # with arrays: nobody waits for them who has no such game

        folders |= {name: home(name).folder for name in playable() if name not in GAMES}
    return {name: sorted({*LANGUAGES, *own(folder)}) for name, folder in folders.items()}
