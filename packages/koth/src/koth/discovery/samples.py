"""The sample bots that ship with a game."""

from __future__ import annotations

from pathlib import Path

from koth.discovery.languages import LANGUAGES, ending_of, has_main_name
from koth.discovery.locations import is_for_jvm
from koth.errors import BotError, choices
from koth.games import home


def sample_paths(game: str) -> list[Path]:
    """Return the files and folders of a game's sample bots, sorted: in `bots/`, and for the JVM in `jvm/bots/`."""
    folders = [home(game).folder / place for place in ("bots", "jvm/bots")]
    paths = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    paths = [path for path in paths if not path.name.startswith(("_", "."))]
    return [path for path in paths if path.is_dir() or ending_of(path) in LANGUAGES or is_for_jvm(game, path)]


def sample_names(game: str) -> list[str]:
    """Return the names of a game's sample bots, sorted."""
    return sorted(path.stem if path.is_file() else path.name for path in sample_paths(game))


def find_sample(game: str, name: str) -> Path:
    """Return a sample's folder or file. Raises BotError that lists the valid names."""
    for path in sample_paths(game):
        if name in (path.name, path.stem):
            return path
    raise BotError(f"there is no sample @{name} for {game}{choices(name, sample_names(game))}")


def read_summary(game: str, path: Path) -> str:
    """Return the first line of text in a sample's main file."""
    inside = sorted(inner for inner in path.iterdir() if inner.is_file()) if path.is_dir() else [path]
    file = next((inner for inner in inside if inner.suffix in LANGUAGES and has_main_name(inner, path)), inside[0])
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        text = line.strip().strip("\"'/*#;- ").strip()
        if text and not line.startswith("#!"):
            return text
    return ""
