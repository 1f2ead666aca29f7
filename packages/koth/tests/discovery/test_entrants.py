"""A folder taken as it lies: which bots are found in it, what they are called, how they will be started."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.contest.preflight import build, start_once
from koth.discovery.digest import content_digest
from koth.discovery.entrants import find_entrants, find_only
from koth.discovery.folder import BotSpec, load_bot, parse_spec
from koth.discovery.interpreters import Interpreters, find_program
from koth.discovery.locations import find_main_file
from koth.discovery.manifest import KEYS, VALID_KEYS
from koth.errors import BotError
from koth.game import TimeControl
from koth.games import load as load_game
from koth.session.bot import Bot

GAME = load_game("pacman")
HERE = Interpreters()


def written(folder: Path, files: dict[str, str]) -> Path:
    """The folder, with these files in it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def names(*words: object, exclude: tuple[str, ...] = ()) -> list[str]:
    """The names of the bots that these words mean; nothing is wrong with any."""
    found = find_entrants(GAME, [str(word) for word in words], HERE, exclude=exclude)
    bots, problems = found.bots, found.problems
    assert not problems
    return [bot.name for bot in bots]


CLONE = {
    "README.md": "The contest of 2014.",
    "ann/command.txt": "python3 ann.py\n",
    "ann/ann.py": "",
    "ann/more.py": "",
    "bob/bot.js": "",
    "cid/koth.toml": 'command = "perl cid.pl"',
    "cid/cid.pl": "",
    "deep/er/dan/command.txt": "perl dan.pl\n",
    "test/bot.py": "",
    ".git/hooks/bot.py": "",
}


def test_folders_of_a_folder(tmp_path: Path) -> None:
    """Each that is a bot by itself; nothing deeper."""
    found = find_entrants(GAME, [str(written(tmp_path, CLONE))], HERE)
    assert not found.problems
    assert sorted(bot.name for bot in found.bots) == ["ann", "bob", "cid"]
    assert found.passed == ["deep: no koth.toml, command.txt, build file or main file; name it to look inside"]


JAVA_MAIN = "public class {} {{ public static void main(String[] a) {{}} }}"
ANTS: Any = copy.copy(GAME)
ANTS.main_names = ("MyBot",)


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"Bot.java": "public abstract class Bot {}", "MyBot.java": JAVA_MAIN.format("MyBot")}, "MyBot.java"),
        ({"Bot.java": JAVA_MAIN.format("Bot"), "MyBot.java": JAVA_MAIN.format("MyBot")}, "Bot.java"),
        ({"MyBot.py": "from ants import *", "ants.py": "import sys; sys.stdin", "mapgen.py": "x = 1"}, "MyBot.py"),
        ({"MYBOT.CC": "", "mybot.js": "", "Ants.js": "process.stdin"}, "mybot.js"),
        ({"one.c": "int main(void) {}", "two.c": ""}, None),
        ({"ann.rb": ""}, "ann.rb"),
    ],
)
def test_the_main_file_of_a_folder(files: dict[str, str], main: str | None, tmp_path: Path) -> None:
    """A game can name main files of its own; one that needs an entry and has none hides no other."""
    written(tmp_path / "bots" / "ann", files)
    assert find_main_file(ANTS, tmp_path / "bots" / "ann") == (main and tmp_path / "bots" / "ann" / main)
    found = find_entrants(ANTS, [str(tmp_path / "bots")], HERE)
    assert [bot.name for bot in found.bots] == (["ann"] if main else [])


