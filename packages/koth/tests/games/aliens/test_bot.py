"""The Python API: one object per instance, what it knows of itself, mistakes, and real processes."""

from __future__ import annotations

import struct
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from koth.adapter.bot_adapter import Call, make_answer_buffers, split_fields
from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import sample_paths
from koth.engine.batch import Batch
from koth.game import FAULTS, Observations
from koth.games.aliens import GAME
from koth.games.aliens.bot import Alien, Host, Move, legal_points, species
from koth.games.aliens.rules import are_legal
from koth.games.aliens.state import DX, DY, MOVES, Settings
from koth.match import Hosting, play
from koth.protocol.frames import FramesProtocol
from koth.replay.reader import Replay
from koth.replay.verify import verify
from koth.session.local import InlineBot
from tests.games.aliens.boards import SMALL, Planet

FACTS = {"points": 10, "seed": 1}
BOARD = """
    .  w0    .  .
    .  A0+B1 .  A2
    .  .     .  .
    .  .     h1 .
    A0 12hp 1 1.5 3.2 3 5
    A2 10hp 1 1 1 1 0.5
    B1 10hp 3 4 5 6 0.5
"""


def module_of(code: str) -> ModuleType:
    module = ModuleType("bot_under_test")
    exec(dedent(code), module.__dict__)
    return module


def call_of(observations: Observations) -> Call:
    """A question as the runner gets it: through frames."""
    protocol = FramesProtocol(GAME.questions(SMALL, 2))
    frame = protocol.ask(observations)
    question = observations.question
    spec = {
        "view": [[name, f.dtype, list(f.shape), f.ragged, f.sparse] for name, f in question.observation.items()],
        "answer": [[name, f.dtype, list(f.shape), f.default] for name, f in question.answer.items()],
    }
    payload = memoryview(frame)[16:]
    return Call(
        question.name,
        len(observations),
        split_fields(spec, len(observations), payload),
        make_answer_buffers(spec, len(observations)),
    )


WHOLE = "class A(Alien):\n  set_ability_points = move = want_to_fight = 1\n"
CURIOUS = """
    from koth.games.aliens.bot import Alien, Move

    class Curious(Alien):
        log = []

        def __init__(self):
            self.moves = 0

        def set_ability_points(self, points):
            assert points == [0, 0, 0, 0, 0]
            points[:] = self.number, 0.5, 0, 0, 0

        def move(self, fields):
            self.moves += 1
            Curious.log.append((self.number, self.moves, self.hp, self.levels, self.sight, self.blur, fields))
            return Move.EAST if self.number == 0 else Move.WEST

        def want_to_fight(self, enemy):
            Curious.log.append((self.number, self.hp, self.life, self.strength, self.defense, self.vision,
                                self.cleverness, enemy))
            return enemy[0] == 3
"""


def set_up(code: str) -> tuple[Host, Call, ModuleType]:
    module = module_of(code)
    host = Host(FACTS, module)
    observations = Batch(GAME, SMALL, 2, [1]).observations
    call = call_of(dict(observations.of_match(0))[0])
    host.answer(call)
    return host, call, module


def test_there_is_an_object_for_each_instance_and_it_knows_itself() -> None:
    host, call, module = set_up(CURIOUS)
    assert call.out["points"].tolist() == [n for k in range(4) for n in (k, 0.5, 0, 0, 0)]
    planet = Planet(BOARD.replace("h1", "w1"))
    log = module.Curious.log
    for turn in (1, 2):
        call = call_of(dict(planet.batch.observations.of_match(0))[0])
        log.clear()
        host.answer(call)
        assert call.out["move"].tolist() == [2, 6]
        assert sorted(log)[0][:6] == (0, turn, 12, (1, 2, 3, 3, 5), 2, 3)
        assert sorted(log)[1] == (2, turn, 10, (1, 1, 1, 1, 1), 1, 0, ["   ", " A ", "   "])
        assert [len(column) for column in sorted(log)[0][6]] == [5] * 5
        assert sorted(log)[0][6][2][1] == "W"
        if turn == 1:
            planet.play()


def test_it_is_told_of_its_enemy() -> None:
    host, _, module = set_up(CURIOUS)
    planet = Planet(BOARD)
    planet.batch.answer(planet.answer(planet.batch.observations))
    assert planet.batch.observations.question.name == "meet"
    call = call_of(dict(planet.batch.observations.of_match(0))[0])
    host.answer(call)
    assert module.Curious.log == [(0, 12, 1, 2, 3, 3, 5, (3, 4, 5, 6))]
    assert call.out["fight"].tolist() == [1]


