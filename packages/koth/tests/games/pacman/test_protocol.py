"""Rules 34 to 38: the text lines as transcripts, JSON lines, and programs that speak them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.batch import Batch
from koth.errors import BotError, SettingsError
from koth.game import FAULT, Observations, TimeControl
from koth.games.pacman import GAME
from koth.games.pacman.protocol import TextProtocol
from koth.games.pacman.state import Settings
from koth.match import Hosting, Result, play
from koth.protocol.bot_protocol import Answer, BotProtocol, Fault, Ready, Reply
from koth.session.bot import Bot
from tests.games.pacman import notation
from tests.games.pacman.boards import field

BOARD = field("_ b _ _\n_ A . _\n_ _ _ _\nB o % _", "A faces E", "B faces X")
LINE = b"1,1X 0,1G 3,1O 2,1X 1,2o 1,3X 1,0X 0,2X 2,2X\n"


def question(settings: Settings, text: str = BOARD) -> tuple[Batch, Observations]:
    """The first question of a board, with the rows of bot A."""
    state = notation.parse(text, settings)
    batch = Batch.from_state(GAME, settings, 2, state)
    return batch, dict(batch.observations.of_match(0))[0]


def opened(settings: Settings, name: str = "text", **options: str) -> tuple[Any, Observations]:
    """A protocol that has said hello, and a question for it. The NPC ghost waits, so the board is as drawn."""
    batch, observations = question(settings, BOARD + "\nb waits")
    protocol: BotProtocol = GAME.protocols[name](settings, 2, **options)
    protocol.hello(GAME.match_info(settings, batch.state, 0, 0))
    return protocol, observations


def move_of(meaning: Any) -> str:
    """The move that an answer holds."""
    assert not meaning.fault.any()
    return "NESWX"[meaning.fields["move"][0]]


SIDE_4 = Settings(side=4)


def test_rule_34_first_the_walls_then_a_line_for_each_question_then_q() -> None:
    batch, observations = question(SIDE_4, BOARD + "\nb waits")
    protocol = TextProtocol(SIDE_4, 2)
    assert not protocol.handshake
    batch.state.walls[0, 0, :2] = [9, 12]
    assert protocol.hello(GAME.match_info(SIDE_4, batch.state, 0, 0)) == b"9C00000000000000\n"
    assert protocol.ask(observations) == LINE
    assert move_of(protocol.decode(b"N")) == "N"
    assert protocol.ask(observations) == LINE
    assert protocol.bye([]) == b"Q\n"


@pytest.mark.parametrize("line", [b"N", b"n", b" N ", b"N\r", b"\tn\r", b"n  "])
def test_rule_36_case_blanks_and_carriage_returns_do_not_matter(line: bytes) -> None:
    protocol, observations = opened(SIDE_4)
    protocol.ask(observations)
    assert move_of(protocol.decode(line)) == "N"


@pytest.mark.parametrize("letter", "NESWX")
def test_rule_36_the_five_moves(letter: str) -> None:
    protocol, observations = opened(SIDE_4)
    protocol.ask(observations)
    assert move_of(protocol.decode(letter.encode())) == letter


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"NN",
        b"north",
        b"1",
        b"1,",
        b",1",
        b"1,2,3",
        b"a,b",
        b"1.5,2",
        b"Q",
        b"\xff",
        b"\xc5\x83",
        b"0x1,2",
    ],
)
def test_rule_36_anything_else_is_x_with_a_fault(line: bytes) -> None:
    protocol, observations = opened(SIDE_4)
    protocol.ask(observations)
    meaning = protocol.decode(line)
    assert isinstance(meaning, Fault)
    assert meaning.kind == "garbage"
    answer = Answer.fault_of(observations, meaning.kind)
    assert "NESWX"[answer.fields["move"][0]] == "X"


def test_rule_36_side_queries_are_answered_at_once_with_the_squares_digit() -> None:
    protocol, observations = opened(SIDE_4)
    protocol.info = protocol.info | {"walls": "0123456789ABCDEF"}
    protocol.ask(observations)
    for query, digit in (("0,0", "0"), ("0,3", "3"), ("1,0", "4"), ("2,2", "A"), ("3,3", "F"), (" 3 , 2\r", "E")):
        assert protocol.decode(query.encode()) == Reply(digit.encode() + b"\n")
    for query in ("4,0", "0,4", "-1,0", "0,-1", "99999,99999", "9" * 5000 + ",1"):
        assert protocol.decode(query.encode()) == Reply(b"?\n"), query
    assert move_of(protocol.decode(b"e")) == "E"


def test_rule_36_ten_thousand_side_queries_a_question_and_no_more() -> None:
    """One more is a fault, told when the move comes, so that bot and arena stay in step."""
    protocol, observations = opened(SIDE_4)
    for _ in range(2):
        protocol.ask(observations)
        assert all(isinstance(protocol.decode(b"1,1"), Reply) for _ in range(10_000))
        assert move_of(protocol.decode(b"N")) == "N"
    protocol.ask(observations)
    assert all(isinstance(protocol.decode(b"1,1"), Reply) for _ in range(10_001))
    meaning = protocol.decode(b"N")
    assert isinstance(meaning, Fault)
    assert (meaning.kind, meaning.ends) == ("flood", True)
    protocol.ask(observations)
    assert move_of(protocol.decode(b"N")) == "N", "each question counts anew"


def test_rule_36_how_many_side_queries_is_a_setting() -> None:
    protocol, observations = opened(Settings(side=4, side_queries=1))
    protocol.ask(observations)
    assert isinstance(protocol.decode(b"1,1"), Reply)
    assert isinstance(protocol.decode(b"1,1"), Reply)
    assert isinstance(protocol.decode(b"S"), Fault)


def test_rule_35_col_row_turns_every_coordinate_round() -> None:
    protocol, observations = opened(Settings(side=4, coordinates="col,row"))
    protocol.info = protocol.info | {"walls": "0123456789ABCDEF"}
    assert protocol.ask(observations) == b"1,1X 1,0G 1,3O 1,2X 2,1o 3,1X 0,1X 2,0X 2,2X\n"
    assert protocol.decode(b"3,1") == Reply(b"7\n"), "column 3, row 1"


@pytest.mark.parametrize("setting", ["row,col", "col,row"])
@pytest.mark.parametrize("manifest", ["row,col", "col,row"])
def test_rule_35_the_manifest_wins(setting: str, manifest: str) -> None:
    protocol, _observations = opened(Settings(side=4, coordinates=setting), coordinates=manifest)
    protocol.info = protocol.info | {"walls": "0123456789ABCDEF"}
    protocol.ask(_observations)
    assert protocol.decode(b"3,1") == Reply(b"D\n" if manifest == "row,col" else b"7\n")


def bot(folder: Path, code: str, manifest: str = "") -> Bot:
    """A Python bot in a folder of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.py").write_text(code)
    if manifest:
        (folder / "koth.toml").write_text(manifest)
    return load_bot(GAME, folder, Interpreters(sys.executable))


