"""A class's name means one thing in all packages."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGES = Path(__file__).parents[2]
OF_EACH_GAME = {"Encoding", "Host", "Json", "Move", "Observation", "Settings", "State"}
"""Names by which koth and bots know a game's classes; every game may have its own."""
TABLES = "koth_hill/models.py"
"""The tables of the site's database; their names are those of the records they hold."""


def test_no_two_classes_share_a_name() -> None:
    modules = defaultdict(list)
    for file in PACKAGES.glob("*/src/**/*.py"):
        name = file.relative_to(PACKAGES).as_posix().partition("/src/")[2]
        if name == TABLES or not {"bots", "new"}.isdisjoint(file.parts) or "skeleton" in name:
            continue
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef):
                modules[node.name.lstrip("_")].append(name)
    shared = {name: files for name, files in modules.items() if len(files) > 1}
    for name in OF_EACH_GAME & shared.keys():
        assert all("/games/" in file or name == "Encoding" for file in shared.pop(name))
    assert not shared
