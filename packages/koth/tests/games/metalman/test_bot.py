"""Python classes written for the contest, unchanged, in real processes; and the samples."""

from __future__ import annotations

import gzip
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from koth.cli.new import new
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample, sample_names
from koth.engine.settings import read_settings
from koth.game import Observations, TimeControl
from koth.games.metalman import GAME
from koth.games.metalman.atlas import Atlas
from koth.games.metalman.state import Settings
from koth.match import Hosting, Result, play
from koth.replay.reader import Replay
from koth.replay.verify import verify
from koth.session.bot import Bot
from koth.session.local import InlineBot

OLD_ENTRY = """
from games.utils.Logger import Logger

print("loaded")

class SomeAgent:
    def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction, print_logs=False):
        self.logger = Logger(print_logs=print_logs)
        self.start = [spotter_point, assasin_point, spotter_direction, assasin_direction, print_logs]
        self.keys = None

    def step(self, state):
        self.logger.log_step()
        try:
            input("your move? ")
        except EOFError:
            print("nobody there")
        return {
            "Spotter": {"direction": [0, 1], "moves": [[0, 1], [1, 0], [1, 0]]},
            "Assasin": {"direction": [1, 0], "moves": []},
            "Debug": {"start": self.start, "state": {key: type(value).__name__ for key, value in state.items()}},
        }
"""

pytestmark = pytest.mark.compiled  # bots in processes: nothing here depends on how kernels run

PATIENT = TimeControl(start=60, question=60)
"""For machines that are busy with something else."""

IDLE = '{"Spotter": {"direction": [0, 1], "moves": []}, "Assasin": {"direction": [0, 1], "moves": []}}'


def wait(observations: Observations, match_info: Any) -> dict[str, Any]:
    """An inline bot that stays where it is."""
    return {}


def bot_of(folder: Path, source: str) -> Bot:
    folder.mkdir(exist_ok=True)
    (folder / "bot.py").write_text(source)
    return load_bot(GAME, folder, Interpreters(), "it")


def match_of(bot: Bot, tmp_path: Path, **settings: Any) -> tuple[Result, Replay]:
    """A short match of the bot against one that stays where it is: both die in the first collapse."""
    settings = {"map": "FFFF\nFFFF\nFFFF\nFFFF", "timer": 2, **settings}
    result = play(
        GAME,
        Settings(**settings),
        [bot, InlineBot("other", wait)],
        1,
        Hosting(replay=tmp_path / "match.koth.gz", time_control=PATIENT),
    )
    return result, Replay(tmp_path / "match.koth.gz")


def test_an_old_entry_plays_unchanged(tmp_path: Path) -> None:
    result, replay = match_of(bot_of(tmp_path / "old", OLD_ENTRY), tmp_path, map="FFFFFFF\n" * 7)
    assert result.records["it"].faults == {}
    assert result.scores == {"it": 1.0, "other": 0.0}
    assert [turn for turn, _ in result.records["it"].notes] == list(range(1, result.turns + 1))
    notes = [note["Debug"] for _, note in result.records["it"].notes]
    assert notes[0]["start"] == [[0, 0], [0, 1], [1, 0], [1, 0], True]
    assert notes[0]["state"] == {
        "board": "list",
        "timer": "int",
        "circles collapsed": "int",
        "spotter location": "tuple",
        "assasin location": "tuple",
        "spotter alive": "bool",
        "assasin alive": "bool",
        "spotter direction": "list",
        "assasin direction": "list",
    }
    assert b"Debug" not in gzip.decompress(Path(replay.path).read_bytes())
    assert b"loaded" in result.records["it"].stderr
    assert b"nobody there" in result.records["it"].stderr


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ("raise RuntimeError('never')", {"error": 2}),
        ("return None", {"missing": 2}),
        ("return 'left'", {"illegal": 2}),
        ("return {}", {"missing": 4}),
        (f"return {IDLE}", {}),
        (f"return {{**{IDLE}, 'Debug': {{(1, 2): float('nan'), 'all': set(range(3))}}}}", {}),
        (f"return {{**{IDLE}, 'Debug': 10 ** 6000}}", {}),
        ("state['board'][0][0] = None; state.clear(); return " + IDLE, {}),
        ("import os; os.write(1, b'garbage'); return " + IDLE, {}),
        ("import sys; sys.exit(3)", {"crash": 2}),
    ],
)
def test_rule_8_bad_bots(body: str, faults: dict[str, int], tmp_path: Path) -> None:
    source = f"class Bad:\n    def __init__(self, a, b, c, d): pass\n    def step(self, state):\n        {body}\n"
    result, replay = match_of(bot_of(tmp_path / "bad", source), tmp_path)
    counted = result.records["it"].faults
    assert (counted if "crash" not in faults else {"crash": 2 * ("crash" in counted)}) == faults
    assert result.scores == {"it": 0.5, "other": 0.5}
    assert verify(GAME, replay, read_settings(GAME, replay.header)) is None


