"""Scripts as entries: how they are distinguished from other bots, their names, and what old ones rely on."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.build.jvm.languages import find_registered_names
from koth.discovery.entrants import find_entrants
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import BotError
from koth.games.zombies.state import MOVES
from tests.build.jvm.arena import GAME, Conversation, bots_at, fight, java, names_at, written

JS = """
var Move = Packages.zombie.Move;
Packages.zombie.PlayerRegistry.registerPlayer("Scribe", new Packages.zombie.Player({
    doTurn: function (context) { %s }
}));
"""
NODE = "process.stdin.resume();\n"


def rhino(turn: str, more: str = "") -> str:
    """A script whose doTurn is `turn`."""
    return more + JS % turn


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('PlayerRegistry.registerPlayer("Fox", new Player(x));', ["Fox"]),
        ("zombie.PlayerRegistry.registerPlayer( 'Fox' , fox)", ["Fox"]),
        ('PlayerRegistry.registerPlayer "Fox", Fox.new', ["Fox"]),
        ("PlayerRegistry.register_player('It', it)", ["It"]),
        ('(PlayerRegistry/registerPlayer "Fox" (reify Player))', ["Fox"]),
        ('registerPlayer("A", a); registerPlayer("B", b); registerPlayer("A", c)', ["A", "B"]),
        ('registerPlayer("a" + name, a)', []),
        ("registerPlayer(name, a)", []),
    ],
)
def test_names_are_read_from_the_script(text: str, names: list[str]) -> None:
    assert find_registered_names(text) == names


def test_a_script_without_the_registry_is_for_node_or_python(tmp_path: Path) -> None:
    python = "class A:\n    def do_turn(self, context): ...\n"
    folder = written(tmp_path, {"bot.js": NODE, "one.py": python})
    for name in ("bot.js", "one.py"):
        assert "koth.jvm.BotAdapter" not in load_bot(GAME, folder / name, Interpreters()).argv


@pytest.mark.needs("javac", "rhino")
class TestRhino:
    def test_a_script_that_names_the_registry_is_for_the_jvm(self, tmp_path: Path) -> None:
        folder = written(tmp_path / "a", {"bot.js": rhino("return Move.EAST;"), "helper.txt": ""})
        (bot,) = bots_at(folder)
        assert bot.name == "Scribe"
        conversation = Conversation(bot)
        assert MOVES[conversation.ask({"number": 1}).fields["action"][0]] == "EAST"
        conversation.close()

    def test_the_manifest_decides_otherwise(self, tmp_path: Path) -> None:
        silent = "var R = Packages.zombie['Player' + 'Registry'];\nR.registerPlayer('Late' + 'comer', null);"
        folder = written(tmp_path / "silent", {"bot.js": silent, "koth.toml": 'language = "rhino"\n'})
        assert "koth.jvm.BotAdapter" in load_bot(GAME, folder, Interpreters()).argv
        python = "class A:\n    def do_turn(self, context): ...  # no PlayerRegistry here\n"
        folder = written(tmp_path / "python", {"bot.py": python})
        assert "koth.jvm.BotAdapter" in load_bot(GAME, folder, Interpreters()).argv
        written(folder, {"koth.toml": 'language = "python"\n'})
        assert "koth.jvm.BotAdapter" not in load_bot(GAME, folder, Interpreters()).argv

    def test_api_classes_in_global_variables_keep_their_constants(self, tmp_path: Path) -> None:
        names = ("Move", "Shoot", "Player", "PlayerId", "PlayerRegistry", "Constants")
        more = "".join(f"var {name} = Packages.zombie.{name};\n" for name in names)
        script = (
            more
            + """
            var ids = {};
            PlayerRegistry.registerPlayer("Globals", new Player({ doTurn: function (context) {
              ids[context.id] = context.id.number;
              if (Constants.VISION_RANGE != 8 || Move.values().length != 9) throw "constants";
              if (context.playField[8][8].name != "Globals" || context.playField[8][7] !== null) throw "field";
              if (context.bullets > 0) return new Shoot(new PlayerId("Zombie", ids[context.id]));
              return context.gameClock == 1 ? Move.valueOf("NORTH") : Move.randomMove();
            } }));"""
        )
        (bot,) = bots_at(written(tmp_path, {"globals.js": script}))
        conversation = Conversation(bot)
        answer = conversation.ask({"number": 4, "bullets": 1}, {"number": 5, "clock": 1})
        assert not answer.fault.any(), answer.errors
        assert answer.fields["target"].tolist() == [conversation.code("Zombie", 4), 0]
        assert MOVES[answer.fields["action"][1]] == "NORTH"
        conversation.close()

    def test_packages_can_be_imported(self, tmp_path: Path) -> None:
        script = """
            importPackage(Packages.zombie);
            importClass(java.util.ArrayList);
            println("hello", new ArrayList().size());
            let turn = context => Move.WEST;
            PlayerRegistry.registerPlayer("Importer", new Player({ doTurn: turn }));"""
        (bot,) = bots_at(written(tmp_path, {"importer.js": script}))
        conversation = Conversation(bot)
        assert MOVES[conversation.ask({"number": 1}).fields["action"][0]] == "WEST"
        assert conversation.close() == "hello 0\n"

    def test_a_function_is_a_player_too(self, tmp_path: Path) -> None:
        script = (
            "with (new JavaImporter(Packages.zombie)) { PlayerRegistry.registerPlayer('F', function () Move.SOUTH); }"
        )
        (bot,) = bots_at(written(tmp_path, {"f.js": script}))
        conversation = Conversation(bot)
        assert MOVES[conversation.ask({"number": 1}).fields["action"][0]] == "SOUTH"
        conversation.close()

    def test_a_script_may_register_several(self, tmp_path: Path) -> None:
        two = rhino("return Move.EAST;") + rhino("return Move.WEST;").replace("Scribe", "Clerk")
        folder = written(tmp_path / "two", {"two.js": two})
        bots = bots_at(folder)
        assert [bot.name for bot in bots] == ["Scribe", "Clerk"]
        for bot, move in zip(bots, ("EAST", "WEST"), strict=True):
            conversation = Conversation(bot)
            assert MOVES[conversation.ask({"number": 1}).fields["action"][0]] == move
            conversation.close()
        written(folder, {"koth.toml": 'entry = "Clerk"\n'})
        assert names_at(folder) == ["Clerk"]

    def test_a_name_that_is_not_written_out(self, tmp_path: Path) -> None:
        script = rhino("return Move.EAST;").replace('"Scribe"', "['Scri', 'be'].join('')")
        folder = written(tmp_path, {"unnamed.js": script})
        (bot,) = bots_at(folder)
        assert bot.name == "unnamed"
        assert fight([bot]).records["unnamed"].faults == {}

    def test_no_player_registered(self, tmp_path: Path) -> None:
        (bot,) = bots_at(written(tmp_path, {"idle.js": "// PlayerRegistry.registerPlayer('Idle', nobody)\n"}))
        faults = fight([bot]).records["Idle"].fault_reports
        assert list(faults) == ["crash"]
        assert "idle.js registers nobody with PlayerRegistry, not one player called Idle" in faults["crash"].text

    def test_an_exception_costs_the_turn(self, tmp_path: Path) -> None:
        (bot,) = bots_at(written(tmp_path, {"bad.js": rhino("return nothing.at.all;")}))
        record = fight([bot]).records["Scribe"]
        assert list(record.faults) == ["error"]
        assert "bad.js#4" in record.fault_reports["error"].text

    def test_a_script_that_can_not_be_read(self, tmp_path: Path) -> None:
        (bot,) = bots_at(written(tmp_path, {"bad.js": rhino("return Move.EAST;") + "}"}))
        fault_report = fight([bot]).records["Scribe"].fault_reports["crash"]
        assert "could not be started" in fault_report.text
        assert "bad.js#6" in fault_report.text

    def test_java_and_scripts_in_one_folder(self, tmp_path: Path) -> None:
        folder = written(tmp_path, {"Fox.java": java("Fox"), "scribe.js": rhino("return Move.EAST;")})
        found = find_entrants(GAME, [str(folder)], Interpreters())
        bots, errors = found.bots, found.problems
        assert not errors
        assert [bot.name for bot in bots] == ["Fox", "Scribe"]
        assert all(record.faults == {} for record in fight(bots).records.values())

    def test_endless_recursion_ends_the_bot(self, tmp_path: Path) -> None:
        (bot,) = bots_at(written(tmp_path, {"deep.js": rhino("return dig();", "function dig() { return dig(); }\n")}))
        faults = fight([bot]).records["Scribe"].fault_reports
        assert list(faults) == ["crash"]
        assert "StackOverflowError" in faults["crash"].text


TEXT = 'class A implements Player { PlayerRegistry.registerPlayer("A", null) }'


@pytest.mark.needs("javac")
@pytest.mark.parametrize(
    ("file", "package"),
    [("a.js", "rhino"), ("a.py", "jython"), ("a.rb", "jruby"), ("a.clj", "clojure"), ("A.scala", "scala")],
)
def test_without_the_language_its_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, package: str
) -> None:
    monkeypatch.setenv("KOTH_SHARE", str(tmp_path / "nothing"))
    with pytest.raises(BotError, match=f"need its runtime: install {package}, or put its jars in lib/"):
        bots_at(written(tmp_path / "bot", {file: TEXT}))
