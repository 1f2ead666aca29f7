"""The examples and claims of docs/jvm.md hold."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from koth.build.jvm import languages
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.manifest import KEYS
from koth.games import load as load_game
from koth.match import Hosting, play
from koth.sandbox.mounts import PACKAGE
from tests.build.jvm.arena import PATIENT, bots_at, fight, written
from tests.build.jvm.test_aliens import SMALL as SMALL_ALIENS
from tests.build.jvm.test_samples import SAMPLES

PAGE = (Path(__file__).parents[5] / "docs" / "jvm.md").read_text(encoding="utf-8")


def block(name: str) -> str:
    """The code under the mark with this name."""
    found = re.search(rf"<!-- block: {name} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None, name
    return found[1]


@pytest.mark.needs("javac")
def test_the_java_bot_plays(tmp_path: Path) -> None:
    bots = bots_at(written(tmp_path, {"Careful.java": block("java")}))
    assert fight(bots).records["Careful"].faults == {}


@pytest.mark.needs("javac", "rhino")
def test_the_script_plays(tmp_path: Path) -> None:
    bots = bots_at(written(tmp_path, {"loiterer.js": block("rhino")}))
    assert fight(bots).records["Loiterer"].faults == {}


@pytest.mark.needs("javac")
def test_the_species_plays(tmp_path: Path) -> None:
    game = load_game("aliens")
    folder = written(tmp_path, {"Hedgehog.java": block("alien")})
    bot = load_bot(game, folder, Interpreters())
    assert play(game, SMALL_ALIENS, [bot], 1, Hosting(time_control=PATIENT)).records["Hedgehog"].faults == {}


def test_the_manifest_keys_are_documented() -> None:
    manifest = tomllib.loads(block("manifest"))
    assert set(manifest) <= set(KEYS)
    assert manifest["language"] in languages.language_names()


def test_the_table_names_every_package_and_sample() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|") and "`@" in line]
    assert sorted(name for row in rows for name in re.findall(r"`@(\w+)`", row)) == sorted(p.stem for p in SAMPLES)
    packages = {row.split("|")[2].strip(" `") for row in rows}
    assert packages == {language.package for language in languages.LANGUAGES.values() if language.name != "frege"}


def test_every_class_of_the_api_is_documented() -> None:
    for name in ("PlayerContext", "PlayerId", "Move", "Shoot", "Constants", "Dead", "PlayerRegistry"):
        assert f"`{name}`" in PAGE
    context = (PACKAGE / "games/zombies/jvm/api/zombie/PlayerContext.java").read_text(encoding="utf-8")
    for method in re.findall(r"public [\w\[\]<>]+ (\w+)\(", context):
        assert f"`{method}(" in PAGE, method
