"""A folder of a contest's sources: compiled once, together; files that can't be compiled are left out."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import koth
from koth.build.jvm.sources import declared_classes
from koth.discovery.entrants import find_entrants
from koth.discovery.folder import FoundEntrants, load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from tests.build.jvm.arena import GAME, fight, java, written
from tests.sandbox.zoo import isolation

pytestmark = pytest.mark.needs("javac")

SHARED = "package player;\nabstract class Shared implements Player {\n  static final Move WAY = Move.EAST;\n}\n"
BRAIN = "class Brain {}\n"


def found_in(folder: Path, files: Mapping[str, str | bytes]) -> FoundEntrants:
    """What is found in a folder with these files."""
    return find_entrants(GAME, [str(written(folder, files))], Interpreters())


def test_forty_files_of_one_package(tmp_path: Path) -> None:
    """One is broken, one needs it, two declare one class, one is the contest's own API; all others play."""
    files = {f"Bot{n}.java": java(f"Bot{n}", "return Shared.WAY;") for n in range(34)}
    files |= {
        "Shared.java": SHARED.replace("player;", "player;\nimport zombie.*;"),
        "Move.java": "package zombie;\npublic enum Move implements Action { NORTH }\n",
        "Fox.java": java("Fox", "return Move.STAND;"),
        "Cub.java": "package player;\npublic class Cub extends Fox {}\n",
        "Ann.java": java("Ann") + BRAIN,
        "Bob.java": java("Bob") + BRAIN,
    }
    assert len(files) == 40
    found = found_in(tmp_path, files)
    assert sorted(bot.name for bot in found.bots) == sorted(f"Bot{n}" for n in range(34))
    assert found.notes == [f"{tmp_path}: left out, because koth has its own API of zombies: Move.java"]
    said = {Path(str(told).split(": ")[0]).name: str(told).partition(".java: ")[2] for told in found.problems}
    assert said.keys() == {"Fox.java", "Cub.java", "Ann.java", "Bob.java"}
    assert said["Fox.java"].startswith("Fox.java:6: error: cannot find symbol")
    assert said["Cub.java"].startswith("Cub.java:2: error: cannot find symbol")
    assert said["Ann.java"] == said["Bob.java"]
    assert (
        "Ann.java and Bob.java both declare player.Brain: rename one, or give each bot a folder" in said["Ann.java"]
    )
    assert all(record.faults == {} for record in fight(found.bots[:2], turns=2).records.values())
    assert not found_in(tmp_path / "again", {name: files[name] for name in ("Bot0.java", "Shared.java")}).problems


LANGUAGES = {
    "Ann.java": ("javac", java("Ann")),
    "Bob.groovy": (
        "groovyc",
        "package player\nimport zombie.*\n"
        "class Bob implements Player { Action doTurn(PlayerContext c) { Move.EAST } }\n",
    ),
    "Cid.scala": (
        "scalac",
        "package player\nimport zombie._\n"
        "class Cid extends Player { def doTurn(c: PlayerContext): Action = Move.EAST }\n",
    ),
    "Dot.kt": (
        "kotlinc",
        "package player\nimport zombie.*\n"
        "class Dot : Player { override fun doTurn(c: PlayerContext): Action = Move.EAST }\n",
    ),
    "eve.clj": (
        "clojure",
        '(import (zombie Player Move PlayerRegistry))\n(PlayerRegistry/registerPlayer "Eve" '
        "(reify Player (doTurn [_ context] Move/EAST)))\n",
    ),
    "fay.js": (
        "rhino",
        'Packages.zombie.PlayerRegistry.registerPlayer("Fay", new Packages.zombie.Player({ doTurn: function (c) '
        "{ return Packages.zombie.Move.EAST; } }));\n",
    ),
    "gus.py": (
        "jython",
        "from zombie import Player, Move, PlayerRegistry\nclass Gus(Player):\n    def doTurn(self, c):\n"
        '        return Move.EAST\nPlayerRegistry.registerPlayer("Gus", Gus())\n',
    ),
    "hal.py": ("python3", "class Hal:\n    def do_turn(self, context):\n        return None\n"),
    "ivy/command.txt": ("python3", "python3 ivy.py\n"),
}


@pytest.mark.needs(*dict.fromkeys(program for program, _ in LANGUAGES.values() if program != "python3"))
def test_loose_files_in_every_language(tmp_path: Path) -> None:
    found = found_in(tmp_path, {name: text for name, (_, text) in LANGUAGES.items()})
    assert found.problems == []
    assert {bot.name: bot.language for bot in found.bots} == {
        "Ann": "java",
        "Bob": "groovy",
        "Cid": "scala",
        "Dot": "kotlin",
        "Eve": "clojure",
        "Fay": "rhino",
        "Gus": "jython",
        "hal": "python",
        "ivy": "",
    }
    playing = [bot for bot in found.bots if bot.language not in ("", "python")]
    assert all(record.faults == {} for record in fight(playing, turns=2).records.values())


