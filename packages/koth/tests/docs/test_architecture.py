"""ARCHITECTURE.md and docs/how-it-works.md are true: what they name exists, and the map has every layer in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_layers import LAYERS, LIST, SOURCE

ROOT = Path(__file__).resolve().parents[4]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
PAGES = [ARCHITECTURE, ROOT / "docs/how-it-works.md"]
OF_RUNS = {"run.json", "results.sqlite", "notes/", "stderr/"}
"""Files and folders of a run, which no source has."""


def named(page: Path) -> set[str]:
    """Return what stands on a page as code; the games' folders for `games/NAME`."""
    return set(re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8").replace("NAME", "zombies")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_folders_exist(page: Path) -> None:
    files = {name for name in named(page) if re.fullmatch(r"[\w./-]+(\.(py|txt|md|js|toml|json|sqlite)|/)", name)}
    sources = (SOURCE, ROOT / "packages")
    everywhere = {path.name + "/" * path.is_dir() for top in sources for path in top.rglob("*")}
    assert len(files) > 20
    for name in files - OF_RUNS:
        tops = (ROOT, ROOT / "packages/koth", SOURCE, SOURCE / "cli", SOURCE / "sandbox")
        paths = [top / name for top in tops] + [source / name for source in ROOT.glob("packages/*/src")]
        assert name in everywhere or any(path.exists() for path in paths), name


def test_the_map_has_every_layer_from_the_top_down() -> None:
    the_map = ARCHITECTURE.read_text(encoding="utf-8").partition("## The map of koth")[2].partition("## ")[0]
    lines = [line for line in the_map.splitlines() if line.startswith("    ")]
    rank = {name: number for number, names in enumerate(LAYERS) for name in names if not name.startswith("__")}
    rank["games"] = rank["plain"]
    seen = [name for line in lines for name in re.findall(r"(\w+)(?:/|\.py)", line) if name in rank]
    assert set(seen) | {LIST} == set(rank)
    assert [rank[name] for name in seen] == sorted((rank[name] for name in seen), reverse=True)
