"""Reading a stranger's folder takes time in proportion to its size.

Steps are counted, or an input is so large that a quadratic reader would take hours: no test measures time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koth.build.jvm import sources
from koth.build.jvm.classfile import read_class
from koth.build.jvm.compiling import split_errors
from koth.build.jvm.jdk import JvmError
from koth.build.jvm.sources import could_be_entries, could_be_entry, matches_pattern, package_of
from koth.discovery import archives, plays
from koth.discovery.archives import Allowance, unpack_zip
from koth.discovery.entrants import find_entrants
from koth.discovery.folder import read_bots
from koth.discovery.interpreters import Interpreters
from koth.discovery.languages import LANGUAGES, can_be_main, java_class
from koth.discovery.locations import is_bot
from koth.discovery.manifest import check_name, read_manifest
from koth.errors import BotError, choices
from tests.session.arena import GAME

MEGABYTE = 1 << 20


def calls(work: Callable[[], object]) -> int:
    """Return the number of function calls, in Python and in C, that this takes."""
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def file_of(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


REPEATED = (") ", "extends ", "implements\n", "with\t", ": ", "\n", " ", "/*", "//\n", "\\u0020", "@a\n", "package ")


@pytest.mark.parametrize("text", REPEATED)
def test_sources_for_the_jvm(text: str, tmp_path: Path) -> None:
    """A megabyte of it: with a pattern that tries every end for every beginning, each would take hours."""
    file = file_of(tmp_path, "Fox.java", text * (MEGABYTE // len(text)))
    assert not could_be_entry(file, {"Player"})
    assert package_of(file) in ("", "package")
    assert java_class(file) in ("Fox", "package.Fox")


@pytest.mark.parametrize(
    ("text", "package"),
    [
        ("package player;", "player"),
        ("\ufeff// a\n/* package no; */ \n\tpackage  player.a ;", "player.a"),
        ("@file:JvmName(\"X\")\npackage player\n", "player"),
        ("\\u0070ackage player;", "player"),
        ("/*\npackage player;", ""),
        ("class X { }\npackage player;", ""),
    ],
)  # fmt: skip
def test_the_package_of_a_source(text: str, package: str, tmp_path: Path) -> None:
    assert package_of(file_of(tmp_path, "X.java", text)) == package


EXTENDING = {
    "class A implements Player {": True,
    "class A extends B implements\n  Other,Player{": True,
    "class A : Base(), Player {": True,
    "class A extends B with Player": True,
    "class A { Player implements; }": False,
    "x = implements y; Player {": False,
    "implementsPlayer {": False,
}


@pytest.mark.parametrize("text", EXTENDING)
def test_what_a_source_extends(text: str, tmp_path: Path) -> None:
    assert could_be_entry(file_of(tmp_path, "A.kt", text), {"Player"}) == EXTENDING[text]


def test_sources_that_extend_each_other(tmp_path: Path) -> None:
    """Each is read once or twice, however long the chain is."""

    def read(number: int) -> int:
        folder = tmp_path / str(number)
        files = [file_of(folder, f"C{at:04}.java", f"class C{at:04} extends C{at + 1:04} {{") for at in range(number)]
        files.append(file_of(folder, f"C{number:04}.java", "class X implements Player {"))
        return calls(lambda: could_be_entries(files, {"Player"}))

    assert read(200) < 2.5 * read(100)


@pytest.mark.parametrize("suffix", [".f90", ".pas", ".java", ".c", ".rs", ".go", ".cs"])
@pytest.mark.parametrize("text", ["\n", " ", "main ", "static ", "void\n", "fn "])
def test_sources_of_programs(text: str, suffix: str, tmp_path: Path) -> None:
    file = file_of(tmp_path, f"bot{suffix}", text * (MEGABYTE // len(text)))
    assert LANGUAGES[suffix].main_pattern
    assert not can_be_main(file)


def test_lines_that_import(tmp_path: Path) -> None:
    file_of(tmp_path, "bot.py", "import " * (MEGABYTE // 7))
    assert plays._games_of_imports(tmp_path, ["zombies", "aliens"]) == []
    file_of(tmp_path, "bot.py", "x = 1\nfrom koth.games.zombies.bot import Move\n")
    assert plays._games_of_imports(tmp_path, ["zombies", "aliens"]) == ["zombies"]


def test_a_compiler_with_much_to_say() -> None:
    line = "Fox.java:1: error: no\n"
    assert len(split_errors(line * (4 * MEGABYTE // len(line)), ["Fox.java"])["Fox.java"]) == 4000


MANIFESTS = {
    "command = '%s'" % ("a" * MEGABYTE): "larger than 64 kB",
    f"{'a.' * 30_000}b = 1": "more than 1000 dots in a line",
    f"memory = 0x{'f' * 5000}": "4300 digits",
    f"exclude = {['*a' * 10] * 100}": "exclude: more than 64 patterns",
}


@pytest.mark.parametrize("text", MANIFESTS)
def test_manifests(text: str, tmp_path: Path) -> None:
    file_of(tmp_path, "koth.toml", text)
    with pytest.raises(BotError, match=MANIFESTS[text]):
        read_manifest(GAME, tmp_path)


def test_command_files(tmp_path: Path) -> None:
    file_of(tmp_path, "command.txt", "a" * MEGABYTE)
    with pytest.raises(BotError, match=r"command.txt: it is larger than 64 kB"):
        read_bots(GAME, tmp_path, Interpreters())


def test_names(tmp_path: Path) -> None:
    """Marks are sorted as a name is brought to its usual form, and a word is compared with every name."""
    assert check_name("a" + "\u0301\u0323" * 500_000, tmp_path)
    letters = "".join(chr(0x4E00 + at % 200) for at in range(60_000))
    assert "did you mean" not in choices(letters, [letters[::-1], letters[1:]])
    assert "did you mean Fox?" in choices("Fix", ["Fox"])


def test_a_class_path_of_many_folders(tmp_path: Path) -> None:
    """All ways to divide 40 folders among 8 patterns would be tried without an end."""
    deep = tmp_path.joinpath(*"a" * 40)
    deep.mkdir(parents=True)
    with pytest.raises(JvmError, match="no such file"):
        sources._class_path(tmp_path, ["**/*/" * 8 + "x.jar"])
    file_of(deep, "x.jar", "")
    assert sources._class_path(tmp_path, ["**/*/" * 8 + "x.jar"]) == [deep / "x.jar"]


def test_what_a_class_path_may_name(tmp_path: Path) -> None:
    file_of(tmp_path / "deps", "a.jar", "")
    file_of(tmp_path / "deps" / "more", "b.jar", "")
    both = [tmp_path / "deps" / "a.jar", tmp_path / "deps" / "more" / "b.jar"]
    assert sources._class_path(tmp_path, ["deps/*.jar", "deps/a.jar"]) == both[:1]
    assert sources._class_path(tmp_path, ["**/*.jar"]) == both
    assert sources._class_path(tmp_path, ["deps"]) == [tmp_path / "deps"]
    for words, text in (
        (["/usr"], "nor a file under /usr"),
        (["../*"], "no such file"),
        ([".."], "neither in the bot's folder"),
        (["a"] * 65, "65 words; 64 are allowed"),
        (["*" * 5000], "more than 4096 characters"),
    ):
        with pytest.raises(JvmError, match=text):
            sources._class_path(tmp_path, words)


PARTS = st.lists(st.sampled_from("ab"), max_size=5)


@given(PARTS, st.lists(st.sampled_from(["a", "b", "*", "**"]), max_size=6))
@settings(deadline=None)
def test_patterns_fit_as_usual(parts: list[str], pattern: list[str]) -> None:
    def slow(path: list[str], words: list[str]) -> bool:
        if not words:
            return not path
        if words[0] == "**":
            return any(slow(path[at:], words[1:]) for at in range(len(path) + 1))
        return bool(path) and words[0] in ("*", path[0]) and slow(path[1:], words[1:])

    assert matches_pattern(parts, pattern) == slow(parts, pattern)


def test_a_class_file_without_an_end(tmp_path: Path) -> None:
    with open(tmp_path / "Fox.class", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(JvmError, match="larger than 16 MB"):
        read_class(tmp_path / "Fox.class")
    assert package_of(tmp_path / "Fox.class") == ""


@pytest.fixture
def deep_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that `rm` removes in the end: pytest removes old folders only as deep as Python recurses."""
    folder = tmp_path / "deep"
    folder.mkdir()
    yield folder
    subprocess.run(["rm", "-rf", folder], check=True)