SECRET = java("Victim", "return Move.NORTH;", '  static final String SECRET = "the plan";')
SPY = java(
    "Spy",
    "return Move.STAY;",
    '  { try { Class.forName("player.Victim"); System.err.println("made it"); } catch (Exception e) {} }',
)


def test_entries_of_a_folder_see_each_other_and_strangers_get_a_folder_each(tmp_path: Path) -> None:
    found = found_in(tmp_path / "one", {"Victim.java": SECRET, "Spy.java": SPY})
    assert fight(found.bots, turns=2).records["Spy"].stderr == b"made it\n"
    chosen = isolation("strong")
    strict = {"untrusted": True, "isolation": chosen.level, "out": tmp_path / "out", "matches": 1}
    for word in (str(tmp_path / "one"), f"{tmp_path / 'one'}#Spy"):
        with pytest.raises(KothError, match=r"one: several bots for the JVM in one folder see each other: give each"):
            koth.run("zombies", [word, "@runner"], **strict)
    written(tmp_path / "two", {"Victim/Victim.java": SECRET, "Spy/Spy.java": SPY})
    bots = find_entrants(GAME, [str(tmp_path / "two")], Interpreters()).bots
    assert [bot.entry for bot in bots] == ["", ""]
    assert b"made it" not in fight(bots, turns=2).records["Spy"].stderr


def test_a_main_class_is_the_bot_of_its_folder(tmp_path: Path) -> None:
    """In a folder of bots; in one that is named by itself each entry plays, and is found again."""
    written(tmp_path, {"bots/Fox/Fox.java": java("Fox"), "bots/Fox/Cow.java": java("Cow")})
    (fox,) = find_entrants(GAME, [str(tmp_path / "bots")], Interpreters()).bots
    bots = find_entrants(GAME, [str(tmp_path / "bots" / "Fox")], Interpreters()).bots
    assert [bot.where for bot in (fox, *bots)] == [f"{tmp_path}/bots/Fox{entry}" for entry in ("", "#Cow", "#Fox")]
    for bot in (fox, *bots):
        assert load_bot(GAME, Path(bot.where), Interpreters(), bot.name) == bot


def test_jars(tmp_path: Path) -> None:
    """A class of two jars is left out of both."""
    first = found_in(tmp_path / "src", {"Fox.java": java("Fox"), "Cow.java": java("Cow")})
    classes = next(first.bots[0].made[0].glob("classes/java"))
    for jar, names in (("a", ("Fox", "Cow")), ("b", ("Fox",))):
        (tmp_path / "jars").mkdir(exist_ok=True)
        with zipfile.ZipFile(tmp_path / "jars" / f"{jar}.jar", "w") as archive:
            for name in names:
                archive.write(classes / "player" / f"{name}.class", f"player/{name}.class")
    found = found_in(tmp_path / "jars", {})
    assert [bot.name for bot in found.bots] == ["Cow"]
    assert "a.jar and b.jar both have player.Fox: leave the class out of one" in str(found.problems[0])


def test_all_tries_together_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file that is left out means another try: a chain of them could go on for hours."""
    monkeypatch.setattr("koth.build.jvm.compiling.MOST_TIMES", 0)
    (problem,) = found_in(tmp_path, {"Never.java": java("Never", "return Move.SOUTH;")}).problems
    assert "the compilers were not done after 0 s" in str(problem)


@pytest.mark.needs("kotlinc")
@pytest.mark.parametrize("level", ["strong", "partial"])
def test_what_one_compiler_has_made_is_shown_to_the_next(level: str, tmp_path: Path) -> None:
    files = {
        "Fox.java": java("Fox", f"return new Help{level}().move();"),
        "Help.kt": f"package player\nopen class Help{level} {{ fun move(): zombie.Move = zombie.Move.EAST }}\n",
    }
    chosen = isolation(level)
    (bot,) = find_entrants(GAME, [str(written(tmp_path / "bot", files))], Interpreters(), chosen).bots
    assert bot.name == "Fox"


DECLARED = {
    "package a.b;\npublic final class C extends D { class E {} enum F { X } }\ninterface G {}": {"a.b.C", "a.b.G"},
    "/* class A */ // class B\nclass C { String s = \"} class D {\"; char c = '}'; }\nenum E {}": {"C", "E"},
    "package a\nobject B { class C }\ntrait D\ncase class E(x: Int)": {"a.B", "a.D", "a.E"},
    "package a;\n@Uses({B.class}) class C { Object o = C.class; }": {"a.C"},
    '"""\nclass A {\n""" class B': {"B"},
}


@pytest.mark.parametrize("text", DECLARED)
def test_the_classes_that_a_source_declares(text: str, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text(text)
    assert declared_classes(tmp_path / "A.java") == DECLARED[text]
