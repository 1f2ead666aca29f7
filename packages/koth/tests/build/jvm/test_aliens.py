"""The aliens statement's API on the JVM."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.discovery.entrants import find_entrants, find_only
from koth.discovery.folder import BotSpec
from koth.discovery.interpreters import Interpreters
from koth.discovery.locations import is_for_jvm
from koth.discovery.samples import sample_paths
from koth.errors import BotError
from koth.games import load as load_game
from koth.match import Hosting, Result, play
from tests.build.jvm.arena import PATIENT, written

pytestmark = pytest.mark.needs("javac")

GAME = load_game("aliens")
SMALL: Any = replace(GAME.rulesets["published"], instances=10, prey=10, rounds=20)
SAMPLES = [path for path in sample_paths("aliens") if is_for_jvm("aliens", path)]


def species(name: str, **methods: str) -> str:
    """The source of a species; what it is not told to do is harmless."""
    bodies = {"setUp": "", "move": "return Move.STAY;", "fight": "return false;", "more": ""} | methods
    return f"""package alien;
import planet.Move;
public class {name} extends Alien {{
  {bodies["more"]}
  public void setAbilityPoints(float[] abilities) {{ {bodies["setUp"]} }}
  public Move move(char[][] fields) {{ {bodies["move"]} }}
  public boolean wantToFight(int[] enemyAbilities) {{ {bodies["fight"]} }}
}}
"""


def fight(path: Path, seed: int = 3, rounds: int = 20) -> Result:
    """A short game of the species here among prey."""
    bot = find_only(GAME, BotSpec(None, str(path)), Interpreters())
    return play(GAME, replace(SMALL, rounds=rounds), [bot], seed, Hosting(time_control=PATIENT))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_play_without_a_fault_and_the_same_way_twice(path: Path, tmp_path: Path) -> None:
    found = find_entrants(GAME, [f"@{path.stem}"], Interpreters())
    bots, errors = found.bots, found.problems
    assert not errors
    replays = [tmp_path / "one", tmp_path / "two"]
    for replay in replays:
        record = play(GAME, SMALL, bots, 5, Hosting(replay=replay, time_control=PATIENT)).records[path.stem]
        assert (record.faults, record.stderr) == ({}, b"")
    assert replays[0].read_bytes() == replays[1].read_bytes()


def test_there_are_samples() -> None:
    assert len(SAMPLES) >= 3


def test_one_object_for_each_instance_and_statics_for_the_species(tmp_path: Path) -> None:
    source = species(
        "Counter",
        more="static int made; final int number = made++; int asked;",
        setUp="abilities[0] = number;",
        move='asked++; if (number == 9 && asked == 1) System.out.println("made " + made); return Move.getRandom();',
    )
    record = fight(written(tmp_path, {"Counter.java": source})).records["Counter"]
    assert record.faults == {}
    assert record.stderr == b"made 10\n"


def test_what_an_instance_knows_before_and_after_its_set_up(tmp_path: Path) -> None:
    told = """String.join(" ", "" + getLifeLvl(), "" + getStrengthLvl(), "" + getDefenseLvl(), "" + getVisionLvl(),
        "" + getClevernessLvl(), "" + getVisionFieldsCount(), "" + getClevernessBlur(), "" + getCurrentHp(),
        "" + getRepresentedChar(), "" + (getBank() >= 0 && getBank() <= 2 && getStrikes() > 0))"""
    tell = f"if (times++ == 0) System.out.println({told}"
    source = species(
        "Knower",
        more="static int times;",
        setUp=f"{tell}); abilities[0] = 2.5f; abilities[3] = 4; abilities[4] = 3.5f;",
        move=f"times %= 10; {tell} + ' ' + fields.length + fields[0].length); return Move.STAY;",
    )
    record = fight(written(tmp_path, {"Knower.java": source})).records["Knower"]
    assert record.faults == {}
    # Levels 1 + points, rounded half up; the stored 5.0 and 4.5 are halved and then rounded.
    lines = record.stderr.decode().splitlines()
    assert lines[:2] == ["1 1 1 1 1 1 2 10 A true", "4 1 1 5 5 3 3 25 A true 77"]


@pytest.mark.parametrize(
    ("points", "lives"),
    [
        ("abilities[0] = 10;", True),
        ("abilities[0] = 10.001f;", False),
        ("abilities[0] = -1;", False),
        ("abilities[0] = Float.NaN;", False),
        ("abilities[0] = 6; abilities[1] = 5;", False),
        ("java.util.Arrays.fill(abilities, 2f);", True),
    ],
)
def test_points_that_are_not_legal(tmp_path: Path, points: str, lives: bool) -> None:
    result = fight(written(tmp_path, {"Greedy.java": species("Greedy", setUp=points)}))
    assert result.records["Greedy"].faults == ({} if lives else {"illegal": 10})
    if not lives:
        assert result.scores["Greedy"] == 0
        text = result.records["Greedy"].fault_reports["illegal"].text
        assert text.endswith("] are not legal points: each is 0 or more, together at most 10")


def test_exceptions_cost_that_instance_its_life_its_move_or_its_peace(tmp_path: Path) -> None:
    source = species(
        "Thrower",
        more="static int made; final int number = made++;",
        setUp='if (number == 0) throw new IllegalStateException("unborn"); abilities[3] = 9;',
        move='if (number == 1) throw new IllegalStateException("lame"); return number == 2 ? null : Move.NORTH;',
    )
    record = fight(written(tmp_path, {"Thrower.java": source})).records["Thrower"]
    assert sorted(record.faults) == ["error", "illegal"]
    text = "instance 0: java.lang.IllegalStateException: unborn (at alien.Thrower.setAbilityPoints(Thrower.java:5))"
    assert record.fault_reports["error"].text == text
    assert record.fault_reports["illegal"].text == "instance 2: move returned null, not a Move"


def test_exceptions_are_printed_twenty_times_for_each_place(tmp_path: Path) -> None:
    source = species(
        "Thrower",
        more="static int thrown; static final java.util.Random DICE = new java.util.Random(1);",
        move="""
    if (thrown++ > 30 && DICE.nextBoolean()) throw new IllegalStateException("blind");
    throw new IllegalStateException("deaf");""",
    )
    record = fight(written(tmp_path, {"Thrower.java": source}), rounds=80).records["Thrower"]
    stderr = record.stderr.decode()
    assert record.faults == {"error": 800}
    assert stderr.count("IllegalStateException: deaf\n") == 20
    assert stderr.count("IllegalStateException: blind\n") == 20, "looked at one in sixteen, from the first"
    assert re.search(r"^about 1[2-9]\d times by now: .*IllegalStateException at alien\.Thrower\.move", stderr, re.M)


def test_the_moves_of_the_statement(tmp_path: Path) -> None:
    source = species(
        "Mover",
        more="static boolean told;",
        move="""if (!told) for (Move m : Move.values())
            System.out.println(m + " " + m.getXOffset() + " " + m.getYOffset());
          told = true;
          return Move.STAY;""",
    )
    record = fight(written(tmp_path, {"Mover.java": source})).records["Mover"]
    assert record.stderr.decode().splitlines() == [
        "NORTH 0 -1",
        "NORTHEAST 1 -1",
        "EAST 1 0",
        "SOUTHEAST 1 1",
        "SOUTH 0 1",
        "SOUTHWEST -1 1",
        "WEST -1 0",
        "NORTHWEST -1 -1",
        "STAY 0 0",
    ]


def test_the_state_of_the_base_class_can_not_be_changed(tmp_path: Path) -> None:
    source = species("Cheat", more="public int getCurrentHp() { return 1000; }")
    with pytest.raises(BotError, match="overridden method is final"):
        fight(written(tmp_path, {"Cheat.java": source}))


def test_a_bot_of_another_game_is_none_here(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"no bot here; .*Fox\.java: no class of the API of aliens"):
        fight(written(tmp_path, {"Fox.java": "package player;\npublic class Fox implements zombie.Player {}\n"}))