def test_before_it_plays_an_instance_is_a_base_alien() -> None:
    alien = Alien()
    assert (alien.number, alien.hp, alien.levels, alien.sight, alien.blur) == (0, 10, (1, 1, 1, 1, 1), 1, 1)


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("points[:] = 11, 0, 0, 0, 0", "illegal", "are not legal points"),
        ("points[:] = [1, 1]", "illegal", "five numbers of 0 or more, together at most 10"),
        ("points[0] = float('nan')", "illegal", "not legal points"),
        ("points[0] = 1e300", "illegal", "not legal points"),
        ("points[0] = 'ten'", "illegal", "not legal points"),
        ("points[9] = 1", "error", "IndexError: list assignment index out of range"),
        ("raise KeyError('mine')", "error", "KeyError: 'mine'"),
    ],
)
def test_a_mistake_while_setting_up_kills_this_instance_only(line: str, kind: str, words: str) -> None:
    code = CURIOUS.replace(
        "points[:] = self.number, 0.5, 0, 0, 0", "points[0] = 5\n            if self.number == 2: " + line
    )
    _, call, _ = set_up(code)
    assert [FAULTS[code] for code in call.fault] == ["none", "none", kind, "none"]
    assert call.out["points"].tolist()[10:15] == [0] * 5
    assert call.out["points"].tolist()[15] == 5
    assert (call.errors[0][0], words in call.errors[0][1]) == (2, True)


def test_a_constructor_that_fails_kills_this_instance_only() -> None:
    _, call, _ = set_up(CURIOUS.replace("self.moves = 0", "self.moves = 1 // (self.number - 1)"))
    assert [FAULTS[code] for code in call.fault] == ["none", "error", "none", "none"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [("return 3", "illegal"), ("return None", "illegal"), ("return 'NORTH'", "illegal"), ("return 1 // 0", "error")],
)
def test_what_is_no_move_is_reported(line: str, kind: str) -> None:
    host, _, _ = set_up(CURIOUS.replace("return Move.EAST if self.number == 0 else Move.WEST", line))
    observations = Planet(BOARD).batch.observations
    call = call_of(dict(observations.of_match(0))[0])
    host.answer(call)
    assert [FAULTS[code] for code in call.fault] == [kind, kind]
    assert call.out["move"].tolist() == [8, 8]


