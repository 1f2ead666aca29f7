"""The bots for the JVM in a folder or a file, and the sources that they are compiled from."""

from __future__ import annotations

import os
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from koth.build.jvm import adapter, jdk, languages
from koth.discovery.entrants import find_entrants
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import BotError
from koth.games import load as load_game
from koth.sandbox import cached_folders
from tests.build.jvm.arena import GAME, Conversation, bots_at, fight, java, names_at, written

pytestmark = pytest.mark.needs("javac")

FOX = java("Fox")
COW = java("Cow", "return Move.NORTH;")


def plays(path: Path) -> None:
    """The one bot here answers a question."""
    (bot,) = bots_at(path)
    conversation = Conversation(bot)
    assert not conversation.ask({"number": 1}).fault.any()
    conversation.close()


@pytest.mark.parametrize(
    "file",
    [
        "Fox.java",
        "player/Fox.java",
        "src/player/Fox.java",
        "src/main/java/player/Fox.java",
        "src/deep/er/player/Fox.java",
    ],
)
def test_sources_may_lie_in_any_layout(tmp_path: Path, file: str) -> None:
    more = {"README.md": "A fox.", "src/test/java/FoxTest.java": "no java", "koth.toml": ""}
    folder = written(tmp_path / "animal", {file: FOX, **more})
    assert names_at(folder) == ["Fox"], "named after its class, not after the folder"
    plays(folder)


def test_a_single_file(tmp_path: Path) -> None:
    folder = written(tmp_path, {"Fox.java": FOX, "Broken.java": "class {"})
    assert names_at(folder / "Fox.java") == ["Fox"]
    plays(folder / "Fox.java")


def test_several_entries_are_several_bots(tmp_path: Path) -> None:
    shared = "package player;\nclass Shared { static int met; }\n"
    fox = java("Fox", "return Shared.met++ > 3 ? Move.EAST : Move.STAY;")
    folder = written(tmp_path / "pack", {"Fox.java": fox, "Cow.java": COW, "Shared.java": shared})
    bots = bots_at(folder)
    assert [bot.name for bot in bots] == ["Cow", "Fox"]
    assert len({bot.digest for bot in bots}) == 2
    result = fight(bots)
    assert all(record.faults == {} for record in result.records.values())
    assert load_bot(GAME, folder, Interpreters(), "Fox").name == "Fox"
    with pytest.raises(BotError, match="several bots here"):
        load_bot(GAME, folder, Interpreters())


@pytest.mark.parametrize("entry", ["Fox", "player.Fox"])
def test_entry_picks_one(tmp_path: Path, entry: str) -> None:
    folder = written(
        tmp_path, {"Fox.java": FOX, "Cow.java": COW, "koth.toml": f'entry = "{entry}"\nname = "Reynard"\n'}
    )
    assert names_at(folder) == ["Reynard"]


def test_an_unknown_entry_names_the_others(tmp_path: Path) -> None:
    folder = written(tmp_path, {"Fox.java": FOX, "Cow.java": COW, "koth.toml": 'entry = "Fix"\n'})
    with pytest.raises(BotError, match=r"did you mean Fox\? \(there are: Cow, Fox\)"):
        bots_at(folder)


def test_a_folder_of_bots_in_several_languages(tmp_path: Path) -> None:
    head = "from koth.games.zombies.bot import Move\n"
    python = head + "class A:\n    def do_turn(self, context):\n        return Move.STAY\n"
    written(tmp_path, {"a.py": python, "b.py": python, "Fox.java": FOX, "cow/Cow.java": COW, "notes.txt": ""})
    found = find_entrants(GAME, [str(tmp_path)], Interpreters())
    bots, errors = found.bots, found.problems
    assert [str(error) for error in errors] == []
    assert sorted(bot.name for bot in bots) == ["Cow", "Fox", "a", "b"]
    result = fight(bots)
    assert all(record.faults == {} for record in result.records.values())


