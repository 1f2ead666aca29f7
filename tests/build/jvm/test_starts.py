"""The starting points of authors: `new/` folders and the SDK."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

import pytest

from koth.build.jvm.entries import is_for_jvm
from koth.build.jvm.sdk import JAR, games_on_the_jvm, write_sdk
from koth.discovery.folder import load
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import sample_path
from koth.discovery.starts import starts
from koth.games import load as load_game
from tests.build.jvm.arena import bots_at, fight, java, written


@pytest.mark.needs("javac")
@pytest.mark.parametrize("game", ["aliens", "zombies"])
def test_the_start_in_java_is_a_class_of_the_games_own_api(game: str) -> None:
    assert is_for_jvm(game, starts(game)["java"])


@pytest.mark.needs("javac")
def test_a_start_plays_at_once() -> None:
    bot = load(load_game("zombies"), starts("zombies")["java"], Interpreters())
    record = fight([bot]).records["MyBot"]
    assert (record.faults, record.stderr) == ({}, b"")


@pytest.mark.needs("javac")
def test_the_sdk_is_all_an_author_needs_to_compile(tmp_path: Path) -> None:
    assert games_on_the_jvm() == ["aliens", "zombies"]
    assert write_sdk(tmp_path) == [tmp_path / JAR, tmp_path / "pom.xml"]
    with zipfile.ZipFile(tmp_path / JAR) as jar:
        names = jar.namelist()
    for name in ("zombie/Player", "zombie/PlayerContext", "planet/Move", "alien/Alien"):
        assert f"{name}.class" in names
        assert f"{name}.java" in names
    assert not [name for name in names if "Host" in name]
    root = "src/main/java"
    fox = f"{root}/player/Fox.java"
    cow = f"{root}/alien/Cow.java"
    body = "public void setAbilityPoints(float[] a) {} public boolean wantToFight(int[] e) { return false; }"
    body += " public planet.Move move(char[][] f) { return null; }"
    alien = f"package alien;\npublic class Cow extends Alien {{ {body} }}"
    written(tmp_path, {fox: java("Fox"), cow: alien})
    words = ["javac", "--release", "11", "-cp", JAR, "-d", str(tmp_path / "out"), fox, cow]
    assert subprocess.run(words, cwd=tmp_path, capture_output=True, check=False).stderr == b""


@pytest.mark.needs("javac")
def test_the_project_names_the_jar_and_plays(tmp_path: Path) -> None:
    write_sdk(tmp_path)
    project = ElementTree.parse(tmp_path / "pom.xml").getroot()
    space = "{http://maven.apache.org/POM/4.0.0}"
    path = project.find(f"{space}dependencies/{space}dependency/{space}systemPath")
    assert path is not None
    assert path.text == "${project.basedir}/" + JAR
    written(tmp_path, {"src/main/java/player/Fox.java": java("Fox")})
    assert [bot.name for bot in bots_at(tmp_path)] == ["Fox"]
    assert fight(bots_at(tmp_path)).records["Fox"].faults == {}


@pytest.mark.needs("javac")
def test_the_sdk_leaves_an_authors_project_alone_and_is_the_same_each_time(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<mine/>")
    assert write_sdk(tmp_path) == [tmp_path / JAR]
    first = (tmp_path / JAR).read_bytes()
    write_sdk(tmp_path)
    assert (tmp_path / JAR).read_bytes() == first
    assert (tmp_path / "pom.xml").read_text() == "<mine/>"


def test_a_game_may_have_flags_of_its_own() -> None:
    """Species of aliens do without the optimising compiler, players of zombies don't."""
    without = "-XX:TieredStopAtLevel=1"
    for game, name, there in (("aliens", "Ravager", True), ("zombies", "Lookout", False)):
        argv = load(load_game(game), sample_path(game, name), Interpreters()).argv
        assert (without in argv) == there
        assert not any(word.startswith("#") for word in argv)
