"""Without a JDK, bots for the JVM are refused by name, and all others play."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from koth.build.jvm.jdk import Jdk, JvmError, find_jdk
from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from tests.build.jvm.arena import GAME, fight, java, written


def program(folder: Path, name: str, says: str) -> None:
    """A program that only tells its version."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\necho {shlex.quote(says)}\n")
    file.chmod(0o755)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of one empty folder."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return folder


def test_without_java_the_package_is_named_and_others_play(tmp_path: Path, bare: Path) -> None:
    folder = written(tmp_path / "bots", {"Fox.java": java("Fox")})
    found = find_entrants(GAME, [str(folder), "@runner"], Interpreters())
    bots, errors = found.bots, found.problems
    (error,) = errors
    assert "no JDK (java and javac): install default-jdk-headless" in str(error)
    assert fight(bots).records["runner"].faults == {}


def test_a_java_without_a_compiler(bare: Path) -> None:
    program(bare, "java", 'openjdk version "17.0.1"')
    with pytest.raises(JvmError, match="a Java without its compiler javac: install default-jdk-headless"):
        find_jdk()


def test_a_java_that_is_too_old(bare: Path) -> None:
    program(bare, "java", 'java version "1.8.0_292"')
    program(bare, "javac", "javac 1.8.0_292")
    with pytest.raises(JvmError, match="has version 8; bots for the JVM need 11 or newer"):
        find_jdk()


def test_java_home_comes_first(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "jdk"
    home.mkdir()
    for folder, version in ((bare, "17.0.1"), (home / "bin", "21.0.2")):
        program(folder, "java", f'openjdk version "{version}"')
        program(folder, "javac", f"javac {version}")
    assert find_jdk().version == 17
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_jdk().version == 21
    assert find_jdk().java == home / "bin" / "java"


def test_a_javac_that_is_newer_than_java(bare: Path) -> None:
    """Its output must run on the older Java."""
    program(bare, "java", 'openjdk version "11.0.2"')
    program(bare, "javac", "javac 17.0.1")
    assert (find_jdk().version, find_jdk().release) == (11, "11")


def test_a_jvm_reads_its_home_and_the_settings_that_are_linked_from_it(bare: Path) -> None:
    home = bare.parent / "home"
    (home / "conf" / "security").mkdir(parents=True)
    (home / "conf" / "security" / "java.security").symlink_to("/etc/hostname")
    (home / "conf" / "own").symlink_to("security")
    (home / "conf" / "lost").symlink_to("/etc/no/such/file")
    jdk = Jdk(home / "bin" / "java", home / "bin" / "javac", 17, "")
    assert jdk.places() == [home, Path("/etc/hostname")]