def test_the_folder_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name counts, however it is named; what is no file is no program."""
    written(tmp_path / "Fox", {"Fox.py": "input()", "other.py": "input()"})
    monkeypatch.chdir(tmp_path / "Fox")
    assert find_only(GAME, ".", HERE).argv[-1].endswith("Fox.py")
    os.mkfifo(tmp_path / "Fox" / "pipe.py")
    assert len(find_entrants(GAME, ["."], HERE).bots) == 2


def test_loose_files_of_many_languages(tmp_path: Path) -> None:
    files = {
        "a.py": "import sys, helper\nprint(sys.stdin)",
        "b.js": "process.stdin.resume();",
        "c.c": "int main(void) { return 0; }",
        "part.c": "int part(void) { return 0; }",
        "d": "not by its ending",
        "e.rb": "#!/usr/bin/ruby",
        "f.py": "class Bot:\n    def act(self): ...\n",
        "helper.py": "class Bot: ...",
        "maps.lua": "return {}",
        "test_a.py": "input()",
        "notes.txt": "",
    }
    found = find_entrants(GAME, [str(written(tmp_path, files))], HERE)
    assert [(bot.name, bot.language) for bot in found.bots] == [
        *(("a", "python"), ("b", "javascript"), ("c", "c"), ("e", "ruby"), ("f", "python"))
    ]
    assert found.passed == [
        "helper.py: a.py imports it",
        "maps.lua: nothing in it starts a bot",
        "part.c: nothing in it starts a bot",
        "test_a.py: files of this name are never bots",
    ]
    assert names(tmp_path, exclude=("b*", "c.c", "e.rb", "f.py")) == ["a"]
    assert names(f"{tmp_path}#b", f"dan={tmp_path}#a") == ["b", "dan"]


METHODS = {"zombies": "do_turn", "aliens": "move", "metalman": "step"}


@pytest.mark.parametrize("game", METHODS)
def test_a_class_with_the_methods_of_the_game(game: str, tmp_path: Path) -> None:
    text = f"class A:\n    def {METHODS[game]}(self, x): ...\n"
    files = {"ann.py": text, "bob.py": text, "grid.py": "class G:\n    def at(self): ...\n"}
    found = find_entrants(load_game(game), [str(written(tmp_path, files))], HERE)
    assert [bot.name for bot in found.bots] == ["ann", "bob"]
    assert found.passed == ["grid.py: nothing in it starts a bot"]


BUILDS = {
    "Cargo.toml": ('[package]\nname = "snake"\n', ["cargo"], "target/release/snake"),
    "go.mod": ("module snake\n", ["go"], "koth-built"),
    "package.json": ('{"main": "lib/go.js"}', [], "lib/go.js"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs("cargo", "go", "node")) for name in BUILDS]
)
def test_build_files(name: str, tmp_path: Path) -> None:
    text, builders, program = BUILDS[name]
    written(tmp_path / "bots" / "ann", {name: text, "lib/go.js": "", "src/main.rs": "", "a.go": ""})
    (bot,) = find_entrants(GAME, [str(tmp_path / "bots")], HERE).bots
    assert (bot.name, [Path(line[0]).name for line in bot.build]) == ("ann", builders)
    assert bot.argv[-1].endswith(program)


@pytest.mark.parametrize(
    ("files", "program"),
    [
        ({"package.json": "{}", "fox.js": "", "tool.py": "", "notes.md": ""}, "fox.js"),
        ({"package.json": "{}", "index.js": "", "gulpfile.js": ""}, "index.js"),
        ({"package.json": '{"main": "lib/go.js"}', "lib/go.js": "", "gulpfile.js": "", "tool.py": ""}, "lib/go.js"),
        ({"package.json": "{}", "bot.py": "", "gulpfile.js": ""}, "bot.py"),
    ],
)
@pytest.mark.needs("node")
def test_which_program_a_package_for_node_starts(files: dict[str, str], program: str, tmp_path: Path) -> None:
    (bot,) = find_entrants(GAME, [str(written(tmp_path / "fox", files))], HERE).bots
    assert bot.argv[-1].endswith(program)


def test_a_build_file_of_nothing_is_no_bot(tmp_path: Path) -> None:
    written(tmp_path / "bots", {"ann/go.mod": "module a\n", "ann/README": "", "bot2/main.py": ""})
    found = find_entrants(GAME, [str(tmp_path / "bots")], HERE)
    assert [bot.name for bot in found.bots] == ["bot2"]
    assert found.passed[0].startswith("ann: no koth.toml")


@pytest.mark.needs("javac")
def test_java_in_packages_below_a_folder_of_sources(tmp_path: Path) -> None:
    main = "package my.bot;\nclass Main { static void main(String[] a) { other.Part.go(); } }\n"
    files = {"src/my/bot/Main.java": main, "src/my/bot/More.java": "", "koth.toml": 'main = "src/my/bot/Main.java"\n'}
    (bot,) = find_entrants(GAME, [str(written(tmp_path / "fox", files))], HERE).bots
    assert bot.argv[-1] == "my.bot.Main"
    assert bot.build[0][-4:] == ("-sourcepath", "./src", "./src/my/bot/Main.java", "./src/my/bot/More.java")


@pytest.mark.needs("javac")
def test_a_folder_that_is_itself_a_package_of_java(tmp_path: Path) -> None:
    folder = written(tmp_path / "bot", {"MyBot.java": f"package bot;\n{JAVA_MAIN.format('MyBot')}"})
    built, problem = build(find_only(ANTS, str(folder), HERE), tmp_path / "copies")
    assert (problem, built.argv[-1]) == ("", "bot.MyBot")
    assert (built.folder / "bot" / "MyBot.class").is_file()


def test_build_files_that_koth_does_not_run(tmp_path: Path) -> None:
    for name, text, told in (
        ("pom.xml", "<project/>", "koth does not build with pom.xml: name the folder of the sources, or set `build`"),
        ("package.json", '{"dependencies": {"a": "1"}}', "it has dependencies, and koth does not run npm"),
        ("Cargo.toml", "[workspace]\n", "it names no program"),
        ("Cargo.toml", "bin = 5\n", "it names no program"),
        ("Cargo.toml", "bin = {a = 1}\n", "it names no program"),
        ("package.json", "[" * 100_000, "package.json: "),
    ):
        folder = written(tmp_path / name, {name: text, "src/Fox.java": ""})
        (problem,) = find_entrants(GAME, [str(folder)], HERE).problems
        assert told in str(problem)


def test_several_sources_of_one_program(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "crab", {"part.c": "int part(void) { return 0; }", "crab.c": "int part(void); int main() {}"}
    )
    (bot,) = find_entrants(GAME, [str(folder)], HERE).bots
    assert bot.name == "crab"
    assert bot.build[0][1:] == ("-O2", "-o", "koth-built", "./crab.c", "./part.c", "-lm", "-pthread")
    assert bot.argv == (str(folder / "koth-built"),)


def test_zips(tmp_path: Path) -> None:
    """With or without a folder of its own; alone or among others."""
    for name, inside in (("one.zip", "one-master/"), ("two.zip", "")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(f"{inside}bot.py", f"# {name}")
    for name in ("three.zip", "in.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("loose.py", "input()")
    assert names(tmp_path / "one.zip") == ["one-master"]
    assert sorted(names(tmp_path)) == ["one-master", "two"]
    assert names(f"uno={tmp_path / 'one.zip'}") == ["uno"]
    assert names(tmp_path / "three.zip") == ["loose"]
    with zipfile.ZipFile(tmp_path / "zips.zip", "w") as archive:
        archive.write(tmp_path / "one.zip", "one.zip")
        archive.writestr("bot.py", "")
    with zipfile.ZipFile(tmp_path / "only.zip", "w") as archive:
        archive.write(tmp_path / "one.zip", "one.zip")
    (tmp_path / "zips").mkdir()
    shutil.copy(tmp_path / "in.zip", tmp_path / "zips")
    for place in ("only.zip", "zips"):
        with pytest.raises(BotError, match="no bot here"):
            find_only(GAME, str(tmp_path / place), HERE)
    shutil.rmtree(tmp_path / "zips")
    (tmp_path / "only.zip").unlink()
    found = find_entrants(GAME, [str(tmp_path), str(tmp_path / "zips.zip")], HERE)
    assert found.passed == [
        "in.zip: its folder has no main file; name it to look inside",
        "three.zip: its folder has no main file; name it to look inside",
        "one.zip: a zip in a zip",
    ]


def test_a_zip_that_was_unpacked_under_another_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "first.zip", "w") as archive:
        archive.writestr("bot.py", f"# only in {tmp_path}")
    assert names(tmp_path / "first.zip") == ["first"]
    assert names((tmp_path / "first.zip").rename(tmp_path / "second.zip")) == ["second"]


@pytest.mark.parametrize("name", ["../out.py", "/out.py", "a/../../out.py"])
def test_zips_that_reach_outside(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(name, "")
    (problem,) = find_entrants(GAME, [str(tmp_path / "bad.zip")], HERE).problems
    assert "lies outside of it" in str(problem)


HOSTILE_ZIPS = {
    "a table of many names": ([f"{number:0200}.py" for number in range(25_000)], "its table has [0-9]+ MB"),
    "many files": ([f"{number}.py" for number in range(20_001)], "more than 20000 files or 1024 MB"),
    "many folders": ([f"{top}/" + "d/" * 60 + "f" for top in range(400)], "more than 20000 files or 1024 MB"),
    "deep folders": (["d/" * 1000 + "f"], "more than 64 folders within each other"),
    "one name twice": (["bot.py", "bot.py"], "is in it twice"),
    "a file and a folder": (["bot.py", "bot.py/bot.py"], "can't be unpacked: .*(File exists|Not a directory)"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", HOSTILE_ZIPS)
def test_zips_that_are_made_to_do_harm(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are refused by their table, before anything is written; and nothing is left of them."""
    monkeypatch.setenv("KOTH_CACHE_DIR", str(tmp_path / "cache"))
    members, complaint = HOSTILE_ZIPS[kind]
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        for name in members:
            archive.writestr(name, "")
    (problem,) = find_entrants(GAME, [str(tmp_path / "bad.zip")], HERE).problems
    assert re.search(complaint, str(problem))
    assert not list((tmp_path / "cache").rglob("*.py"))


