"""Bots of one folder that would read, run or compile against each other: none sees the files of another."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from koth.contest.preflight import build
from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.session.bot import Bot
from tests.build.jvm.arena import GAME, fight, java, written
from tests.build.jvm.test_claims import classes_of, jar_of
from tests.build.jvm.test_compilers import library

pytestmark = pytest.mark.needs("javac")

SECRET = (
    '  static final String SECRET = "the" + " key"; static class Inner { static String told = "the inner key"; }\n'
)
VICTIM = java("Victim", "SECRET.length(); Brain.plan(); return Move.NORTH;", SECRET) + (
    'class Brain { static final String PLAN = "the plan"; static String plan() { return PLAN + Victim.SECRET; } }\n'
)
SPY = java(
    "Spy",
    "return Move.STAY;",
    """
  public Spy() {
    for (String name : "Victim Victim$Inner Brain Shared Spy$Inner".split(" "))
      try {
        Class.forName("player." + name);
        System.err.println("makes player." + name);
      } catch (Throwable e) { System.err.println("no player." + name); }
    for (String name : new String[] {"/player/Victim.class", "/Victim.class", "/Victim.java", "/plan.txt"})
      System.err.println((Spy.class.getResource(name) == null ? "no " : "gets ") + name);
    for (Player p : ServiceLoader.load(Player.class)) System.err.println("is given " + p);
  }
  static class Inner {}
  {
    for (String top : (System.getProperty("java.class.path") + ":.").split(":")) list(java.nio.file.Path.of(top));
  }
  static void list(java.nio.file.Path top) {
    try (var all = java.nio.file.Files.walk(top)) {
      all.filter(java.nio.file.Files::isRegularFile).forEach(file -> {
        System.err.println("sees " + file.getFileName());
        try {
          String text = new String(java.nio.file.Files.readAllBytes(file), "latin1");
          for (String word : new String[] {"key", "plan", "inner key"})
            if (text.contains("%s ".formatted("the") + word)) System.err.println("knows " + file);
        } catch (java.io.IOException e) {}
      });
    } catch (java.io.IOException | java.io.UncheckedIOException e) {}
  }