def test_the_class_with_a_step_whatever_its_name(tmp_path: Path) -> None:
    source = f"""
class Map:
    pass

class Base:
    def step(self, state):
        raise NotImplementedError

class Zorro(Base):
    def __init__(self, *anything, **options):
        assert options == {{"print_logs": True}}

    def step(self, state):
        return {IDLE}
"""
    result, _ = match_of(bot_of(tmp_path / "zorro", source), tmp_path)
    assert result.records["it"].faults == {}


@pytest.mark.parametrize("start", ["", "    def __init__(self): ...\n", "    def __init__(self, print_logs): ...\n"])
def test_a_class_that_takes_nothing(start: str, tmp_path: Path) -> None:
    source = f"class Plain:\n{start}    def step(self, state): return {IDLE}\n"
    result, _ = match_of(bot_of(tmp_path / "plain", source), tmp_path)
    assert result.records["it"].faults == {}


def test_a_class_that_takes_something_else(tmp_path: Path) -> None:
    source = "class Odd:\n    def __init__(self, board): ...\n    def step(self, state): ...\n"
    result, _ = match_of(bot_of(tmp_path / "odd", source), tmp_path)
    assert "takes 2 positional arguments but 5 were given" in result.records["it"].fault_reports["crash"].text


@pytest.mark.parametrize(
    "source", ["x = 1", "class A:\n    def step(self, s): ...\nclass B:\n    def step(self, s): ..."]
)
def test_no_class_or_two(source: str, tmp_path: Path) -> None:
    result, _ = match_of(bot_of(tmp_path / "none", source), tmp_path)
    assert "crash" in result.records["it"].faults
    assert b"one class with a method step" in result.records["it"].stderr