def test_folders_that_are_deeper_than_python_goes(deep_folder: Path) -> None:
    here = os.open(deep_folder, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=here)
        here, last = os.open("d", os.O_RDONLY, dir_fd=here), here
        os.close(last)
    os.close(here)
    assert not is_bot(GAME.name, deep_folder)
    assert not plays._games_of_imports(deep_folder, ["zombies"])


# -- zips


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


BOT = b"import json\nclass A: ...\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KOTH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_zips_within_a_zip_share_one_allowance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A zip of zips of a megabyte each, which together are a gigabyte when unpacked."""
    inner = zipped(tmp_path / "one.zip", {"a/bot.py": BOT, "a/zeros": bytes(40_000)}).read_bytes()
    other = zipped(tmp_path / "two.zip", {"b/bot.py": BOT, "b/zeros": bytes(40_000)}).read_bytes()
    outer = zipped(tmp_path / "outer.zip", {"one.zip": inner, "two.zip": other})
    assert len(find_entrants(GAME, [str(outer)], Interpreters()).bots) == 2
    monkeypatch.setattr(archives, "BYTES", 60_000)
    found = find_entrants(GAME, [str(outer)], Interpreters())
    assert [bot.name for bot in found.bots] == ["a"]
    assert "two.zip: more than" in str(found.problems[0])


