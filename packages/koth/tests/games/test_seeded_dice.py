"""Starts, samples and skeletons draw from the seed of their match, in every language: matches can be repeated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
SHIPPED = ROOT / "packages/koth/src/koth/games"
EXAMPLES = ROOT / "examples"
FILES = sorted(
    path
    for folder in (*SHIPPED.glob("*/bots"), *SHIPPED.glob("*/new"), *SHIPPED.glob("*/jvm/bots"))
    for path in (
        *folder.rglob("*.*"),
        *SHIPPED.with_name("skeleton").rglob("*.*"),
        *EXAMPLES.glob("koth-*/**/bots/*"),
    )
    if path.is_file() and path.suffix not in (".pyc", ".class")
)
UNSEEDED = re.compile(
    r"Math\.random\(|new Random\(\)|Random\.Default|random_device|thread_rng|randomUUID|getRandomValues|crypto"
    r"|SystemRandom|urandom|default_rng\(\)|random\.Random\(\)|\btime\(|\brand\(\)|random_int|newStdGen|\.(shuffle|sample)\s*$"
)
"""Sources of chance that no seed reaches, in any of the languages."""


def test_no_bot_of_koths_draws_without_a_seed() -> None:
    assert len(set(FILES)) > 80
    found = {str(path) for path in FILES if UNSEEDED.search(path.read_text(encoding="utf-8"))}
    assert found == set()


@pytest.mark.parametrize(
    "line", ["x = Math.random() * 4", "Random dice = new Random();", "rand::thread_rng()", "srand(time(NULL))"]
)
def test_unseeded_dice_are_found(line: str) -> None:
    assert UNSEEDED.search(line)
