"""A folder taken as it lies: which bots are found in it, what they are called, how they will be started."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from koth.contest.preflight import build, start_once
from koth.discovery.digest import content_digest
from koth.discovery.entrants import find_entrants
from koth.discovery.folder import Word, load_bot, split_word
from koth.discovery.interpreters import Interpreters, find_program
from koth.discovery.languages import find_main
from koth.discovery.manifest import KEYS, VALID_KEYS
from koth.errors import BotError
from koth.game import TimeControl
from koth.games import load as load_game
from koth.session.bot import Bot

GAME = load_game("pacman")
HERE = Interpreters()


MAIN, ABSTRACT = "public class {} {{ public static void main(String[] a) {{}} }}", "public abstract class {} {{}}"


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"Bot": ABSTRACT, "MyBot": MAIN}, "MyBot.java"),
        ({"Bot": ABSTRACT, "Main": MAIN, "MyBot": MAIN}, "Main.java"),
        ({"Bot": MAIN, "MyBot": MAIN}, "Bot.java"),
        ({"Bot": ABSTRACT, "A": MAIN, "MyBot": MAIN}, "Bot.java"),
        ({"Bot": ABSTRACT, "MyBot": ABSTRACT}, "Bot.java"),
    ],
)
def test_a_file_without_an_entry_hides_no_main_file(files: dict[str, str], main: str, tmp_path: Path) -> None:
    written(tmp_path, {f"{name}.java": text.format(name) for name, text in files.items()} | {"tools.py": ""})
    found = find_main(sorted(tmp_path.iterdir()), tmp_path)
    assert found == tmp_path / main


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
    "src/host/Main.java": "package host;\npublic class Main { public static void main(String[] a) {} }",
    "players/ann/command.txt": "python3 ann.py\n",
    "players/ann/ann.py": "",
    "players/ann/more.py": "",
    "players/bob/bot.js": "",
    "players/deep/er/cid/command.txt": "perl cid.pl\n",
    "players/deep/er/cid/cid.pl": "",
    "test/bot.py": "",
    ".git/hooks/bot.py": "",
}


def test_a_clone_of_an_old_contest(tmp_path: Path) -> None:
    """The bots wherever they lie; the old host's own program is taken for none, and named."""
    found = find_entrants(GAME, [str(written(tmp_path, CLONE))], HERE)
    assert not found.problems
    assert sorted(bot.name for bot in found.bots) == ["ann", "bob", "cid"]
    assert found.notes == [f"{tmp_path}: not taken for bots: src/host"]


@pytest.mark.needs("javac")
def test_other_languages_beside_a_hundred_sources_of_the_jvm(tmp_path: Path) -> None:
    """Marked bots below files for the JVM play, too; other files are listed."""
    source = "package player; public class NAME implements zombie.Player { "
    source += "public zombie.Action doTurn(zombie.PlayerContext c) { return zombie.Move.STAY; } }"
    files = {
        "src/player/Ann.java": source.replace("NAME", "Ann"),
        "src/player/Bob.java": source.replace("NAME", "Bob"),
        "src/player/scripts/cid/koth.toml": 'command = "perl cid.pl"',
        "src/player/scripts/cid/cid.pl": "",
        "extras/dan/bot.py": "class Dan: pass",
        "extras/eve.js": "",
    }
    found = find_entrants(load_game("zombies"), [str(written(tmp_path, files))], HERE)
    assert not found.problems
    assert sorted(bot.name for bot in found.bots) == ["Ann", "Bob", "cid", "dan"]
    assert found.notes == [f"{tmp_path}: not taken for bots: extras/eve.js"]


def test_loose_files_of_many_languages(tmp_path: Path) -> None:
    files = {
        "a.py": "import sys",
        "b.js": "",
        "c.c": "int main(void) { return 0; }",
        "part.c": "int part(void) { return 0; }",
        "setup.py": "",
        "notes.txt": "",
    }
    found = find_entrants(GAME, [str(written(tmp_path, files))], HERE)
    assert [bot.name for bot in found.bots] == ["a", "b", "c"]
    assert [bot.language for bot in found.bots] == ["python", "javascript", "c"]
    assert found.notes == [f"{tmp_path}: not taken for bots: part.c, setup.py"]
    assert names(tmp_path, exclude=("b*", "c.c")) == ["a"]
    assert names(f"{tmp_path}#b", f"dan={tmp_path}#a") == ["b", "dan"]


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
    assert names(tmp_path / "one.zip") == ["one-master"]
    assert sorted(names(tmp_path)) == ["one-master", "two"]
    assert names(f"uno={tmp_path / 'one.zip'}") == ["uno"]


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
        assert split_word(word) == parts, word
        assert str(split_word(word)) == word
    for name in ("x=y#z", "x=@hunter", "@hunter", "x=..", "#"):
        chosen = Word(f"a={name}", str(tmp_path / name))
        assert split_word(chosen) is chosen
        problems = find_entrants(GAME, [chosen, Word(None, str(tmp_path / name), "E")], HERE).problems
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


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with open(tmp_path / "bot.py", "wb") as data:
        data.truncate(1 << 42)
    with pytest.raises(BotError, match="that is not a bot"):
        content_digest(tmp_path)
    with pytest.raises(BotError, match="that is not a bot"):
        content_digest(tmp_path / "bot.py")


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
    with pytest.raises(BotError, match=f"it wants to read {place}; to allow it: --allow-read {place}"):
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


def test_a_folder_that_is_one_bot_names_the_bots_in_it_that_are_left_out(tmp_path: Path) -> None:
    written(tmp_path / "bots", {"bot.py": "class Bot: ...\n"})
    for name in ("a", "b"):
        written(tmp_path / "bots" / name, {"bot.py": "class Bot: ...\n"})
    found = find_entrants(GAME, [str(tmp_path / "bots")], HERE)
    assert [bot.name for bot in found.bots] == ["bots"]
    assert (
        f"2 folders with bots in it are left out (a ...): name {tmp_path}/bots/*/ to let them play" in found.notes[0]
    )