def test_own_games_package_comes_first(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    (folder / "games" / "utils").mkdir(parents=True)
    (folder / "games" / "utils" / "Logger.py").write_text("class Logger:\n    mine = True\n")
    source = (
        "from games.utils.Logger import Logger\nassert Logger.mine\n"
        f"class It:\n    def __init__(self, a, b, c, d): pass\n    def step(self, state):\n        return {IDLE}\n"
    )
    result, _ = match_of(bot_of(folder, source), tmp_path)
    assert result.records["it"].faults == {}


def test_every_sample_is_in_the_field_or_needs_more_than_python() -> None:
    assert sorted([*GAME.default_entrants, "latecomer"]) == sample_names("metalman")
    assert len(GAME.default_entrants) >= 7


@pytest.mark.slow
def test_samples_play_without_faults_and_alike_every_time(tmp_path: Path) -> None:
    bots = [load_bot(GAME, find_sample("metalman", name), Interpreters()) for name in GAME.default_entrants]
    for table in (bots[:4], bots[-4:]):
        written = []
        for run in ("one", "two"):
            path = tmp_path / f"{run}.koth.gz"
            result = play(GAME, Settings(map="random", size=11), table, 7, Hosting(replay=path, time_control=PATIENT))
            written.append(path.read_bytes())
            assert [record.faults for record in result.records.values()] == [{}] * 4
        assert written[0] == written[1]
        replay = Replay(path)
        assert verify(GAME, replay, read_settings(GAME, replay.header)) is None


@pytest.mark.needs("node")
def test_the_sample_for_node_plays() -> None:
    bots = [load_bot(GAME, find_sample("metalman", name), Interpreters()) for name in ("latecomer", "random_steps")]
    result = play(GAME, Settings(map="random", size=11), bots, 3, Hosting(time_control=PATIENT))
    assert result.records["latecomer"].faults == {}
    assert result.scores["latecomer"] == 1.0


def test_samples_beat_random_steps() -> None:
    bots = {name: load_bot(GAME, find_sample("metalman", name), Interpreters()) for name in GAME.default_entrants}
    for seed, name in enumerate(name for name in GAME.default_entrants if name != "random_steps"):
        result = play(
            GAME, Settings(map="arena"), [bots[name], bots["random_steps"]], seed, Hosting(time_control=PATIENT)
        )
        assert result.scores[name] > result.scores["random_steps"], name


def test_the_first_bot_beats_random_steps(tmp_path: Path) -> None:
    new("metalman", tmp_path / "first", "python")
    bot = load_bot(GAME, tmp_path / "first", Interpreters(), "first")
    other = load_bot(GAME, find_sample("metalman", "random_steps"), Interpreters())
    result = play(GAME, Settings(map="arena"), [bot, other], 5, Hosting(time_control=PATIENT))
    assert result.records["first"].faults == {}
    assert result.scores["first"] == 1.0


@pytest.mark.parametrize(("alive", "moves"), [(False, [[0, 1], [0, 1]]), (True, [])])
def test_the_start_knows_that_a_dead_partner_is_in_nobodys_way(alive: bool, moves: list[list[int]]) -> None:
    """Rule 7, in a corridor: the way to the middle leads over the square where the assassin stands or fell."""
    spec = importlib.util.spec_from_file_location("start", FOLDER / "new" / "bot.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    state = {
        "board": [[0] * 5, [1] * 5, [0] * 5],
        "timer": 9,
        "circles collapsed": 0,
        "spotter location": (1, 0),
        "assasin location": (1, 1),
        "spotter alive": True,
        "assasin alive": alive,
        "spotter direction": [0, 1],
        "assasin direction": [0, 1],
    }
    bot = module.Bot((1, 0), (1, 1), [0, 1], [0, 1])
    assert bot.step(state)["Spotter"]["moves"] == moves


def test_what_bots_import_needs_the_standard_library_only() -> None:
    adapter = FOLDER.parents[1] / "adapter"
    code = (
        f"import sys; sys.path[:1] = ['', {str(adapter)!r}]; import bot_adapter\n"
        f"bot_adapter.load_adapter('koth.games.metalman', {str(FOLDER)!r}); import koth.games.metalman.atlas\n"
        "print([m for m in ('numpy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


FOLDER = find_sample("metalman", "hunter").parent.parent


def test_atlas_remembers_and_forgets_what_collapsed() -> None:
    atlas = Atlas()
    unseen = [[-1] * 5 for _ in range(5)]
    state = {"board": [row[:] for row in unseen], "timer": 1, "circles collapsed": 0}
    state["board"][0][0:3] = [1, 1, 0]
    state["board"][1][1] = {"playerId": 2, "type": "assasin", "direction": [0, 1], "square": 2}
    atlas.look(state)
    assert atlas.terrain((1, 1)) == 2
    assert atlas.enemies[0].place == (1, 1)
    assert atlas.rounds_left((0, 0)) == 1
    assert atlas.rounds_left((1, 1)) == 6
    assert list(atlas.reach((0, 0), 4)) == [(0, 0), (0, 1), (1, 1)]
    assert atlas.reach((0, 0), 4)[1, 1] == [[0, 1], [1, 0]]
    assert atlas.prey((0, 0), 4) == (1, 1)
    assert atlas.threatened() == {(0, 0), (0, 1), (1, 1)}
    atlas.look({"board": unseen, "timer": 5, "circles collapsed": 1})
    assert atlas.terrain((0, 0)) == 0
    assert atlas.terrain((1, 1)) == 2
    assert atlas.enemies == []


def test_budgets_and_tables() -> None:
    assert (GAME.time_control.start, GAME.time_control.question) == (10, 1)
    assert (GAME.contest_defaults.matches, GAME.contest_defaults.aggregate, GAME.contest_defaults.seats) == (
        24,
        "mean",
        4,
    )
