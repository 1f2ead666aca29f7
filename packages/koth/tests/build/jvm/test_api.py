"""The API of the zombies statement, as an entry sees it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from koth.game import FAULT
from koth.games.zombies.state import MOVES, SHOOT
from koth.match import play
from koth.protocol.bot_protocol import Used
from koth.protocol.frames import pack_used
from tests.build.jvm.arena import GAME, SMALL, Conversation, bots_at, fight, java, written

pytestmark = pytest.mark.needs("javac")


def talk(tmp_path: Path, turn: str, more: str = "", ruleset: str = "published") -> Conversation:
    """A conversation with an entry called Probe; its rivals are called Rival and Other."""
    (bot,) = bots_at(written(tmp_path, {"Probe.java": java("Probe", turn, more)}))
    return Conversation(bot, GAME.rulesets[ruleset], ["Rival", "Other"])


def printed(tmp_path: Path, expressions: dict[str, str], *players: Any, ruleset: str = "published") -> dict[str, str]:
    """Return the values of these Java expressions, as strings, when an entry is asked for these players."""
    lines = "\n".join(f'System.out.println("{key} = " + ({java}));' for key, java in expressions.items())
    conversation = talk(tmp_path, f"PlayerContext c = context;\n{lines}\nreturn Move.STAY;", ruleset=ruleset)
    answer = conversation.ask(*players)
    assert not answer.fault.any(), answer.errors
    return dict(line.split(" = ", 1) for line in conversation.close().splitlines())


ME = {
    "number": 5,
    "bullets": 3,
    "x": 20,
    "y": 30,
    "clock": 12,
    "seen": {
        (-5, -5): ("Rival", 60),
        (-5, 5): ("Zombie", 200),
        (0, 1): ("DeadBody", 201),
        (6, 0): ("Other", 101),
        (8, -8): ("Rival", 61),
    },
}


def test_the_context_holds_the_time_left(tmp_path: Path) -> None:
    """As those of Python do: seconds of the bank, and late answers in a row that are still to be had."""
    turn = 'System.out.println(context.getBank() + " " + context.getStrikes()); return Move.STAY;'
    conversation = talk(tmp_path, turn)
    for used in (0, pack_used(Used(0.7))[0], pack_used(Used(2.5, 2))[0]):
        assert not conversation.ask(ME, used=used).fault.any()
    assert conversation.close().split() == ["2.0", "3", "1.3", "3", "0.0", "1"]


def test_the_context(tmp_path: Path) -> None:
    found = printed(
        tmp_path,
        {
            "bullets": "c.getBullets()",
            "clock": "c.getGameClock()",
            "id": "c.getId()",
            "place": 'c.getX() + "," + c.getY()',
            "side": "c.getBoardSize()",
            "size": 'c.getPlayField().length + "x" + c.getPlayField()[0].length',
            "self": "c.getPlayField()[8][8].equals(c.getId())",
            "west north": "c.getPlayField()[3][3]",
            "west south": "c.getPlayField()[3][13]",
            "south": "c.getPlayField()[8][9]",
            "far": "c.getPlayField()[16][0]",
            "nobody": "c.getPlayField()[0][0]",
            "same array": "c.getPlayField() == c.getPlayField()",
            "look": "c.lookAround(6, 0)",
            "look at itself": "c.lookAround(0, 0)",
            "look nowhere": 'c.lookAround(9, 0) + "" + c.lookAround(0, -9)',
        },
        ME,
    )
    assert found == {
        "bullets": "3",
        "clock": "12",
        "id": "PlayerId{name='Probe', number=5}",
        "place": "20,30",
        "side": "58",
        "size": "17x17",
        "self": "true",
        "west north": "PlayerId{name='Rival', number=60}",
        "west south": "PlayerId{name='Zombie', number=200}",
        "south": "PlayerId{name='DeadBody', number=201}",
        "far": "PlayerId{name='Rival', number=61}",
        "nobody": "null",
        "same array": "true",
        "look": "PlayerId{name='Other', number=101}",
        "look at itself": "PlayerId{name='Probe', number=5}",
        "look nowhere": "nullnull",
    }


def test_shootable_players_are_an_unmodifiable_hash_set_filled_in_order(tmp_path: Path) -> None:
    filled = (
        'new HashSet<>(Arrays.asList(new PlayerId("Rival", 60), new PlayerId("Zombie", 200),'
        ' new PlayerId("Probe", 5), new PlayerId("DeadBody", 201)))'
    )
    found = printed(
        tmp_path,
        {
            "all": "new TreeSet<>(Arrays.asList(c.shootablePlayers().stream().map(PlayerId::getNumber).toArray()))",
            "order": f"new ArrayList<>(c.shootablePlayers()).equals(new ArrayList<>({filled}))",
            "type": "c.shootablePlayers().getClass().getSimpleName()",
            "contains": 'c.shootablePlayers().contains(new PlayerId("Zombie", 200))',
        },
        ME,
    )
    assert found == {"all": "[5, 60, 200, 201]", "order": "true", "type": "UnmodifiableSet", "contains": "true"}


def test_colliding_identities_keep_the_order_of_filling(tmp_path: Path) -> None:
    """Two identities in one bucket of a HashSet of 16 are met in the order in which they were put in."""
    west, east = {(-2, 0): ("Rival", 64), (2, 0): ("Rival", 80)}, {(-2, 0): ("Rival", 80), (2, 0): ("Rival", 64)}
    numbers = 'c.shootablePlayers().stream().filter(p -> p.getName().equals("Rival")).findFirst().get().getNumber()'
    firsts = [
        printed(tmp_path / str(i), {"first": numbers}, {**ME, "seen": seen}) for i, seen in enumerate((west, east))
    ]
    assert firsts == [{"first": "64"}, {"first": "80"}]


def test_identities(tmp_path: Path) -> None:
    found = printed(
        tmp_path,
        {
            "hash": 'new PlayerId("Fox", 7).hashCode() == 19 * (19 * 7 + "Fox".hashCode()) + 7',
            "equal": 'new PlayerId("Fox", 7).equals(new PlayerId("Fox", 7))',
            "other number": 'new PlayerId("Fox", 7).equals(new PlayerId("Fox", 8))',
            "other name": 'new PlayerId("Fox", 7).equals(new PlayerId("Cow", 7))',
            "other type": 'new PlayerId("Fox", 7).equals("Fox")',
            "key": 'Collections.singletonMap(new PlayerId("Fox", 7), "here").get(new PlayerId("Fox", 7))',
            "text": 'new PlayerId("Fox", 7)',
        },
        ME,
    )
    assert found == {
        "hash": "true",
        "equal": "true",
        "other number": "false",
        "other name": "false",
        "other type": "false",
        "key": "here",
        "text": "PlayerId{name='Fox', number=7}",
    }


def test_moves_and_constants(tmp_path: Path) -> None:
    found = printed(
        tmp_path,
        {
            "values": "Arrays.toString(Move.values())",
            "offsets": 'Arrays.toString(Arrays.stream(Move.values()).map(m -> m.x + "/" + m.y).toArray())',
            "directions": 'Move.inDirection(7, -3) + " " + Move.inDirection(0, 0) + " " + Move.inDirection(-1, 90)',
            "target": 'new Shoot(new PlayerId("Fox", 7)).getTarget()',
            "constants": "Constants.VISION_RANGE + Constants.SHOOT_RANGE + Constants.STARTING_BULLETS"
            " + Constants.VISION_WIDTH + Constants.CENTRE_OF_VISION + Constants.PLAYERS_PER_SPECIES",
            "density": "Constants.PLAYER_DENSITY",
            "dead": 'Dead.ZOMBIENAME + " " + Dead.DEADBODYNAME',
        },
        ME,
    )
    assert found == {
        "values": f"[{', '.join(MOVES)}]",
        "offsets": "[-1/-1, 0/-1, 1/-1, 1/0, 0/0, -1/0, 1/1, 0/1, -1/1]",
        "directions": "NORTHEAST STAY SOUTHWEST",
        "target": "PlayerId{name='Fox', number=7}",
        "constants": str(8 + 5 + 3 + 17 + 8 + 50),
        "density": "0.06",
        "dead": "Zombie DeadBody",
    }


def test_constants_can_be_used_where_java_wants_constants(tmp_path: Path) -> None:
    turn = """switch (context.getGameClock()) {
        case Constants.VISION_RANGE: return Move.NORTH;
        case Constants.CENTRE_OF_VISION + 4: return Move.SOUTH;
        default: return Move.STAY;
      }"""
    conversation = talk(tmp_path, turn)
    assert MOVES[conversation.ask(ME).fields["action"][0]] == "SOUTH"
    conversation.close()


def test_the_original_ruleset_has_its_own_order_of_moves(tmp_path: Path) -> None:
    original = GAME.rulesets["original"].moves
    assert original != MOVES
    found = printed(
        tmp_path,
        {
            "values": "Arrays.toString(Move.values())",
            "ordinals": "Arrays.toString(Arrays.stream(Move.values()).mapToInt(Move::ordinal).toArray())",
            "valueOf": 'Move.valueOf("NORTHEAST").ordinal()',
            "offsets": 'Arrays.toString(Arrays.stream(Move.values()).map(m -> m.x + "/" + m.y).toArray())',
            "first of a set": "EnumSet.of(Move.NORTHWEST, Move.NORTHEAST).iterator().next()",
        },
        ME,
        ruleset="original",
    )
    assert found == {
        "values": f"[{', '.join(original)}]",
        "ordinals": "[0, 1, 2, 3, 4, 5, 6, 7, 8]",
        "valueOf": "0",
        "offsets": "[1/-1, 0/-1, -1/-1, 1/0, 0/0, -1/0, 1/1, 0/1, -1/1]",
        "first of a set": "NORTHEAST",
    }


@pytest.mark.parametrize("ruleset", ["published", "original"])
def test_every_move_is_understood(tmp_path: Path, ruleset: str) -> None:
    conversation = talk(tmp_path, "return Move.valueOf(names[context.getGameClock()]);", _names(), ruleset)
    for clock, name in enumerate(MOVES):
        assert MOVES[conversation.ask({**ME, "clock": clock}).fields["action"][0]] == name
    conversation.close()


def _names() -> str:
    return "  String[] names = {" + ", ".join(f'"{name}"' for name in MOVES) + "};"


def test_switches_on_moves_work_in_both_rulesets(tmp_path: Path) -> None:
    turn = """switch (Move.values()[0]) {
        case NORTHEAST: return Move.EAST;
        case NORTHWEST: return Move.WEST;
        default: return null;
      }"""
    for ruleset, move in (("published", "WEST"), ("original", "EAST")):
        conversation = talk(tmp_path / ruleset, turn, ruleset=ruleset)
        assert MOVES[conversation.ask(ME).fields["action"][0]] == move
        conversation.close()


def test_shots(tmp_path: Path) -> None:
    targets = (
        'null, new PlayerId("Rival", 60), new PlayerId("Zombie", 200), new PlayerId("Nobody", 1), '
        'new PlayerId("Rival", -1), new PlayerId(null, 3)'
    )
    turn = f"return new Shoot(Arrays.asList({targets}).get(context.getGameClock()));"
    conversation = talk(tmp_path, turn)
    codes = []
    for clock in range(6):
        answer = conversation.ask({**ME, "clock": clock})
        assert answer.fields["action"].tolist() == [SHOOT]
        assert not answer.fault.any()
        codes += answer.fields["target"].tolist()
    assert codes == [0, conversation.code("Rival", 60), conversation.code("Zombie", 200), 0, 0, 0]
    conversation.close()


def test_one_instance_serves_all_players_in_random_order(tmp_path: Path) -> None:
    more = '  Probe() { System.out.println("made"); }\n  List<Integer> asked = new ArrayList<>();'
    turn = """asked.add(context.getId().getNumber());
      if (asked.size() == 40) System.out.println(asked);
      return Move.STAY;"""
    conversation = talk(tmp_path, turn, more)
    for _ in range(2):
        conversation.ask(*({"number": n} for n in range(20)))
    lines = conversation.close().splitlines()
    assert lines[0] == "made"
    assert len(lines) == 2
    numbers = [int(word) for word in re.findall(r"\d+", lines[1])]
    assert sorted(numbers[:20]) == sorted(numbers[20:]) == list(range(20))
    assert numbers[:20] != numbers[20:], "another order every turn"
    assert numbers[:20] != list(range(20))


def test_each_player_has_its_own_context(tmp_path: Path) -> None:
    turn = """if (context.getX() != context.getId().getNumber() * 2) throw new AssertionError();
      return context.lookAround(1, 0) == null ? Move.EAST : new Shoot(context.lookAround(1, 0));"""
    conversation = talk(tmp_path, turn)
    players = [
        {"number": n, "x": 2 * n, "seen": {(1, 0): ("Zombie", 100 + n)} if n % 3 == 0 else {}} for n in range(9)
    ]
    answer = conversation.ask(*players)
    assert not answer.fault.any(), answer.errors
    expected = [conversation.code("Zombie", 100 + n) if n % 3 == 0 else 0 for n in range(9)]
    assert answer.fields["target"].tolist() == expected
    assert answer.fields["action"].tolist() == [SHOOT if n % 3 == 0 else MOVES.index("EAST") for n in range(9)]
    conversation.close()


def test_an_identity_is_the_same_object_each_time(tmp_path: Path) -> None:
    more = "  PlayerId before;"
    turn = """boolean same = before == context.getPlayField()[9][8];
      before = context.lookAround(1, 0);
      return same ? Move.NORTH : Move.SOUTH;"""
    conversation = talk(tmp_path, turn, more)
    moves = [
        conversation.ask({"number": 1, "seen": {(1, 0): ("Rival", n)}}).fields["action"][0] for n in (70, 70, 71)
    ]
    assert [MOVES[move] for move in moves] == ["SOUTH", "NORTH", "SOUTH"]
    conversation.close()


def test_random_moves_are_uniform_and_repeat_with_the_seed(tmp_path: Path) -> None:
    (bot,) = bots_at(written(tmp_path, {"Probe.java": java("Probe", "return Move.randomMove();")}))
    counts = []
    for _ in range(2):
        conversation = Conversation(bot)
        answer = conversation.ask(*({"number": n} for n in range(200)))
        more = conversation.ask(*({"number": n} for n in range(200)))
        counts.append(answer.fields["action"].tolist() + more.fields["action"].tolist())
        conversation.close()
    assert counts[0] == counts[1]
    assert sorted(set(counts[0])) == list(range(9))
    assert all(20 < counts[0].count(move) < 75 for move in range(9)), "400 draws of 9"


def test_math_random_repeats_with_the_seed(tmp_path: Path) -> None:
    expression = {"draw": "Math.random()"}
    assert printed(tmp_path / "a", expression, ME) == printed(tmp_path / "b", expression, ME)


def test_faults_are_explained_by_row(tmp_path: Path) -> None:
    turn = """if (context.getX() == 1) throw new IllegalStateException("one");
      return context.getX() == 2 ? null : Move.NORTH;"""
    conversation = talk(tmp_path, turn)
    answer = conversation.ask(*({"number": n, "x": n} for n in range(4)))
    assert answer.fault.tolist() == [0, FAULT["error"], FAULT["illegal"], 0]
    assert [MOVES[move] for move in answer.fields["action"]] == ["NORTH", "STAY", "STAY", "NORTH"]
    assert sorted(answer.errors) == [
        (1, "player 1 at 1,0: java.lang.IllegalStateException: one (at player.Probe.doTurn(Probe.java:6))"),
        (2, "player 2 at 2,0: doTurn returned null, not a Move or a Shoot"),
    ]
    conversation.close()


def test_the_same_match_twice_gives_the_same_replay(tmp_path: Path) -> None:
    bots = bots_at(written(tmp_path / "bot", {"Probe.java": java("Probe", "return Move.randomMove();")}))
    replays = [tmp_path / "one", tmp_path / "two"]
    for replay in replays:
        result = fight(bots, replay=replay)
        assert result.records["Probe"].faults == {}
    assert replays[0].read_bytes() == replays[1].read_bytes()


def test_a_full_match_of_several_java_bots(tmp_path: Path) -> None:
    sources = {f"Probe{i}.java": java(f"Probe{i}", "return Move.randomMove();") for i in range(3)}
    bots = bots_at(written(tmp_path, sources))
    result = play(GAME, SMALL, bots, 5)
    assert list(result.scores) == ["Probe0", "Probe1", "Probe2"]
    assert all(record.faults == {} for record in result.records.values())
    assert result.turns > 5