def test_rule_35_coordinates_in_the_manifest_reach_the_protocol(tmp_path: Path) -> None:
    plain = bot(tmp_path / "plain", "")
    turned = bot(tmp_path / "turned", "", 'coordinates = "col,row"')
    assert plain.protocol == turned.protocol == "text"
    assert plain.open_protocol(GAME, Settings(), 1).order == "row,col"  # type: ignore[attr-defined]
    assert turned.open_protocol(GAME, Settings(), 1).order == "col,row"  # type: ignore[attr-defined]
    with pytest.raises(BotError, match="coordinates must be one of"):
        bot(tmp_path / "wrong", "", 'coordinates = "y,x"')
    with pytest.raises(BotError, match="unknown key 'coordinate'; did you mean coordinates"):
        bot(tmp_path / "typo", "", 'coordinate = "col,row"')
    with pytest.raises(BotError, match="unknown key 'coordinates'"):
        bot(tmp_path / "json", "", 'coordinates = "col,row"\nprotocol = "json"')
    with pytest.raises(SettingsError, match="coordinates must be one of"):
        TextProtocol(Settings(), 1, coordinates="diagonal")


QUICK = TimeControl(question=0.3, first=2.0, late_in_a_row=GAME.time_control.late_in_a_row)
POLITE = """
import sys
walls = sys.stdin.readline().strip()
for line in sys.stdin:
    if line.strip() == "Q":
        print("told Q", file=sys.stderr)
        break
    print("X", flush=True)
"""


def match(bots: list[Bot], settings: Settings, time_control: TimeControl = QUICK) -> Result:
    return play(GAME, settings, bots, 1, Hosting(time_control=time_control))


PEACE = Settings(side=12, ghosts=0, turns=4)


def test_rule_34_a_bot_is_told_q_and_started_anew_for_each_game(tmp_path: Path) -> None:
    counting = POLITE.replace("walls =", "import os\nprint('pid', os.getpid(), file=sys.stderr)\nwalls =")
    polite = bot(tmp_path / "polite", counting)
    errors = [match([polite], PEACE).records["polite"].stderr for _ in range(2)]
    assert all(b"told Q" in text for text in errors)
    assert errors[0] != errors[1], "another process"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (POLITE.replace('    print("X"', '    import time; time.sleep(60)\n    print("X"'), "late"),
        (POLITE.replace('    print("X"', '    sys.exit(3)\n    print("X"'), "crash"),
        (
            POLITE.replace(
                '    print("X", flush=True)', "    sys.stdout.close(); import os, time; os.close(1); time.sleep(60)"
            ),
            "closed",
        ),
    ],
)
def test_rule_37_who_is_late_exits_or_closes_its_output_is_killed_and_leaves(
    tmp_path: Path, code: str, kind: str
) -> None:
    result = match(
        [bot(tmp_path / "bad", code), bot(tmp_path / "polite", POLITE)], PEACE, TimeControl(0.3, 0.3, 1.0, 1)
    )
    assert result.records["bad"].faults == {kind: 1}
    assert b"told Q" not in result.records["bad"].stderr
    assert result.records["polite"].faults == {}
    assert result.turns == 4


