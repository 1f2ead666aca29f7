"""A policy in ONNX that becomes a bot does as a bot, in a sandbox, what it does in arrays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper

import koth
import koth_learn
from koth.cli import cli
from koth.contest.preflight import build, start_once
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import key_of
from koth.errors import KothError
from koth.game import TimeControl, state_hash
from koth.games import GAMES
from koth.match import Hosting, play
from koth.replay.reader import Replay
from koth_learn import Environment, export
from koth_learn.model import Model
from tests.learn.onnx_models import linear, model
from tests.learn.small import SMALL, small
from tests.sandbox.zoo import isolation

PATIENT = TimeControl(start=120, question=120, first=120, lateness=10_000)


def in_arrays(env: Environment, models: list[Model], seed: int) -> list[str]:
    """Return the hashes of all turns of a match in which each seat is played by one of these."""
    hashes: list[str] = []
    env.shaping = lambda state, _: hashes.append(state_hash(env.game, state, 0))
    observations, infos = env.reset([seed])
    ended = False
    while not ended:
        actions = np.zeros((1, env.agents, len(env.choices)), np.int64)
        for seat, policy in enumerate(models):
            own = infos["asked"][0] & (env.units.seat == seat)
            if own.any():
                shown = {name: array[0, own] for name, array in observations.items()}
                actions[0, own] = policy(shown, infos["mask"][0, own])
        observations, _, _, _, infos = env.step(actions.reshape(env.action_shape))
        ended = bool(infos["ended"][0])
    return hashes


@pytest.mark.parametrize("name", GAMES)
def test_bots_play_the_match_that_their_policies_play(name: str, tmp_path: Path) -> None:
    """Every turn of it, by the state's hashes that the replay holds; seat 0 samples, by the bot's own seed."""
    env = small(name, 1)
    kept = isolation("strong")
    files = [linear(env, seed) for seed in range(env.seats)]
    folders = [export(data, tmp_path / f"bot{seat}", env, sample=seat == 0) for seat, data in enumerate(files)]
    loaded = [load_bot(env.game, folder, Interpreters()) for folder in folders]
    bots = [build(bot, tmp_path / "built", kept)[0] for bot in loaded]
    file = tmp_path / "match.koth.gz"
    result = play(env.game, env.settings, bots, 5, Hosting(replay=file, time_control=PATIENT, isolation=kept))
    assert not any(record.faults for record in result.records.values())
    recorded = [moment.hash for moment in Replay(file).turns(frames=False) if moment.turn]
    models = [Model(data, env.spec) for data in files]
    models[0] = Model(files[0], env.spec, np.random.default_rng(key_of(5).bot(1, 0)))
    assert in_arrays(env, models, 5) == recorded
    assert len(recorded) > 3


def test_an_exported_policy_passes_check(tmp_path: Path) -> None:
    """One made for four seats is checked alone, too: there it is shown the same shapes."""
    env = small("pacman", 1, seats=4)
    folder = export(linear(env), tmp_path / "net", env)
    assert "seats" not in (folder / "koth.toml").read_text()
    done = CliRunner().invoke(cli, ["check", str(folder), "--game", "pacman", "--max-turns", "3"])
    assert done.exit_code == 0, done.output
    assert "ready to play" in done.output


HELLO = b'{"facts": {}, "questions": []}'
OTHER_SEATS = 3
"""Seats for which the policy of the next test is made."""


@pytest.fixture
def for_three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a bot whose observations have a row for each seat: as its question declares them, not as planes."""
    monkeypatch.setattr("koth_learn.encodings.find_module", lambda game, name: None)
    env = small("metalman", 1, seats=OTHER_SEATS)
    return export(linear(env), tmp_path / "net", env)