def test_zips_that_are_too_much_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.discovery.archives.BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", "#" * 2000)
    (tmp_path / "none.zip").write_text("PK")
    problems = find_entrants(GAME, [str(tmp_path / "bomb.zip"), str(tmp_path / "none.zip")], HERE).problems
    assert "that is not a bot" in str(problems[0])
    assert "none.zip: can't be unpacked" in str(problems[1])


def test_names_and_paths_with_signs_of_words(tmp_path: Path) -> None:
    """What a host types is split; what authors choose is not."""
    folder = tmp_path / "x=y#z"
    folder.mkdir()
    for word, parts in {
        f"a={folder}": ("a", str(folder), ""),
        f"{folder}#E": (None, str(folder), "E"),
        f"{folder}": (None, str(folder), ""),
        "a=@hunter": ("a", "@hunter", ""),
        "a=b=nowhere": ("a", "b=nowhere", ""),
    }.items():
        assert parse_spec(word) == parts, word
        assert str(parse_spec(word)) == word
    for name in ("x=y#z", "x=@hunter", "@hunter", "x=..", "#"):
        chosen = BotSpec(f"a={name}", str(tmp_path / name))
        assert parse_spec(chosen) is chosen
        problems = find_entrants(GAME, [chosen, BotSpec(None, str(tmp_path / name), "E")], HERE).problems
        assert [str(problem).partition(":")[0] for problem in problems] == [str(tmp_path / name)] * 2