def test_rule_36_garbage_and_too_many_side_queries_are_recorded_and_the_bot_plays_on(tmp_path: Path) -> None:
    garbage = POLITE.replace('"X"', '"what?"')
    ask_around = """    print("0,0\\n" * 12, end="", flush=True)
    for _ in range(12):
        sys.stdin.readline()
"""
    flood = POLITE.replace('    print("X"', ask_around + '    print("X"')
    settings = Settings(side=12, ghosts=0, turns=4, side_queries=10)
    result = match([bot(tmp_path / "garbage", garbage), bot(tmp_path / "flood", flood)], settings)
    assert result.records["garbage"].faults == {"garbage": 4}
    assert result.records["flood"].faults == {"flood": 4}
    assert result.turns == 4


def test_rule_36_a_bot_may_ask_for_walls_before_it_moves(tmp_path: Path) -> None:
    curious = """
import sys
walls = sys.stdin.readline().strip()
for line in sys.stdin:
    if line.startswith("Q"):
        break
    for k in range(12):
        print(f"{k},{k}", flush=True)
        assert sys.stdin.readline().strip() == walls[13 * k]
    print("12,0", flush=True)
    assert sys.stdin.readline().strip() == "?"
    print("n", flush=True)
"""
    result = match([bot(tmp_path / "curious", curious)], PEACE)
    assert result.records["curious"].faults == {}, result.records["curious"].stderr


def test_rule_37_budgets_are_those_of_the_rules() -> None:
    assert (GAME.time_control.question, GAME.time_control.first, GAME.time_control.late_in_a_row) == (1.0, 4.0, 1)


def test_rule_38_command_txt_builds_and_starts(tmp_path: Path) -> None:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "command.txt").write_text(
        "\npython -c \"open('made', 'w').write('x y')\"\n\npython 'my bot.py' 'a b'\n\n"
    )
    (folder / "my bot.py").write_text(POLITE)
    found = load_bot(GAME, folder, Interpreters(sys.executable))
    assert found.protocol == "text"
    assert found.build == ((sys.executable, "-c", "open('made', 'w').write('x y')"),)
    assert found.argv == (sys.executable, "my bot.py", "a b")
    assert match([found], PEACE).records["built"].faults == {}


def test_rule_39_a_contest_is_ten_games_and_the_sum_counts() -> None:
    assert (GAME.contest_defaults.matches, GAME.contest_defaults.aggregate, GAME.contest_defaults.seats) == (
        10,
        "sum",
        None,
    )


def test_json_lines() -> None:
    protocol, observations = opened(SIDE_4, "json")
    hello = json.loads(protocol.hello({"side": 4, "walls": "0" * 16}))
    assert hello == {"hello": {"side": 4, "walls": "0" * 16}}
    assert isinstance(protocol.decode(b'{"ready": true}'), Ready)
    message = json.loads(protocol.ask(observations))
    assert message.pop("ask") == 1
    assert message == {
        "question": "move",
        "row": 1,
        "col": 1,
        "self": "X",
        "free": "NESWX",
        "seen": [
            [0, 1, "G"],
            [3, 1, "O"],
            [2, 1, "X"],
            [1, 2, "o"],
            [1, 3, "X"],
            [1, 0, "X"],
            [0, 2, "X"],
            [2, 2, "X"],
        ],
    }
    assert move_of(protocol.decode(b'{"ask": 1, "move": " w"}')) == "W"
    assert json.loads(protocol.bye([])) == {"bye": True}


@pytest.mark.parametrize("move", ['"Q"', '"NE"', "3", "null", "[]", '""'])
def test_json_a_move_that_is_none_is_illegal_and_counts_as_x(move: str) -> None:
    protocol, observations = opened(SIDE_4, "json")
    protocol.ask(observations)
    answer = protocol.decode(f'{{"ask": 1, "move": {move}}}'.encode())
    assert answer.fault.tolist() == [FAULT["illegal"]]
    assert answer.fields["move"].tolist() == [4]


def test_json_without_a_move_is_garbage() -> None:
    protocol, observations = opened(SIDE_4, "json")
    protocol.ask(observations)
    meaning = protocol.decode(b'{"ask": 1}')
    assert isinstance(meaning, Fault)
    assert meaning.kind == "garbage"
