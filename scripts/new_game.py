"""Start a new game as a copy of the smallest one: `python scripts/new_game.py NAME`."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODEL = "zombies"


def copy(source: Path, target: Path, name: str) -> None:
    """Copy a folder or a file, with the new game's name wherever the model's stands."""
    if source.is_file():
        shutil.copy(source, target)
    else:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "jvm", "*.class"))
    for path in [target, *sorted(target.rglob("*"))]:
        if path.is_file():
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            text = text.replace(f"games.{MODEL}", f"games.{name}").replace(f'"{MODEL}"', f'"{name}"')
            text = re.sub(rf"\b{MODEL}\b", name, text)
            path.write_text(text.replace(MODEL.title(), name.title()), encoding="utf-8")


def main() -> None:
    if len(sys.argv) != 2 or not re.fullmatch(r"[a-z][a-z0-9]*", sys.argv[1]):
        sys.exit("usage: make new-game NAME=foo (small letters and digits)")
    name = sys.argv[1]
    games = ROOT / "src" / "koth" / "games"
    if (games / name).exists():
        sys.exit(f"there is a game {name} already")
    copy(games / MODEL, games / name, name)
    copy(ROOT / "tests" / "games" / MODEL, ROOT / "tests" / "games" / name, name)
    for file in ("docs/{}.md", "tests/docs/test_{}.py"):
        copy(ROOT / file.format(MODEL), ROOT / file.format(name), name)
    for golden in sorted((ROOT / "tests" / "golden").glob(f"{MODEL}-*.txt")):
        shutil.copy(golden, golden.with_name(golden.name.replace(MODEL, name, 1)))
    line = f'    "{MODEL}": "koth.games.{MODEL}",\n'
    listing = games / "__init__.py"
    listing.write_text(listing.read_text().replace(line, line + f'    "{name}": "koth.games.{name}",\n'))
    print(f"made {games / name}, tests/games/{name} and docs/{name}.md; begin with RULES.md (see CONTRIBUTING.md)")


if __name__ == "__main__":
    main()