def test_bots_of_one_name(tmp_path: Path) -> None:
    """Each gets a name of its own, told; one that the host has chosen stays; of copies the first keeps it."""
    files = {f"{place}/fox/bot.py": f"# {place}" for place in ("ann", "bob")}
    folder = written(tmp_path, {**files, "ann.py": "# 1"})
    found = find_entrants(GAME, [str(folder / "ann/fox"), str(folder / "bob/fox"), f"ann={folder / 'ann.py'}"], HERE)
    assert [bot.name for bot in found.bots] == ["fox-ann", "fox-bob", "ann"]
    assert found.notes == [
        f"{folder}/{place}/fox: called fox-{place}, because several are called fox" for place in ("ann", "bob")
    ]
    assert names("@forager", "@forager", "@forager") == ["forager", "forager-2", "forager-3"]
    rounds = written(
        tmp_path / "rounds", {f"{k}/{who}/files/bot/bot.py": f"# {k} {who}" for k in "13" for who in "ab"}
    )
    assert names(*(rounds / f"{k}/a/files/bot" for k in "13")) == ["bot-1", "bot-3"]
    every = [rounds / f"{k}/{who}/files/bot" for k in "13" for who in "ab"]
    assert names(*every) == ["bot-1-a", "bot-1-b", "bot-3-a", "bot-3-b"]


