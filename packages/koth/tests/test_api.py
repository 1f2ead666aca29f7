"""koth from Python: contests, matches, comparisons and checks by `import koth`. This file is a user's script, too."""

from __future__ import annotations

import random
import subprocess
import sys
from functools import partial
from inspect import signature
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import koth
from koth import api
from koth.cli import cli
from koth.contest.results import Results
from koth.replay.reader import Replay
from koth.services.observer import Observer
from koth.session.local import FunctionBot
from tests.cli.program import Koth

PLAYERS = {"players": 4, "vision": 2, "shoot_range": 2, "density": 0.02}
SHORT = ["--set", "players=4", "--set", "vision=2", "--set", "shoot_range=2", "--set", "density=0.02"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def koth_command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Koth:
    return Koth(monkeypatch, capfd)


def north(obs: Any) -> str:
    """A bot that always moves north."""
    return "N"


class Walker:
    """A bot that moves at random."""

    def __init__(self, info: Any) -> None:
        self.names = info.names

    def act(self, obs: Any) -> dict[str, str]:
        assert len(self.names) == 3
        return {"move": random.choice("NESW")}


def raising(obs: Any) -> str:
    raise ValueError("no idea")


class Broken:
    """A bot that can't be made."""

    def __init__(self) -> None:
        raise ValueError("no start")

    def act(self, obs: Any) -> str:
        return "N"


def test_functions_and_classes_play_a_contest() -> None:
    bots: koth.Entries = {"idea": north, "forager": "@forager", "walker": Walker}
    run = koth.run("pacman", bots, matches=3, seed=7, max_turns=20, progress=False)
    assert (run.game, run.seed, run.bots, run.missing, len(run.matches)) == ("pacman", 7, tuple(bots), 0, 3)
    assert [line.bot for line in run.standings] == [row["bot"] for row in run.standings.rows]
    assert run.standings["forager"].score == sum(match.scores["forager"] for match in run.matches)
    assert "forager" in str(run)
    assert "<td>forager</td>" in run._repr_html_()
    assert run._repr_html_().count("<polyline") == 3
    assert run.curves.rows[-1] == {"match": 3, **{line.bot: line.score for line in run.standings}}
    assert run.matches[0].winners
    again = koth.open_run(run.folder)
    assert str(again) == str(run)
    assert run.standings.title == "pacman (published), 3 matches, a trial of 20 turns each, sum"
    longer = koth.resume(run, {"idea": north, "walker": Walker}, matches=6, progress=False)
    assert len(longer.matches) == 6
    assert longer.matches[:3] == run.matches
    with pytest.raises(koth.KothError, match="idea is a function"):
        koth.resume(run, matches=9, progress=False)
    with pytest.raises(koth.KothError, match="play in this process, not in 2 processes: jobs=1"):
        koth.run("pacman", bots, jobs=2, progress=False)


def choose(obs: Any, n: int = 0) -> str:
    return "NESW"[n]


class Chooser:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __call__(self, obs: Any) -> str:
        return choose(obs, self.n)


def make_class(n: int) -> type:
    class Bot:
        def act(self, obs: Any) -> str:
            return choose(obs, n)

    return Bot


def make_bots(n: Any) -> list[Any]:
    return [partial(choose, n=n), Chooser(n), Chooser(n).__call__, lambda obs, n=n: n, lambda obs: n, make_class(n)]


def test_functions_are_the_same_bot_if_their_code_and_values_are_equal() -> None:
    def digests(n: Any) -> list[str]:
        return [FunctionBot.of("a", code).digest for code in make_bots(n)]

    given = [*digests(1), *digests(2), *digests(np.arange(3)), *digests(np.arange(4))]
    assert len({*given}) == len(given)
    assert given[:6] == digests(1)
    assert given[-6:] == digests(np.arange(4))
    unreadable = (i for i in range(3))
    assert len({*digests(unreadable), *digests(unreadable)}) == 12
    later = lambda obs: unset  # noqa: E731  (a closure whose variable has no value yet)
    assert FunctionBot.of("a", later).digest != FunctionBot.of("a", later).digest
    unset = 0
    assert FunctionBot.of("a", later).digest == FunctionBot.of("a", later).digest
    one, other = lambda obs: "N", lambda obs: "S"  # fmt: skip
    assert FunctionBot.of("a", one).digest != FunctionBot.of("a", other).digest
    run = koth.run("pacman", {"p": partial(choose, n=1), "q": north}, matches=2, seed=1, max_turns=2, progress=False)
    assert len(koth.resume(run, {"p": partial(choose, n=1), "q": north}, matches=3, progress=False).matches) == 3
    with pytest.raises(koth.KothError, match="none of the 3 matches played so far counts any more"):
        koth.resume(run, {"p": partial(choose, n=3), "q": north}, matches=4, progress=False)


def test_a_replay_says_which_bots_were_functions(koth_command: Koth) -> None:
    run = koth.run("pacman", {"idea": north, "walker": "@random_walk", "x": Walker}, matches=1, seed=1, max_turns=5)
    header = Replay(run.matches[0].replay).header
    functions = {bot["name"]: bot["hash"].startswith("inline-") for bot in header["bots"]}
    assert functions == {"idea": True, "x": True, "walker": False}
    assert koth_command("verify", run.folder).code == 0
    assert koth.verify(run).ok
    assert koth.export(run, "site").name == "index.html"


def test_a_function_that_fails_has_a_fault_and_the_match_goes_on() -> None:
    bots: koth.Entries = {"raising": raising, "broken": Broken, "none": lambda obs: None, "exit": sys.exit}
    match = koth.play_match("pacman", bots, seed=1, max_turns=4)
    assert match.turns == 4
    assert match.faults["raising"]["error"] > 0
    assert match.faults["broken"] == {"crash": 1}
    assert match.faults["none"]["missing"] > 0
    assert match.faults["exit"]["error"] > 0


def test_ctrl_c_in_a_function_ends_the_match() -> None:
    def interrupted(obs: Any) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        koth.play_match("pacman", {"a": interrupted}, seed=1, max_turns=4)


def test_why_a_function_failed(koth_command: Koth) -> None:
    bots: koth.Entries = {"raising": raising, "half": lambda obs: "\ud800"}
    run = koth.run("pacman", bots, matches=1, seed=1, max_turns=3, progress=False)
    found = koth.why(run, "raising")
    assert "raising: error " in str(found)
    assert "ValueError: no idea (" in str(found)
    assert "half: garbage " in (told := str(koth.why(run, "half")))
    assert "not JSON: it has half a character" in told
    assert "ValueError: no idea" in koth_command("why", run.folder, "raising", "--details").out


def test_random_numbers_of_a_function_follow_from_the_match() -> None:
    def draws(obs: Any) -> str:
        return random.choice("NESW")

    def draws_by_numpy(obs: Any) -> str:
        return "NESW"[np.random.randint(4)]

    before, numpy_before = random.getstate(), str(np.random.get_state())
    one = koth.play_match("pacman", {"a": draws, "b": draws_by_numpy}, seed=3, max_turns=30)
    assert random.getstate() == before
    assert str(np.random.get_state()) == numpy_before
    other = koth.play_match("pacman", {"a": draws, "b": draws_by_numpy}, seed=3, max_turns=30)
    assert Replay(one.replay).digest == Replay(other.replay).digest


def test_a_round_robin_is_complete() -> None:
    bots = dict.fromkeys("abc", north)
    run = koth.run("pacman", bots, round_robin=2, seed=1, max_turns=2, progress=False)
    pairs = [frozenset(name for name in match.scores) for match in run.matches]
    assert len(pairs) == 6
    assert all(pairs.count(pair) == 2 for pair in pairs)
    with pytest.raises(koth.KothError, match="--round-robin plans all matches"):
        koth.run("pacman", bots, round_robin=2, matches=4)


def test_every_door_gives_the_same_result(koth_command: Koth) -> None:
    """The same call gives the same scores and the same texts of replays by the command line and by Python."""
    options = ["--matches", 4, "--seed", 9, "--max-turns", 30, *SHORT]
    assert koth_command("run", "zombies", "@herd", "@gunner", "--out", "typed", *options).code == 0
    bots = ["@herd", "@gunner"]
    run = koth.run("zombies", bots, matches=4, seed=9, max_turns=30, settings=PLAYERS, out="called", progress=False)
    assert koth.open_run("typed").standings.rows == run.standings.rows
    digests = []
    for folder in ("typed", "called"):
        digests.append([row.digest for row in Results(Path(folder)).matches()])
    assert digests[0] == digests[1]


def test_a_script_needs_no_guard_for_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import koth\n"
        "print('once')\n"
        f"run = koth.run('zombies', ['@herd', '@gunner'], matches=3, jobs=2, max_turns=3, settings={PLAYERS}, "
        "progress=lambda p: print(p.done, p.total))\n"
        "print(len(run.matches))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split() == ["once", "1", "3", "2", "3", "3", "3", "3"]


def test_a_notebook_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Bar] = []

    class Bar:
        """Does what IPython's ProgressBar does."""

        def __init__(self, total: int) -> None:
            self.total, self.progress = total, 0

        def display(self) -> None:
            shown.append(self)

    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # what koth sets in a notebook ends with the test
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(ProgressBar=Bar))
    run = koth.run("pacman", {"a": north, "b": north}, matches=3, max_turns=2)
    assert [(bar.total, bar.progress) for bar in shown] == [(3, 3)]
    viewer = run.matches[0].show()
    assert "<iframe" in viewer._repr_html_()


