"""The owner of each class in a folder of several authors: none is replaced, and each removal is reported."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from koth.build.jvm import adapter, jdk
from koth.build.jvm.claims import Claims, Disputed
from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.session.bot import Bot
from tests.build.jvm.arena import GAME, Conversation, java, written
from tests.sandbox.zoo import isolation

pytestmark = pytest.mark.needs("javac")

BRAIN = "class Brain {{ static final Move MOVE = Move.{0}; }}\n"
VICTIM = java("Victim", "return Brain.MOVE;") + BRAIN.format("NORTH")


def found_in(folder: Path, files: Mapping[str, str | bytes]) -> tuple[dict[str, Bot], str]:
    """The bots of a folder with these files, by name, and what is wrong with others."""
    found = find_entrants(GAME, [str(written(folder, files))], Interpreters())
    return {bot.name: bot for bot in found.bots}, "\n".join([*map(str, found.problems), *found.notes])


def moves(bot: Bot) -> int:
    """Return a bot's answers."""
    conversation = Conversation(bot)
    answer = conversation.ask({"number": 1})
    conversation.close()
    assert not answer.fault.any()
    return int(answer.fields["action"][0])


@pytest.mark.parametrize("thief", ["Aaa", "Zzz"])
def test_an_entry_keeps_its_name(thief: str, tmp_path: Path) -> None:
    """Also where the other file comes first, and where the second try as Java 8 would put it in."""
    source = java(thief) + "class Victim {}\n" + BRAIN.format("EAST")
    bots, told = found_in(tmp_path, {f"{thief}.java": source, "Victim.java": VICTIM})
    assert list(bots) == ["Victim"]
    assert f"{thief}.java:\nplayer.Victim is Victim.java's already; call it something else" in told


def test_an_entry_keeps_its_name_in_every_java(tmp_path: Path) -> None:
    """Neither can be compiled as Java 8: both are tried again with the language of the JDK."""
    new = "class Victim { { var x = 1; } }\n"
    victim = java("Victim", "var move = Move.NORTH; return move;")
    bots, told = found_in(tmp_path, {"Aaa.java": java("Aaa") + new, "Victim.java": victim})
    assert list(bots) == ["Victim"]
    assert "Aaa.java:\nplayer.Victim is Victim.java's already" in told


@pytest.mark.parametrize("thief", ["Aaa", "Zzz"])
def test_a_class_that_two_define_plays_for_neither(thief: str, tmp_path: Path) -> None:
    source = java(thief) + BRAIN.format("EAST")
    bots, told = found_in(tmp_path, {f"{thief}.java": source, "Victim.java": VICTIM, "Cow.java": java("Cow")})
    assert list(bots) == ["Cow"]
    both = " and ".join(sorted([f"{thief}.java", "Victim.java"]))
    assert told.count(f"{both} both define player.Brain; rename one") == 2


def test_of_three_none_is_left(tmp_path: Path) -> None:
    files = {f"{name}.java": java(name) + BRAIN.format("EAST") for name in ("Ant", "Bee", "Cat")}
    bots, told = found_in(tmp_path, {**files, "Dog.java": java("Dog")})
    assert list(bots) == ["Dog"]
    assert all(f"{name}:\n" in told for name in files)


def test_each_author_has_a_folder(tmp_path: Path) -> None:
    """The cure that the message names."""
    files = {"a/Victim.java": VICTIM, "b/Zzz.java": java("Zzz", "return Brain.MOVE;") + BRAIN.format("EAST")}
    bots, told = found_in(tmp_path, {**files, "a/koth.toml": "", "b/koth.toml": ""})
    assert told == ""
    assert moves(bots["Victim"]) != moves(bots["Zzz"])


def test_koths_own_classes_can_not_be_claimed(tmp_path: Path) -> None:
    """Others would be compiled with them, constants and all."""
    own = "package zombie;\npublic class Zzz implements Player {\n"
    own += "  public Action doTurn(PlayerContext c) { return Move.STAY; }\n}\nclass Constants {}\n"
    bots, told = found_in(tmp_path, {"Zzz.java": own, "Victim.java": VICTIM})
    assert list(bots) == ["Victim"]
    assert "Zzz.java:\nzombie.Constants is koth's own; call it something else" in told


def test_a_copy_is_reported(tmp_path: Path) -> None:
    bots, told = found_in(tmp_path, {"player/Fox.java": java("Fox"), "old/Fox.java": java("Fox")})
    assert list(bots) == ["Fox"]
    assert "the file is the same as old/Fox.java" in told