def test_digests_frame_names_and_contents(tmp_path: Path) -> None:
    """Two files can't be one file whose content looks like the end of the first and the second."""
    one = written(tmp_path / "one", {"a": "x\0b\0y"})
    two = written(tmp_path / "two", {"a": "x", "b": "y"})
    assert content_digest(one) != content_digest(two)
    before = content_digest(one)
    (one / "a").chmod(0o755)
    assert content_digest(one) != before


# -- manifests


def bot_of(tmp_path: Path, manifest: str) -> Bot:
    """The bot in a folder with this manifest and a main file."""
    return load_bot(GAME, written(tmp_path, {"koth.toml": manifest, "bot.py": ""}), HERE)


IDLE = {
    "python beside a command of its own": 'command = "./bot"\npython = "python3"\n',
    "prebuilt without a build": 'main = "bot.py"\nprebuilt = true\n',
    "main beside a command": 'command = "./bot"\nmain = "bot.py"\n',
    "language beside a command": 'command = "./bot"\nlanguage = "python"\n',
    "entry of a program": 'entry = "Fox"\n',
    "classpath of a program": 'classpath = "lib"\n',
    "preload beside a command": 'command = "./bot"\npreload = "numpy"\n',
}


@pytest.mark.parametrize("name", IDLE)
def test_a_key_without_effect(name: str, tmp_path: Path) -> None:
    with pytest.raises(BotError, match=rf"koth.toml: {name.split()[0]} has no effect"):
        bot_of(tmp_path, IDLE[name])


def test_every_key_has_an_effect_somewhere() -> None:
    assert set().union(*VALID_KEYS.values()) == {*KEYS}


def test_env_and_paths(tmp_path: Path) -> None:
    """A manifest's variables are in the bot's environment; outside paths only if the host allows them."""
    (tmp_path / "extra").mkdir()
    place = str(tmp_path / "extra")
    manifest = f'env = {{ FOO = "1" }}\nread = "{place}"\n'
    with pytest.raises(BotError, match=f"it wants to read {place}; to allow it: KOTH_ALLOW_READ={place}"):
        bot_of(tmp_path / "bot", manifest)
    bot = load_bot(GAME, tmp_path / "bot", Interpreters(paths=(tmp_path,)))
    assert (bot.reads, bot.environment["PYTHONPATH"]) == ((Path(place),), place)
    assert bot.command(3).environment["FOO"] == "1"
    plain = written(tmp_path / "plain", {"bot.py": ""})
    taught = load_bot(GAME, plain, Interpreters(paths=(tmp_path,)))
    assert (taught.reads, taught.environment) == ((tmp_path,), {"PYTHONPATH": str(tmp_path)}), "all that is allowed"
    for word in ("KOTH_SEED", "PYTHONHASHSEED", "A=B", ""):
        with pytest.raises(BotError, match="a bot may not set the variable"):
            bot_of(tmp_path / "bot", f'env = {{ "{word}" = "1" }}\n')


def test_libraries_are_loaded_before_a_class(tmp_path: Path) -> None:
    assert bot_of(tmp_path, 'protocol = "python"\npreload = ["numpy"]\n').argv[4] == "--preload=numpy"
    with pytest.raises(BotError, match=r"koth.toml: preload: unknown library 'torch' \(there are: numpy\)"):
        bot_of(tmp_path, 'preload = ["numpy", "torch"]\n')


MANY = """
main = "bot.py"
[bots]
Fox = "north 'far away'"
Owl = []
"""