""",
)
SHARED = "package player;\nabstract class Shared implements zombie.Player {}\n"
OTHERS = {"plan.txt": "go", "lib/readme.txt": "", "META-INF/services/zombie.Player": ""}


def found_in(folder: Path, files: Mapping[str, str | bytes]) -> tuple[dict[str, Bot], str]:
    """The bots of a folder with these files, by name, and what is wrong with others."""
    found = find_entrants(GAME, [str(written(folder, files))], Interpreters())
    return {bot.name: bot for bot in found.bots}, "\n".join(map(str, found.problems))


def played(bots: Mapping[str, Bot], copies: Path) -> dict[str, str]:
    """What these bots print in a match, as they play in a contest: in private copies."""
    built = [build(bot, copies) for bot in bots.values()]
    assert [problem for _, problem in built if problem] == []
    result = fight([bot for bot, _ in built], turns=2)
    assert all(record.faults == {} for record in result.records.values()), result.records
    return {name: record.stderr.decode() for name, record in result.records.items()}


@pytest.mark.parametrize("folder", ["", "player/", "src/main/java/player/"])
def test_a_spy_finds_nothing_of_its_rival(folder: str, tmp_path: Path) -> None:
    files = {f"{folder}Victim.java": VICTIM, f"{folder}Spy.java": SPY, f"{folder}Shared.java": SHARED, **OTHERS}
    bots, problems = found_in(tmp_path / "bots", files)
    assert problems == ""
    told = played(bots, tmp_path / "copies")["Spy"]
    for name in ("player.Victim", "player.Victim$Inner", "player.Brain", "/player/Victim.class", "/Victim.java"):
        assert f"no {name}\n" in told
    assert "makes player.Shared\n" in told
    assert "makes player.Spy$Inner\n" in told
    assert "gets /plan.txt\n" in told
    assert "sees Spy.java\n" in told
    assert "Victim" not in told.replace("no player.Victim", "").replace("Victim.class", "").replace("no /Victim", "")
    assert "knows" not in told


def test_what_somebody_has_built_is_left_out(tmp_path: Path) -> None:
    """Compiled copies of the rival beside its source, in the folders of builds, in a jar; an old version; a test."""
    built = classes_of(tmp_path / "src", {"Victim.java": VICTIM})
    folder = tmp_path / "bots"
    for place in ("", "bin", "target/classes", "src/test"):
        shutil.copytree(built, folder / place, dirs_exist_ok=True)
    jar_of(built, folder / "target" / "victim.jar")
    files = {"player/Victim.java": VICTIM, "player/Spy.java": SPY, "old/Victim.java": VICTIM + "// old"}
    files |= {"src/test/java/VictimTest.java": "// the plan", "target/Victim.java": VICTIM, "plan.txt": "go"}
    bots, _ = found_in(folder, files)
    assert "knows" not in played({"Spy": bots["Spy"]}, tmp_path / "copies")["Spy"]


def test_excluded_and_broken_rivals_are_not_shown(tmp_path: Path) -> None:
    files = {"Spy.java": SPY, "Victim.java": VICTIM, "Broken.java": java("Broken", 'return "the plan";')}
    written(tmp_path / "bots", {**files, "Out.java": java("Out", "return null; // the plan")})
    found = find_entrants(GAME, [str(tmp_path / "bots")], Interpreters(), exclude=["Out*", "Victim"])
    assert [bot.name for bot in found.bots] == ["Spy"]
    told = played({"Spy": found.bots[0]}, tmp_path / "copies")["Spy"]
    assert "sees Spy.java" in told
    assert "knows" not in told
    assert ".java" not in told.replace("Spy.java", "").replace("no /Victim.java", "")


def test_bots_below_are_not_shown(tmp_path: Path) -> None:
    files = {"Spy.java": SPY, "Cow.java": java("Cow"), "plan.txt": "go", "deep/other/koth.toml": "# the plan\n"}
    files |= {"deep/other/Victim.java": VICTIM, "deep/mine.txt": "mine", "third/bot.py": "class A: 'the plan'\n"}
    bots, problems = found_in(tmp_path / "bots", files)
    assert (sorted(bots), problems) == (["Cow", "Spy", "Victim", "third"], "")
    told = played({"Spy": bots["Spy"]}, tmp_path / "copies")["Spy"]
    assert "sees mine.txt" in told
    assert "knows" not in told


@pytest.mark.parametrize(
    ("way", "source"),
    {
        "extends it": "package player;\npublic class Spy extends Victim {}\n",
        "makes one": java("Spy", "return new Victim().doTurn(context);"),
        "copies a constant": java("Spy", "System.err.println(Victim.SECRET); return Move.STAY;"),
        "by an escape": java("Spy", "System.err.println(Vic\\u0074im.SECRET); return Move.STAY;"),
        "by a name with a character that counts for nothing": java(
            "Spy", "System.err.println(Vic\u00adtim.SECRET); return Move.STAY;"
        ),
        "uses a class beside it": java("Spy", "System.err.println(Brain.PLAN); return Move.STAY;"),
        "imports it": "package player;\nimport static player.Victim.*;\n"
        + java("Spy", "System.err.println(SECRET); return Move.STAY;").removeprefix("package player;\n"),
    }.items(),
    ids=lambda value: value if "\n" not in value else "",
)  # fmt: skip
def test_a_bot_that_needs_its_rival_is_refused(way: str, source: str, tmp_path: Path) -> None:
    bots, problems = found_in(tmp_path / "bots", {"Spy.java": source, "Victim.java": VICTIM})
    assert list(bots) == ["Victim"], way
    assert "Spy.java:" in problems
    assert "error: cannot find symbol" in problems
    assert "bots of one folder do not see each other" in problems


def test_nor_by_a_file_that_is_no_bot(tmp_path: Path) -> None:
    """The helper is compiled without the victim for the spy, and so not at all."""
    helper = "package player;\nclass Helper { static final String FOUND = Victim.SECRET; }\n"
    spy = java("Spy", "System.err.println(Helper.FOUND); return Move.STAY;")
    files = {"Spy.java": spy, "Helper.java": helper, "Victim.java": VICTIM, "Cow.java": java("Cow")}
    bots, problems = found_in(tmp_path / "bots", files)
    assert sorted(bots) == ["Cow", "Victim"]
    assert "Spy.java:" in problems


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """Their classes do not show which of the two they were made of."""
    beside = "package player;\nclass Beside {}\n"
    bots, problems = found_in(tmp_path / "bots", {"a/Victim.java": VICTIM, "b/Victim.java": beside, "Spy.java": SPY})
    assert (sorted(bots), problems) == (["Spy", "Victim"], "")
    assert "knows" not in played(bots, tmp_path / "copies")["Spy"]


@pytest.mark.parametrize("packed", [False, True])
def test_compiled_rivals(packed: bool, tmp_path: Path) -> None:
    folder = tmp_path / "bots"
    folder.mkdir()
    for name, source in {"Victim": VICTIM, "Spy": SPY}.items():
        built = classes_of(tmp_path / name, {f"{name}.java": source})
        if packed:
            jar_of(built, folder / f"{name}.jar")
        else:
            shutil.copytree(built, folder, dirs_exist_ok=True)
    bots, problems = found_in(folder, {"plan.txt": "go"})
    assert (sorted(bots), problems) == (["Spy", "Victim"], "")
    told = played(bots, tmp_path / "copies")["Spy"]
    assert "no player.Victim\n" in told
    assert "no player.Brain\n" in told
    assert "knows" not in told
    assert "sees Victim" not in told


SCRIPT = """
var all = java.nio.file.Files.walk(java.nio.file.Path.of(".")).toArray();
for (var i = 0; i < all.length; i++) java.lang.System.err.println("sees " + all[i].getFileName());
Packages.zombie.PlayerRegistry.registerPlayer("Spy", new Packages.zombie.Player({
    doTurn: function (context) { return Packages.zombie.Move.STAY; }
}));
"""


@pytest.mark.needs("rhino")
def test_scripts_and_classes_do_not_see_each_other(tmp_path: Path) -> None:
    other = SCRIPT.replace('"Spy"', '"Third"')
    files = {"spy.js": SCRIPT, "third.js": other, "Victim.java": VICTIM, "lib/tool.js": "1", "plan.txt": "go"}
    bots, problems = found_in(tmp_path / "bots", files)
    assert (sorted(bots), problems) == (["Spy", "Third", "Victim"], "")
    told = played(bots, tmp_path / "copies")
    seen = {line.removeprefix("sees ") for line in told["Spy"].splitlines() if line.startswith("sees ")}
    assert {"spy.js", "tool.js", "plan.txt"} <= seen
    assert not {"third.js", "Victim.java"} & seen


GROOVY = """package player
import zombie.*
class Spy implements Player {
    Action doTurn(PlayerContext context) { System.err.println(Spy.getResource("/stolen").text); Move.STAY }
}
"""
STEAL = """
    try {
      Path victim = Path.of("Victim.java");
      byte[] text = Files.exists(victim) ? Files.readAllBytes(victim) : "nothing".getBytes();
      Files.write(out().toPath().resolve("stolen"), text);
    } catch (IOException e) { throw new UncheckedIOException(e); }
"""


@pytest.mark.needs("groovyc")
def test_code_that_runs_in_a_compiler_finds_no_rival(tmp_path: Path) -> None:
    files = {"Victim.java": VICTIM, "Spy.groovy": GROOVY, "lib/spy.jar": library(STEAL)}
    bots, problems = found_in(tmp_path / "bots", files)
    assert (sorted(bots), problems) == (["Spy", "Victim"], "")
    assert "nothing\n" in played(bots, tmp_path / "copies")["Spy"]


def test_a_file_with_several_bots_is_of_one_author(tmp_path: Path) -> None:
    body = "public Action doTurn(PlayerContext c) { return Move.STAY; }"
    two = f"public static class A implements Player {{ {body} }} public static class B extends A {{}}"
    bots, problems = found_in(
        tmp_path, {"Two.java": f"package player; import zombie.*;\npublic class Two {{ {two} }}"}
    )
    assert (sorted(bots), problems) == (["A", "B"], "")
    assert fight(list(bots.values()), turns=2).records["B"].faults == {}
