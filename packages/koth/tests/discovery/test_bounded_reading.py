"""Reading a stranger's folder takes time in proportion to its size.

Steps are counted, or an input is so large that a quadratic reader would take hours: no test measures time.
"""

from __future__ import annotations

import os
import subprocess
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koth.build.jvm import sources
from koth.build.jvm.compiling import split_errors
from koth.build.jvm.jdk import JvmError
from koth.build.jvm.sources import declared_classes
from koth.discovery import plays
from koth.discovery.archives import Allowance, unpack_zip
from koth.discovery.folder import read_bots
from koth.discovery.interpreters import Interpreters
from koth.discovery.languages import LANGUAGES, can_be_main, find_imports, java_class
from koth.discovery.locations import find_locations
from koth.discovery.manifest import check_name, read_manifest
from koth.errors import BotError, choices
from koth.games import load as load_game
from tests.session.arena import GAME

MEGABYTE = 1 << 20


def file_of(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


REPEATED = (
    *(") ", "extends ", "implements\n", "class ", "class A", "\n", " ", "/*", "//\n", '"', "'\\'", '"""'),
    *("@a\n", "package ", "import ", "require", "require ", "require (", "from x import ", "stdi", "read(", "{"),
)


@pytest.mark.slow
@pytest.mark.parametrize("text", REPEATED)
def test_much_of_anything(text: str, tmp_path: Path) -> None:
    """With a pattern that tries every end for every beginning, each would take an hour."""
    for name in ("Fox.java", "fox.py"):
        file = file_of(tmp_path, name, text * (MEGABYTE // 4 // len(text)))
        assert len(declared_classes(file)) < 2
        assert java_class(file) in ("Fox", "fox", "package.Fox")
        assert find_imports([file]) == {}
    for game in (GAME, load_game("pacman")):
        assert find_locations(game, tmp_path).places in ([], [tmp_path], [tmp_path / "fox.py"])


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


def test_what_a_class_path_may_name(tmp_path: Path) -> None:
    file_of(tmp_path / "deps", "a.jar", "")
    file_of(tmp_path / "deps" / "more", "b.jar", "")
    both = [tmp_path / "deps" / "a.jar", tmp_path / "deps" / "more" / "b.jar"]
    assert sources._class_path(tmp_path, ["deps/?.jar", "deps/a.jar"]) == both[:1]
    assert sources._class_path(tmp_path, ["deps/*.jar"]) == both
    assert sources._class_path(tmp_path, ["deps"]) == [tmp_path / "deps"]
    for words, text in (
        (["/usr"], "nor a file under /usr"),
        (["../*"], "no such file"),
        ([".."], "neither in the bot's folder"),
        (["a"] * 65, "65 words; 64 are allowed"),
        (["*a" * 5000], "File name too long"),
    ):
        with pytest.raises(JvmError, match=text):
            sources._class_path(tmp_path, words)


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
    assert not find_locations(GAME, deep_folder).places
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