def test_many_bots_of_one_program(tmp_path: Path) -> None:
    """Each has its words behind the command; a name picks one, and a pattern leaves one out."""
    place = written(tmp_path / "many", {"koth.toml": MANY, "bot.py": "class Bot: pass"})
    fox, owl = find_entrants(GAME, [str(place)], HERE).bots
    assert [bot.name for bot in (fox, owl)] == ["Fox", "Owl"]
    assert fox.command(1).argv[-3:] == (str(place / "bot.py"), "north", "far away")
    assert owl.command(1).argv[-1] == str(place / "bot.py")
    assert fox.digest != owl.digest
    assert fox.content == owl.content
    assert names(f"{place}#Owl", f"Reynard={place}#Fox") == ["Owl", "Reynard"]
    assert [bot.name for bot in find_entrants(GAME, [str(place)], HERE, exclude=["F*"]).bots] == ["Owl"]
    for manifest, complaint in (
        ("[bots]\nFox = 7\n", "bots.Fox must be a text or a list of texts, not 7"),
        ('name = "Fox"\n[bots]\nA = ""\n', "`bots` names 1 bot: leave out `name`"),
    ):
        with pytest.raises(BotError, match=complaint):
            bot_of(tmp_path / "bad", manifest)


@pytest.mark.needs("cc")
def test_a_build_can_be_skipped(tmp_path: Path) -> None:
    folder = written(tmp_path / "bot", {"command.txt": "false\n./bot\n", "bot": "#!/bin/sh\nread x\n"})
    (folder / "bot").chmod(0o755)
    assert load_bot(GAME, folder, HERE).build
    written(folder, {"koth.toml": "prebuilt = true\n"})
    assert load_bot(GAME, folder, HERE).build == ()


def test_a_failed_build_says_that_no_shell_expands_patterns(tmp_path: Path) -> None:
    folder = written(tmp_path / "bot", {"koth.toml": 'build = "cat *.c"\ncommand = "./bot"\n'})
    _, problem = build(load_bot(GAME, folder, HERE), tmp_path / "copies")
    assert problem.endswith("no shell expands *.c: list the files, or let one do it: sh -c '...'")


def test_what_a_word_means(tmp_path: Path) -> None:
    """The host says it for all bots, a manifest for python in its own commands."""
    shell = shutil.which("sh")
    given = Interpreters.find({"perl": shell, "python": shell})
    assert Interpreters.from_record(json.loads(json.dumps(given.record()))) == given
    folder = written(tmp_path / "bot", {"command.txt": "perl x.pl\n"})
    assert load_bot(GAME, folder, given).argv[0] == shell
    python = load_bot(GAME, written(tmp_path / "two", {"command.txt": "python x.py\n"}), given)
    assert python.argv[0] == shell
    own = written(tmp_path / "three", {"command.txt": "python x.py\n", "koth.toml": f'python = "{sys.executable}"\n'})
    given = Interpreters.find({"perl": shell, "python": shell}, [Path(sys.executable)])
    assert load_bot(GAME, own, given).argv[0] == sys.executable


def test_launchers_of_version_managers_are_seen_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (
        "shims/snake",
        "versions/2.7.18/bin/snake",
        "versions/3.9.2/bin/snake",
        "versions/3.12.1/bin/snake",
    ):
        written(tmp_path, {place: "#!/bin/sh\n"})
        (tmp_path / place).chmod(0o755)
    written(tmp_path, {"rust/settings.toml": 'default_toolchain = "stable"\n', "cargo/rustup": "", "cargo/away": ""})
    tool = written(tmp_path, {"rust/toolchains/stable/bin/rusty": ""}) / "rust/toolchains/stable/bin/rusty"
    os.symlink("rustup", tmp_path / "cargo" / "rusty")
    for file in (tool, tmp_path / "cargo/rustup"):
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/shims:{tmp_path}/cargo")
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path / "rust"))
    assert find_program("snake") == str(tmp_path / "versions/3.12.1/bin/snake")
    assert find_program("rusty") == str(tool)


# -- languages