def test_a_comparison_and_a_check() -> None:
    found = koth.compare(
        old="@runner", new="@stand_still", game="zombies", matches=2, settings=PLAYERS, max_turns=5, seed=3
    )
    assert found.verdict == "open"
    assert str(found) == found.text
    assert found.curves.rows[-1].keys() == {"match", *(row["bot"] for row in found.rows)}
    checked = koth.check(bot="@herd", game="zombies", settings=PLAYERS, max_turns=5)
    assert checked.ok
    assert "herd: no fault" in str(checked)


def test_help_lists_the_options() -> None:
    assert [*signature(koth.check).parameters][:2] == ["bot", "ruleset"]
    shown = signature(koth.run).parameters
    assert "options" not in shown
    assert shown["bots"].kind is shown["bots"].POSITIONAL_OR_KEYWORD
    assert (shown["seed"].annotation, shown["max_turns"].default) == ("int | str | None", None)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"matchs": 3}, "there is no option 'matchs'; did you mean matches?"),
        ({"matches": 0}, "matches must be a whole number from 1 to 100,000, not 0"),
        ({"seed": -1}, "seed must be a number from 0 to 2\\*\\*63 - 1, or 32 hex digits, not -1"),
        ({"replays": "some"}, r"replays: 'some' \(there are: all, answers, none\)"),
        ({"start_timeout": 0}, r"start_timeout must be a number from 0\.001 to 600, not 0"),
    ],
)
def test_wrong_options_are_told(options: dict[str, Any], text: str) -> None:
    with pytest.raises(koth.KothError, match=text):
        koth.run("pacman", [north, Walker], **options)