def test_a_policy_of_other_seats_is_refused_before_the_first_match(
    for_three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = small("metalman", 1).game
    assert f"seats = [{OTHER_SEATS}]" in (for_three / "koth.toml").read_text()
    bot = load_bot(game, for_three, Interpreters())
    settings = next(iter(game.rulesets.values()))
    assert not start_once(game, settings, [bot], PATIENT, seats=OTHER_SEATS)
    (broken,) = start_once(game, settings, [bot, bot], PATIENT)
    assert "it plays in matches of 3 seats (its koth.toml says so), and these have" in broken.reason
    assert broken.reason.endswith("--seats 3")
    with pytest.raises(KothError, match="and these have 2 seats"):
        koth.play_match("metalman", [for_three, "@hunter"])
    check = ["check", str(for_three), "--game", "metalman", "--max-turns", "3"]
    done = CliRunner().invoke(cli, check)
    assert done.exit_code == 0, done.output
    samples = small("metalman", 1).game.default_entrants
    monkeypatch.setattr(type(small("metalman", 1).game), "default_entrants", samples[:1])
    done = CliRunner().invoke(cli, check)
    assert f"turns against {samples[0]}, {samples[0]}_2" in done.output, "a sample plays twice where there is one"
    done = CliRunner().invoke(cli, [*check, "--against", "@hunter"])
    assert isinstance(done.exception, KothError)
    assert "seats = [3]: name 2 rivals, not 1" in str(done.exception)


def test_a_match_of_other_shapes_is_refused_by_the_bot(tmp_path: Path) -> None:
    """Where no manifest tells: by settings that change what may be chosen."""
    env = small("zombies", 1)
    folder = export(linear(env), tmp_path / "net", env)
    bot = load_bot(env.game, folder, Interpreters())
    settings = {**SMALL["zombies"]["settings"], "shoot_range": 3}
    other = small("zombies", 1, settings=settings)
    rival = load_bot(env.game, folder, Interpreters(), "rival")
    result = play(env.game, other.settings, [bot, rival], 5, Hosting(time_control=PATIENT))
    assert "made for another match" in str(result.records)


def test_a_bot_without_onnxruntime_says_so(tmp_path: Path) -> None:
    env = small("pacman", 1)
    folder = export(linear(env), tmp_path / "net", env)
    (folder / "lib" / "onnxruntime.py").write_text("raise ImportError('none here')")
    frame = len(HELLO).to_bytes(4, "little") + bytes(12) + HELLO
    done = subprocess.run([sys.executable, "main.py"], cwd=folder, input=frame, capture_output=True, check=False)
    assert b"pip install onnxruntime" in done.stdout


def wrong(env: Environment) -> dict[str, Any]:
    """Return what is not a policy of Pac-Man's, by what is told of it."""
    fields = {name: field.shape for name, field in env.encoding.observations.items()}
    same, planes = helper.make_node, fields["planes"]
    flat = [same("Flatten", ["planes"], ["flat"], axis=1)]
    double = [same("Cast", ["mask"], ["logits"], to=TensorProto.FLOAT), same("Identity", ["logits"], ["other"])]
    return {
        "onnxruntime can't load it": b"no model",
        "must be of any length": linear(env, rows=1),
        r"'plains' is not an observation; did you mean planes\?": model(
            [same("Flatten", ["plains"], ["logits"], axis=1)], {"plains": (5,)}, {"logits": (5,)}, {}
        ),
        r"its input planes has the shape \['rows', 3\]; it must be \[rows, 10, 11, 11\]": model(
            [same("Identity", ["planes"], ["logits"])], {"planes": (3,)}, {"logits": (3,)}, {}
        ),
        r"its logits are float32\[1, 1210\], not float\[1, 5\]: a column for each choice": model(
            [*flat, same("Identity", ["flat"], ["logits"])], {"planes": planes}, {"logits": (1210,)}, {}
        ),
        "name the policy's output logits or actions": model(
            [same("Identity", ["mask"], ["one"]), same("Identity", ["mask"], ["two"])],
            {"mask": (5,)}, {"one": (5,), "two": (5,)}, {},
        ),
        r"its actions have the shape \[1, 5\], not \[1, 1\]": model(
            [same("Cast", ["mask"], ["actions"], to=TensorProto.INT64)],
            {"mask": (5,)}, {"actions": (5,)}, {}, said=TensorProto.INT64,
        ),
        "fine": model(double, {"mask": (5,)}, {"logits": (5,), "other": (5,)}, {}, dtype=TensorProto.BOOL),
    }  # fmt: skip


def test_what_cannot_be_exported_is_said_in_a_line(tmp_path: Path) -> None:
    env = small("pacman")
    for number, (words, data) in enumerate(wrong(env).items()):
        if words == "fine":
            assert export(data, tmp_path / "fine", env).is_dir()
            continue
        with pytest.raises(KothError, match=words) as told:
            export(data, tmp_path / f"bot{number}", env)
        assert "\n" not in str(told.value)
        assert not (tmp_path / f"bot{number}").exists()
    with pytest.raises(KothError, match="exists already"):
        export(linear(env), tmp_path / "fine", env)
    with pytest.raises(KothError, match=r"nowhere\.onnx: No such file"):
        export(tmp_path / "nowhere.onnx", tmp_path / "new", env)
    with pytest.raises(KothError, match=r"takes an environment of koth_learn, not a int"):
        export(linear(env), tmp_path / "new", 3)


def test_adapters_are_environments_enough(tmp_path: Path) -> None:
    zoo = koth_learn.parallel_env("pacman", **SMALL["pacman"])
    assert export(linear(zoo.native), tmp_path / "bot", zoo).is_dir()
    wrapped = gymnasium.make("koth_learn.gym:koth/pacman-v0", seats=1)
    assert export(linear(zoo.native), tmp_path / "wrapped", wrapped).is_dir()


def test_logits_are_taken_where_it_is_possible() -> None:
    """The best of what may be done, of each action its own."""
    env = small("metalman")
    policy = Model(linear(env), env.spec)
    random = np.random.default_rng(1)
    shown = {
        name: random.integers(0, 2, (50, *field.shape)).astype(field.dtype)
        for name, field in env.encoding.observations.items()
    }
    mask = random.random((50, 40)) < 0.4
    mask[:, ::5] = True
    actions = policy(shown, mask)
    for k in range(8):
        assert mask[np.arange(50), 5 * k + actions[:, k]].all()
    free = policy(shown, np.ones_like(mask))
    assert (free != actions).any()


def test_a_policy_samples_possible_choices_by_the_probabilities_of_its_logits(tmp_path: Path) -> None:
    env = small("pacman")
    nodes = [helper.make_node("Mul", ["mask", "weights"], ["logits"])]
    shapes: Any = {"mask": (5,)}, {"logits": (5,)}
    data = model(nodes, *shapes, {"weights": np.log([1, 2, 3, 4, 5]).astype(np.float32)})
    mask = np.tile([True, True, False, True, True], (6000, 1))
    first, again = (Model(data, env.spec, np.random.default_rng(1))({}, mask) for _ in range(2))
    shares = np.bincount(first[:, 0], minlength=5) / len(mask)
    assert shares == pytest.approx(np.array([1, 2, 0, 4, 5]) / 12, abs=0.02)
    assert shares[2] == 0
    assert (first == again).all()
    whole = model(
        [helper.make_node("ArgMax", ["mask"], ["actions"], axis=1)],
        {"mask": (5,)}, {"actions": (1,)}, {}, said=TensorProto.INT64,
    )  # fmt: skip
    with pytest.raises(KothError, match="its actions are whole numbers: sample=True is for logits"):
        export(whole, tmp_path / "bot", env, sample=True)