def test_a_main_file_does_not_decide_where_several_have_an_entry(tmp_path: Path) -> None:
    files = {"bot.py": "class A:\n    def do_turn(self, context): ...\n", "Fox.java": FOX}
    found = find_entrants(GAME, [str(written(tmp_path / "mine", files))], Interpreters())
    assert [bot.name for bot in found.bots] == ["Fox", "bot"]
    assert "bot.py is a main file, but here are 2 files and folders with bots: each plays" in found.notes[0]
    written(tmp_path / "mine", {"koth.toml": ""})
    assert names_at(tmp_path / "mine") == ["mine"]


def test_what_is_no_entry(tmp_path: Path) -> None:
    files = {
        "Fox.java": FOX,
        "Abstract.java": java("Abstract").replace("public class", "public abstract class"),
        "Hidden.java": java("Hidden").replace("public class", "class"),
        "Needy.java": java("Needy", more="  Needy(int food) {}"),
        "Single.java": java("Single", more="  private Single() {}"),
        "Kind.java": "package player;\npublic interface Kind extends zombie.Player {}\n",
        "Outer.java": "package player;\npublic class Outer { public static class Inner extends Fox {} }\n",
        "Mood.java": "package player;\npublic enum Mood implements zombie.Player "
        "{ GOOD; public zombie.Action doTurn(zombie.PlayerContext c) { return null; } }\n",
    }
    assert names_at(written(tmp_path, files)) == ["Fox"]


def test_public_classes_inside_others_count_where_there_are_no_others(tmp_path: Path) -> None:
    turn = "public Action doTurn(PlayerContext c) {{ return Move.STAY; }}"
    inner = f"public static class {{0}} implements Player {{{{ {turn} }}}}\n"
    body = inner.format("Fox") + inner.format("Cow")
    folder = written(tmp_path, {"Bots.java": f"package player;\nimport zombie.*;\npublic class Bots {{ {body} }}\n"})
    assert names_at(folder) == ["Cow", "Fox"]
    assert all(record.faults == {} for record in fight(bots_at(folder)).records.values())


def test_no_entry_shows_the_sources(tmp_path: Path) -> None:
    folder = written(
        tmp_path, {"Plain.java": "package player;\npublic abstract class Plain implements zombie.Player {}\n"}
    )
    with pytest.raises(BotError, match=r"no entry among the classes of Plain.java\nan entry is a public"):
        bots_at(folder)


def test_a_compile_error_shows_javacs_message(tmp_path: Path) -> None:
    folder = written(tmp_path, {"Fox.java": FOX.replace("Move.STAY", "Move.STAND")})
    with pytest.raises(BotError) as caught:
        bots_at(folder)
    text = str(caught.value)
    assert "Fox.java:6: error: cannot find symbol" in text
    assert "Move.STAND" in text


def test_several_are_picked_renamed_and_left_out(tmp_path: Path) -> None:
    folder = written(tmp_path / "pack", {f"{name}.java": java(name) for name in ("Ant", "Bat", "Cow", "Dog")})
    path = str(folder)

    def names(*words: str, exclude: tuple[str, ...] = ()) -> list[str]:
        found = find_entrants(GAME, words, Interpreters(), exclude=exclude)
        bots, problems = found.bots, found.problems
        assert not problems
        return [bot.name for bot in bots]

    assert names(f"{path}#Bat", f"Rex={path}#Dog") == ["Bat", "Rex"]
    assert names(path, exclude=("B*", "Cow.java")) == ["Ant", "Dog"]
    (problem,) = find_entrants(GAME, [f"Rex={path}"], Interpreters()).problems
    assert f"Rex={path}#ENTRY picks one (there are: Ant, Bat, Cow, Dog)" in str(problem)
    (problem,) = find_entrants(GAME, [f"{path}#Bet"], Interpreters()).problems
    assert "did you mean Bat?" in str(problem)
    written(folder, {"koth.toml": 'entry = ["Ant", "player.Dog"]\n'})
    assert names(path) == ["Ant", "Dog"]
    dog = bots_at(folder)[1]
    assert load_bot(GAME, Path(dog.where), Interpreters(), dog.name) == dog, "as a run finds it again"
    written(folder, {"koth.toml": 'name = "Rex"\n'})
    with pytest.raises(BotError, match="name is for one bot, here are 4"):
        bots_at(folder)