@pytest.mark.parametrize(
    ("line", "kind", "fight"),
    [
        ("return None", "illegal", 1),
        ("return 0", "illegal", 1),
        ("return 1 // 0", "error", 1),
        ("import numpy; return numpy.array([4]).sum() < 3", "none", 0),
    ],
)
def test_what_is_no_wish_means_fight(line: str, kind: str, fight: int) -> None:
    host, _, _ = set_up(CURIOUS.replace("return enemy[0] == 3", line))
    planet = Planet(BOARD)
    planet.batch.answer(planet.answer(planet.batch.observations))
    call = call_of(dict(planet.batch.observations.of_match(0))[0])
    host.answer(call)
    assert ([FAULTS[code] for code in call.fault], call.out["fight"].tolist()) == ([kind], [fight])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("", "extends Alien; found: none"),
        (
            WHOLE + "class B(A):\n  pass\nclass C(A):\n  pass",
            "B, C",
        ),
        ("class A(Alien):\n  set_ability_points = want_to_fight = 1", "A has no method move"),
        ("class A(Alien):\n  set_ability_points = move = 1", "A has no method want_to_fight"),
        ("class A(Alien):\n  want_to_fight = move = 1", "A has no method set_ability_points"),
    ],
)
def test_a_file_without_a_bot(code: str, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        species(module_of("from koth.games.aliens.bot import Alien\n" + code))


def test_a_class_that_others_are_built_on_is_not_the_bot() -> None:
    code = (
        "from koth.games.aliens.bot import Alien\nclass A(Alien):\n  set_ability_points = move = want_to_fight = 1\n"
    )
    assert species(module_of(code + "class B(A):\n  pass")).__name__ == "B"


def test_points_are_judged_as_the_rules_do() -> None:
    dice = np.random.default_rng(5)
    for _ in range(3000):
        points = dice.dirichlet(np.ones(5)) * 10
        points[dice.integers(5)] += dice.choice([0, 1e-6, -1e-6, 5e-7])
        legal = are_legal(points.astype(np.float32), 10)
        try:
            values = legal_points(points.tolist(), 10)
        except ValueError:
            assert not legal, points
        else:
            assert legal, points
            assert values == points.astype(np.float32).tolist()


def test_moves_are_those_of_the_rules() -> None:
    assert [move.name for move in Move] == list(MOVES)
    assert [(move.x, move.y) for move in Move] == list(zip(DX.tolist(), DY.tolist(), strict=True))
    assert [move.index for move in Move] == list(range(9))
    assert Move.in_direction(-7, 2) is Move.SOUTHWEST
    assert Move.random_move() in Move


@pytest.mark.slow
def test_samples_play_and_their_match_verifies(tmp_path: Path) -> None:
    """All samples in Python at once, in processes of their own: no fault, the same result twice."""
    settings = Settings(instances=12, prey=6, rounds=40)
    words = [f"@{path.stem}" for path in sample_paths("aliens") if path.suffix == ".py"]
    assert len(words) >= 10
    found = find_entrants(GAME, words, Interpreters())
    bots, errors = found.bots, found.problems
    assert errors == []
    replay = tmp_path / "match.koth.gz"
    result = play(GAME, settings, bots, 3, Hosting(ruleset="published", replay=replay))
    assert result.turns == 40
    assert {name: record.faults for name, record in result.records.items() if record.faults} == {}
    assert list(result.scores)[-5:] == ["Whale", "Cow", "Turtle", "Eagle", "Human"]
    assert verify(GAME, Replay(replay), settings) is None
    again = tmp_path / "again.koth.gz"
    assert play(GAME, settings, bots, 3, Hosting(ruleset="published", replay=again)).scores == result.scores
    assert again.read_bytes() == replay.read_bytes()
    frames = list(Replay(replay).turns())
    assert [frame.turn for frame in frames] == [0, *range(41)]
    assert frames[0].frame["alive"][0] == 0  # before and after setting up
    assert frames[1].frame["alive"][0] == 12


@pytest.mark.needs("node")
def test_the_sample_for_node_plays() -> None:
    found = find_entrants(GAME, ["@castle", "@rock"], Interpreters())
    bots, errors = found.bots, found.problems
    assert errors == []
    result = play(GAME, Settings(instances=10, prey=4, rounds=30, meetings="first"), bots, 2)
    assert [record.faults for record in result.records.values()] == [{}, {}]
    assert result.scores["castle"] > 0


def test_mistakes_of_a_process_are_counted(tmp_path: Path) -> None:
    (tmp_path / "clumsy.py").write_text(
        dedent(CURIOUS).replace(
            "self.number, 0.5, 0, 0, 0", "(9, 2, 0, 0, 0) if self.number < 3 else (9, 1, 0, 0, 0)"
        ),
        encoding="utf-8",
    )
    dying = dedent(CURIOUS).replace("self.number, 0.5, 0, 0, 0", "1, 1, 1, 1, 1")
    dying = dying.replace("self.moves += 1", "self.moves += 1\n        import os; self.moves < 3 or os._exit(3)")
    (tmp_path / "dying.py").write_text(dying, encoding="utf-8")
    found = find_entrants(GAME, [str(tmp_path / "clumsy.py"), str(tmp_path / "dying.py")], Interpreters())
    bots, errors = found.bots, found.problems
    assert errors == []
    replay = tmp_path / "match.koth.gz"
    settings = Settings(instances=6, prey=0, rounds=12, space=30)
    result = play(GAME, settings, bots, 1, Hosting(replay=replay))
    assert result.records["clumsy"].faults == {"illegal": 3}
    assert "are not legal points" in result.records["clumsy"].fault_reports["illegal"].text
    assert result.records["dying"].faults["crash"] >= 1
    frames = [turn.frame["alive"][:2] for turn in Replay(replay).turns()]
    assert frames[1] == [3, 6]
    assert verify(GAME, Replay(replay), settings) is None


def test_inline_bots_are_functions_on_arrays() -> None:
    def marching(observations: Observations, match_info: Any) -> dict[str, Any]:
        if observations.question.name == "points":
            return {"points": 2}
        return {"move": 2} if observations.question.name == "move" else {"fight": 0}

    settings = Settings(instances=5, prey=0, rounds=10)
    result = play(GAME, settings, [InlineBot("a", marching), InlineBot("b", marching)], 1)
    assert result.scores == {"a": 75, "b": 75, "Whale": 0, "Cow": 0, "Turtle": 0, "Eagle": 0, "Human": 0}


def test_frames_with_points_that_are_not_finite_are_garbage() -> None:
    batch = Batch(GAME, SMALL, 2, [1])
    observations = dict(batch.observations.of_match(0))[0]
    protocol = FramesProtocol(GAME.questions(SMALL, 2))
    protocol.ask(observations)
    payload = np.full((4, 5), np.nan, "<f4").tobytes() + bytes(4)
    fault = protocol.decode(struct.pack("<IIHHI", len(payload), 1, 1, 0, 4) + payload)
    assert fault[0] == "garbage"