def test_zips_within_zips_have_an_end(tmp_path: Path) -> None:
    data = zipped(tmp_path / "in.zip", {"bot.py": BOT}).read_bytes()
    for _ in range(3):
        data = zipped(tmp_path / "out.zip", {"in.zip": data, "other/bot.py": BOT}).read_bytes()
    found = find_entrants(GAME, [str(tmp_path / "out.zip")], Interpreters())
    assert [bot.name for bot in found.bots] != []
    assert "more than 2 zips within each other" in str(found.problems[0])


NAMES = st.text(st.sampled_from("ab./\\ \u00e4"), min_size=1, max_size=8)


@given(st.lists(st.tuples(NAMES, st.integers(0, 0xFFFF)), min_size=1, max_size=5))
@settings(deadline=None, max_examples=60)
def test_nothing_is_written_outside_of_a_zips_folder(members: list[tuple[str, int]]) -> None:
    """Names and kinds of files are refused, or become regular files below one folder."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        place = Path(os.environ["KOTH_CACHE_DIR"]).parent / "any"
        place.mkdir(exist_ok=True)
        monkeypatch.setenv("KOTH_CACHE_DIR", str(place / "cache"))
        with warnings.catch_warnings(), zipfile.ZipFile(place / "x.zip", "w") as archive:
            warnings.simplefilter("ignore")  # of names that come twice
            for name, mode in members:
                info = zipfile.ZipInfo(name)
                info.external_attr = mode << 16
                archive.writestr(info, b"data")
        before = sorted(path for path in place.iterdir() if path.name != "cache")
        try:
            top = unpack_zip(place / "x.zip", Allowance())
        except BotError:
            top = None
        assert sorted(path for path in place.iterdir() if path.name != "cache") == before
        assert top is None or top.is_relative_to(place / "cache")
        for path in (place / "cache").rglob("*"):
            assert path.is_dir() or (path.is_file() and not path.is_symlink())
            assert path.stat().st_mode & 0o7000 == 0