def test_old_java_still_compiles(tmp_path: Path) -> None:
    old = java(
        "Fox",
        "int _ = 3; Object record = null; enumerate();\nreturn _ > 2 ? Move.EAST : Move.STAY;",
        "  void enumerate() {}",
    )
    plays(written(tmp_path, {"Fox.java": old}))


def test_sources_that_are_not_utf_8(tmp_path: Path) -> None:
    latin = java("Fox", 'if (!"\u00e9".equals("\\u00e9")) throw new AssertionError();\nreturn Move.STAY;').encode(
        "latin-1"
    )
    plays(written(tmp_path, {"Fox.java": latin}) / "Fox.java")


def compiled(folder: Path, sources: dict[str, str], out: Path, path: str = "") -> Path:
    """Classes made with plain javac."""
    written(folder, sources)
    api = adapter.build_adapter("zombies", jdk.find_jdk()).classes
    out.mkdir(parents=True, exist_ok=True)
    words = ["javac", "-d", str(out), "-cp", f"{api}:{path}", *(str(folder / name) for name in sources)]
    subprocess.run(words, check=True, capture_output=True)
    return out


def packed(classes: Path, jar: Path) -> Path:
    """A jar of these classes."""
    jar.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(jar, "w") as archive:
        for file in sorted(classes.rglob("*.class")):
            archive.write(file, file.relative_to(classes).as_posix())
    return jar


def test_no_name_in_a_jar_changes_what_koth_reads(tmp_path: Path) -> None:
    """Java's machine allows tabs and line ends in the names of classes, and puts them into its complaints."""
    classes = compiled(tmp_path / "src", {"Fox.java": FOX, "Cow.java": COW}, tmp_path / "out")
    fox = (classes / "player" / "Fox.class").read_bytes()
    (classes / "player" / "A\tB.class").write_bytes(fox)
    (classes / "player" / "A\nB\t7.class").write_bytes(fox)
    (classes / "player" / "Fox.class").write_bytes(fox.replace(b"zombie/Player", b"zombie/Play\t7"))
    assert names_at(packed(classes, tmp_path / "bot" / "animals.jar")) == ["Cow"]


def test_a_broken_jar_is_named(tmp_path: Path) -> None:
    (tmp_path / "fox.jar").write_bytes(b"PK\3\4")
    with pytest.raises(BotError, match=r"no entry among the classes of fox\.jar\n.*fox\.jar: zip .*\n"):
        bots_at(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "manifest"), [("lib/moves.jar", ""), ("deps/moves.jar", 'classpath = "deps/*.jar"\n')]
)
def test_libraries(tmp_path: Path, place: str, manifest: str) -> None:
    library = "package moves;\npublic class Far { public static zombie.Move east() { return zombie.Move.EAST; } }\n"
    classes = compiled(tmp_path / "src", {"Far.java": library}, tmp_path / "out")
    folder = written(tmp_path / "bot", {"Fox.java": java("Fox", "return moves.Far.east();"), "koth.toml": manifest})
    packed(classes, folder / place)
    plays(folder)


def test_a_classpath_that_is_not_there(tmp_path: Path) -> None:
    folder = written(tmp_path, {"Fox.java": FOX, "koth.toml": 'classpath = ["deps/*.jar"]\n'})
    with pytest.raises(BotError, match=r"`classpath`: no such file: deps/\*\.jar"):
        bots_at(folder)