C = """#include <stdio.h>
int main() { char b[9999]; while (fgets(b, 9999, stdin)) puts("X"), fflush(stdout); }"""
JAVA = """import java.util.*;
public class bot {
  public static void main(String[] a) {
    Scanner s = new Scanner(System.in);
    for (s.nextLine(); s.hasNextLine(); System.out.println("X")) s.nextLine();
  }
}"""
PROGRAMS = {
    "cc": ("c", C),
    "ruby": ("rb", "$stdout.sync = true\ngets\nwhile gets do puts 'X' end\n"),
    "lua": ("lua", "io.read()\nwhile io.read() do print('X') io.flush() end\n"),
    "perl": ("pl", "$| = 1; <STDIN>; while (<STDIN>) { print qq(X\\n); }\n"),
    "javac": ("java", JAVA),
}


def test_a_user_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose user is only a number."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert find_program("sh") == shutil.which("sh")
    written(tmp_path, {"cargo/rustup": ""})
    (tmp_path / "cargo/rustup").chmod(0o755)
    os.symlink("rustup", tmp_path / "cargo" / "rusty")
    monkeypatch.setenv("PATH", str(tmp_path / "cargo"))
    assert find_program("rusty") is None


@pytest.mark.parametrize("program", [pytest.param(name, marks=pytest.mark.needs(name)) for name in PROGRAMS])
def test_a_single_source_is_built_and_started(program: str, tmp_path: Path) -> None:
    ending, text = PROGRAMS[program]
    folder = written(tmp_path / "source", {f"bot.{ending}": text})
    (bot,) = find_entrants(GAME, [str(folder)], HERE).bots
    built, problem = build(bot, tmp_path / "copies")
    assert problem == ""
    assert start_once(GAME, GAME.rulesets["published"], [built], TimeControl(start=60, question=60)) == []


def test_a_file_beside_the_environment_that_starts_it(tmp_path: Path) -> None:
    """Only the file is copied: its interpreter, and what is read of koth, stay where they are."""
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (tmp_path / "bot.py").write_text("print('ready')\n")
    bot = load_bot(GAME, tmp_path / "bot.py", Interpreters(str(python)), "mine")
    built, problem = build(replace(bot, reads=(tmp_path / ".venv", tmp_path / "more.py")), tmp_path / "copies")
    assert problem == ""
    assert built.argv[0] == str(python)
    assert built.argv[-1].startswith(str(tmp_path / "copies"))
    assert built.reads == (tmp_path / ".venv",)


def test_a_named_folder_with_a_main_file_and_other_bots(tmp_path: Path) -> None:
    """The main file does not decide where several have an entry, but in a folder of bots it does."""
    files = {"bot.py": "class Bot: ...\n", "a/bot.py": "class Bot: ...\n", "b/bot.py": "class Bot: ...\n"}
    written(tmp_path / "bots", {f"mine/{name}": text for name, text in files.items()})
    found = find_entrants(GAME, [str(tmp_path / "bots" / "mine")], HERE)
    assert [bot.name for bot in found.bots] == ["a", "b", "bot"]
    assert "bot.py is a main file, but here are 3 files and folders with bots: each plays" in found.notes[0]
    assert names(tmp_path / "bots") == ["mine"]
    assert names(f"ann={tmp_path / 'bots' / 'mine'}") == ["ann"]
    assert find_only(GAME, str(tmp_path / "bots" / "mine"), HERE).name == "mine"
    written(tmp_path / "other", {"bot.py": "class Bot: ...\n", "train.py": "import bot\ninput()"})
    assert names(tmp_path / "other") == ["other"]
    written(tmp_path / "third", {"snake.py": "import grid\nclass Bot: ...\n", "grid.py": "class Grid: ...\n"})
    written(tmp_path / "crab", {"game.c": "int main(void) {}", "part.c": "", "test/main.py": "input()"})
    assert find_only(GAME, str(tmp_path / "crab"), HERE).build[0][4:6] == ("./game.c", "./part.c")
    (bot,) = find_entrants(GAME, [str(tmp_path / "third")], HERE).bots
    assert (bot.name, bot.path, bot.argv[-1]) == ("third", tmp_path / "third", str(tmp_path / "third" / "snake.py"))