def test_wrong_bots_are_told() -> None:
    with pytest.raises(koth.KothError, match="there is no game 'pacmen'; did you mean pacman"):
        koth.run("pacmen", [north])
    with pytest.raises(koth.KothError, match=r"the class Observer has no method act\(self, obs\)"):
        koth.run("pacman", {"x": Observer})
    with pytest.raises(koth.KothError, match="a bot is a path, @SAMPLE, a function or a class, not int"):
        koth.run("pacman", {"x": 3})  # type: ignore[dict-item]
    with pytest.raises(koth.KothError, match="needs another name"):
        koth.run("pacman", [north, north])
    with pytest.raises(koth.KothError, match="needs another name"):
        koth.run("pacman", {"\ud800": north, "b": north})


def test_names_come_late_and_all_of_them_are_there() -> None:
    assert all(hasattr(koth, name) for name in api.__all__)
    assert not hasattr(koth, "nothing")
    assert cli.commands.keys() >= {"run", "resume", "compare", "check", "verify", "why", "export"}


@pytest.mark.slow
def test_types_refuse_a_wrong_option(tmp_path: Path) -> None:
    """A user's type checker knows the options of a call, also where the first arguments are keywords."""
    script = tmp_path / "script.py"
    script.write_text(
        "import koth\n"
        "koth.run(game='zombies', bots=['@runner'], matches=2, progress=False)\n"
        "koth.compare(old='a', new='b', margin=2)\n"
        "koth.run('zombies', ['@runner'], matchs=2)\n"
        "koth.check('a', max_turn=3)\n"
        "koth.play_match('zombies', ['@runner'], seed='x')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line.partition(":")[2] for line in done.stdout.splitlines() if "error:" in line]
    assert [line.partition(":")[0] for line in errors] == ["4", "5", "6"], done.stdout
    assert ["matches" in errors[0], "max_turns" in errors[1]] == [True, True]