OTHERS = {
    "Zzz.groovy": ("groovyc", "package player\nimport zombie.*\nclass Zzz implements Player "
    "{ Action doTurn(PlayerContext c) { Move.EAST } }\nclass Victim {}\n"),
    "Zzz.scala": ("scalac", "package player\nimport zombie._\nclass Zzz extends Player "
    "{ def doTurn(c: PlayerContext): Action = Move.EAST }\nclass Victim\n"),
    "Zzz.kt": ("kotlinc", "package player\nimport zombie.*\nclass Zzz : Player "
    "{ override fun doTurn(c: PlayerContext): Action = Move.EAST }\nclass Victim\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_languages(name: str, tmp_path: Path) -> None:
    program, source = OTHERS[name]
    if shutil.which(program) is None:
        pytest.skip(f"no {program}")
    bots, told = found_in(tmp_path, {name: source, "Victim.java": VICTIM})
    assert list(bots) == ["Victim"]
    assert f"{name}:\nplayer.Victim is Victim.java's already" in told


def classes_of(folder: Path, files: Mapping[str, str]) -> Path:
    """Classes made with plain javac."""
    written(folder, files)
    api = adapter.build_adapter("zombies", jdk.find_jdk()).classes
    out = folder / "out"
    words = ["javac", "-d", str(out), "-cp", str(api), *(str(folder / name) for name in files)]
    subprocess.run(words, check=True, capture_output=True)
    return out


def test_compiled_classes(tmp_path: Path) -> None:
    victim = classes_of(tmp_path / "1", {"Victim.java": VICTIM}) / "player"
    false = classes_of(tmp_path / "2", {"Victim.java": java("Victim", "return Move.EAST;")}) / "player"
    (tmp_path / "bots").mkdir()
    shutil.copytree(victim, tmp_path / "bots" / "player")
    shutil.copy(false / "Victim.class", tmp_path / "bots" / "Zzz.class")
    bots, told = found_in(tmp_path / "bots", {})
    assert list(bots) == ["Victim"]
    assert "Zzz.class:\nplayer.Victim is player/Victim.class's already" in told
    true, _ = found_in(tmp_path / "1" / "out", {})
    assert moves(bots["Victim"]) == moves(true["Victim"])


def jar_of(classes: Path, jar: Path) -> None:
    jar.parent.mkdir(exist_ok=True)
    shutil.make_archive(str(jar), "zip", classes)
    jar.with_name(f"{jar.name}.zip").rename(jar)


def test_jars(tmp_path: Path) -> None:
    """Each entry has the classes of its own jar, and one that two jars have is none."""
    first = classes_of(tmp_path / "1", {"Aaa.java": java("Aaa") + BRAIN.format("EAST")})
    second = classes_of(tmp_path / "2", {"Victim.java": VICTIM})
    jar_of(first, tmp_path / "bots" / "aaa.jar")
    jar_of(second, tmp_path / "bots" / "victim.jar")
    bots, told = found_in(tmp_path / "bots", {})
    assert (sorted(bots), told) == (["Aaa", "Victim"], "")
    true, _ = found_in(second, {})
    assert moves(bots["Victim"]) == moves(true["Victim"])
    shutil.copy(second / "player" / "Victim.class", first / "player")
    jar_of(first, tmp_path / "bots" / "aaa.jar")
    bots, told = found_in(tmp_path / "bots", {})
    assert list(bots) == ["Aaa"]
    assert told.count("aaa.jar and victim.jar both have player.Victim; leave the class out of one") == 2


def test_all_tries_together_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file that is left out means another: a chain of them could go on for hours."""
    monkeypatch.setattr("koth.build.jvm.compiling.MOST_TIMES", 0)
    _, told = found_in(tmp_path, {"Never.java": java("Never", "return Move.SOUTH;")})
    assert "the compilers were not done after 0 s" in told


LEVELS = ["strong", "partial"]


@pytest.mark.needs("kotlinc")
@pytest.mark.parametrize("level", LEVELS)
def test_what_one_compiler_has_made_is_shown_to_the_next(level: str, tmp_path: Path) -> None:
    files = {
        "Fox.java": java("Fox", f"return new Help{level}().move();"),
        "Help.kt": f"package player\nopen class Help{level} {{ fun move(): zombie.Move = zombie.Move.EAST }}\n",
    }
    chosen = isolation(level)
    (bot,) = find_entrants(GAME, [str(written(tmp_path / "bot", files))], Interpreters(), chosen).bots
    assert bot.name == "Fox"


def test_who_defines_a_class_by_its_name_has_no_other_claims(tmp_path: Path) -> None:
    """It could take out its victim by the names of further classes."""
    claims = Claims(tmp_path)
    claims.claim({"Victim": frozenset(["Victim.java"]), "Brain": frozenset(["Victim.java"])})
    with pytest.raises(Disputed) as caught:
        claims.claim({"Victim": frozenset(["Zzz.java"]), "Brain": frozenset(["Zzz.java"])})
    assert list(caught.value.words) == ["Zzz.java"]
    claims.claim({"Victim": frozenset(["Victim.java"]), "Brain": frozenset(["Victim.java"])})


def test_a_second_try_equals_the_first(tmp_path: Path) -> None:
    """Of files with one name it may not be known which was compiled: that is not a dispute."""
    claims = Claims(tmp_path)
    for files in (["a/Fox.java", "b/Fox.java"], ["a/Fox.java"], ["a/Fox.java", "c/Fox.java"]):
        claims.claim({"player/Fox": frozenset(files)})