def test_a_bot_reads_the_files_in_its_folder(tmp_path: Path) -> None:
    turn = """try {
        if (!java.nio.file.Files.readAllLines(java.nio.file.Path.of("plan.txt")).get(0).equals("east")) return null;
        return Fox.class.getResource("/plan.txt") == null ? null : Move.EAST;
      } catch (java.io.IOException e) { throw new RuntimeException(e); }"""
    more = {"plan.txt": "east\n", "lib/readme": "", "Z.java": "class Z {}"}
    plays(written(tmp_path, {"Fox.java": java("Fox", turn), **more}))


@pytest.mark.skipif(not languages.find_jars(languages.GUAVA), reason="Guava not found: apt install libguava-java")
def test_guava(tmp_path: Path) -> None:
    turn = "return com.google.common.collect.ImmutableList.of(Move.EAST).get(0);"
    plays(written(tmp_path, {"Fox.java": java("Fox", turn)}))


def test_without_guava_its_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOTH_SHARE", str(tmp_path / "nothing"))
    turn = "return com.google.common.collect.ImmutableList.of(Move.EAST).get(0);"
    with pytest.raises(BotError, match="Guava is not installed: install libguava-java"):
        bots_at(written(tmp_path / "bot", {"Fox.java": java("Fox", turn)}))


def test_memory_is_chosen_in_the_manifest(tmp_path: Path) -> None:
    turn = "System.out.println(Runtime.getRuntime().maxMemory() >> 20); return Move.STAY;"
    for manifest, least, most in (("", 230, 256), ("memory = 64\n", 56, 64)):
        (bot,) = bots_at(written(tmp_path / str(most), {"Fox.java": java("Fox", turn), "koth.toml": manifest}))
        conversation = Conversation(bot)
        conversation.ask({"number": 1})
        assert least <= int(conversation.close()) <= most
    with pytest.raises(BotError, match=r"`memory` must be in 16\.\.4096 MB, not 1"):
        bots_at(written(tmp_path / "one", {"Fox.java": FOX, "koth.toml": "memory = 1\n"}))


@pytest.mark.slow
def test_it_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOTH_CACHE_DIR", str(tmp_path / "cache"))
    folder = written(tmp_path / "bot", {"Fox.java": FOX})
    first = load_bot(GAME, folder, Interpreters())

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("koth.build.jvm.compiling.run_build_step", refuse)
    monkeypatch.setattr("koth.build.jvm.adapter.javac", refuse)
    assert load_bot(GAME, folder, Interpreters()) == first
    written(folder, {"Fox.java": FOX + "// changed\n"})
    with pytest.raises(AssertionError, match="compiled again"):
        load_bot(GAME, folder, Interpreters())


def test_what_was_never_finished_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """koth was killed while it compiled; what another one may still be at work on stays."""
    monkeypatch.setenv("KOTH_CACHE_DIR", str(tmp_path))
    for name, age in (("bot-old.x", 2 * cached_folders.LEFT_OVER_AFTER), ("bot-new.y", 0)):
        (tmp_path / "jvm" / name / "job").mkdir(parents=True)
        then = time.time() - age
        os.utime(tmp_path / "jvm" / name, (then, then))
    jdk.fill_once("something", lambda folder: None)
    assert sorted(path.name for path in (tmp_path / "jvm").iterdir()) == ["bot-new.y", "something"]


def test_a_game_without_an_api_for_the_jvm(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="metalman has no API for the JVM, and there is no main"):
        load_bot(load_game("metalman"), written(tmp_path, {"Fox.java": FOX}) / "Fox.java", Interpreters())


def test_names_that_are_not_allowed(tmp_path: Path) -> None:
    errors = find_entrants(GAME, [str(written(tmp_path, {"Zombie.java": java("Zombie")}))], Interpreters()).problems
    assert "no bot of zombies may be called Zombie" in str(errors[0])
