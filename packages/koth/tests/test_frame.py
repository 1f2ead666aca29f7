"""Frames through the eyes of a seat: what persons are sent (Python), and what viewers of replays see (eyes.js)."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.frame import NOWHERE, FrameSpec, Units, apply_fog, visible_squares
from koth.games import GAMES, load
from koth.testing import RandomAnswers
from koth.viewer.server import static_files
from tests.trials import trial

FRAME = {
    "side": 4, "x": [0, 3, 2], "y": [0, 1, 2], "seat": [0, 1, 1], "hp": [5, 6, 7], "reach": [1, 0, -1],
    "food": [1] * 16, "fights": [[0, 1], [1, 2], [2, -1]], "mines": [{"seat": 0}, {"seat": 1}],
    "bullets": [{"x": 1, "y": 3}, {"x": 2, "y": 2}], "score": [1, 2],
}  # fmt: skip
SPEC = FrameSpec(
    wraps=True,
    units=[Units("x", "y", ["hp", "reach"], links=["fights"], seat="seat", reach="reach")],
    squares={"food": 0},
    things=["bullets"],
    own=["mines"],
)
CARDS = FrameSpec(own=["mines"])


def test_a_unit_sees_the_squares_within_its_reach() -> None:
    seen = visible_squares(SPEC, FRAME, 0)
    assert seen.astype(int).tolist() == [[1, 1, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 0, 1]]
    walled = visible_squares(replace(SPEC, wraps=False), FRAME, 0)
    assert walled.astype(int).tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert visible_squares(SPEC, FRAME, 1).sum() == visible_squares(SPEC, FRAME, 1, 1).sum() == 1
    assert visible_squares(SPEC, FRAME, 1, 2).sum() == 0


def test_a_seat_is_sent_what_it_sees() -> None:
    known = {key: np.asarray(value).tolist() for key, value in apply_fog(SPEC, FRAME, 0).items()}
    assert known["x"] == [0, 3, NOWHERE]
    assert known["hp"] == [5, 6, 0]
    assert known["fights"] == [[0, 1]]
    assert known["food"] == [1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1]
    assert known["bullets"] == [{"x": 1, "y": 3}]
    assert known["mines"] == [{"seat": 0}]
    assert known["score"] == [1, 2]


def test_without_sight_only_things_of_others_are_hidden() -> None:
    """As in a card game, which has no board."""
    assert apply_fog(FrameSpec(squares={"food": 0}), FRAME, 0) == FRAME
    assert apply_fog(CARDS, FRAME, 1) == FRAME | {"mines": [{"seat": 1}]}


THROUGH = """
import {readFileSync} from "node:fs";
import {seeThrough} from "./eyes.js";
const {spec, frames, seats} = JSON.parse(readFileSync(0, "utf8"));
const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
console.log(JSON.stringify(frames.map((frame) => seats.map((team) => {
  const {frame: known, seen} = seeThrough({spec}, team, frame, null);
  return [known, seen];
})), plain));
"""


def seen_through(spec: FrameSpec, frames: list[dict[str, Any]], folder: Path) -> Any:
    """Return, by frame and for seats 0 to 2, what eyes.js leaves of a frame, and the squares that are seen."""
    for script in ("eyes.js", "grid.js"):
        shutil.copy(static_files()[script], folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "through.js").write_text(THROUGH)
    given = json.dumps({"spec": spec.as_json(), "frames": frames, "seats": [0, 1, 2]})
    done = subprocess.run(["node", "through.js"], cwd=folder, input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", GAMES)
def test_viewers_and_persons_see_the_same(name: str, tmp_path: Path) -> None:
    game, settings = load(name), trial(name).settings
    spec = replace(game.frame_spec, ground={})  # viewers know it
    batch, policy, frames = Batch(game, settings, 3, [4]), RandomAnswers([4], 3), []
    while batch.observations is not None and batch.turn < 9:
        frames.append(plain(game.frame(settings, batch.state, 0)))
        batch.answer(policy(batch.observations))
    for frame, seen_by in zip(frames, seen_through(spec, frames, tmp_path), strict=True):
        for seat, (known, seen) in enumerate(seen_by):
            assert known == plain(apply_fog(spec, frame, seat))
            assert seen == visible_squares(spec, frame, seat).ravel().astype(int).tolist()


@pytest.mark.needs("node")
def test_viewers_hide_the_hands_of_others_without_a_board(tmp_path: Path) -> None:
    (seen_by,) = seen_through(CARDS, [FRAME], tmp_path)
    assert seen_by == [[apply_fog(CARDS, FRAME, seat), None] for seat in range(3)]


def plain(frame: dict[str, Any]) -> dict[str, Any]:
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in frame.items()}
