"""Goldens: short matches kept as text, one file per case, compared turn by turn.

A file begins with a header (`game`, `ruleset`, `settings`, `seats`, `seed`, `turns`), a line each, and an
empty line; the rest is `koth.testing.playthrough`. To add a case, write a file with the header only, named
`<game>-<case>.txt`, and run `python -m tests.golden`, which rewrites every file (or the files it is given).
"""

from __future__ import annotations

import json
from pathlib import Path

from koth.engine.settings import choose
from koth.games import load
from koth.testing import Case, playthrough

FOLDER = Path(__file__).parent
KEYS = ["game", "ruleset", "settings", "seats", "seed", "turns"]


def paths(game: str = "*") -> list[Path]:
    """The golden files, of one game or of all."""
    return sorted(FOLDER.glob(f"{game}-*.txt"))


def split(path: Path) -> tuple[str, str]:
    """The header and the playthrough that a file holds."""
    header, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
    return header.rstrip("\n"), rest


def read_case(path: Path) -> Case:
    """The case that a file's header declares. Raises ValueError when the header is not complete."""
    header = dict(line.split(maxsplit=1) for line in split(path)[0].splitlines())
    if list(header) != KEYS or not path.name.startswith(header["game"] + "-"):
        raise ValueError(f"{path.name}: the header must be {', '.join(KEYS)}, for the game in the file's name")
    game = load(header["game"])
    _, settings = choose(game, header["ruleset"], json.loads(header["settings"]))
    seats, seed, turns = (int(header[key]) for key in ("seats", "seed", "turns"))
    return Case(game, settings, seats, seed=seed, turns=turns)


def play_again(path: Path) -> str:
    """The whole text that the file should hold."""
    return f"{split(path)[0]}\n\n{playthrough(read_case(path))}"
