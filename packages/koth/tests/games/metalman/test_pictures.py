"""The pictures of a round: letters for the terminal, and draw.js, run by Node over real frames."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.games.metalman import GAME, glyphs
from koth.viewer.server import static_files
from tests.games.metalman.boards import board, play, settings_for

START = """
    timer 1
    seats 3
    S0> F   F   F   F
    F   W   O   F   F
    A0> F   S1< F   F
    F   F   A1v F   F
    F   F   F   F   S2<
    """
ROUND = {0: ("v", ">>"), 1: ("", "^>")}

SCRIPT = """
import * as game from MODULE;
import {readFileSync} from "node:fs";
import {gridOf, withTools} from "./grid.mjs";
const {previous, frame, match} = JSON.parse(readFileSync(0, "utf8"));
withTools(match);
const arrays = ["row", "column", "facing", "living", "terrain", "seen", "trail"];
for (const f of [previous, frame]) for (const key of arrays) f[key] = Int32Array.from(f[key]);
let calls = 0;
const bad = [];
const check = (...values) => bad.push(...values.filter((v) => typeof v === "number" && !Number.isFinite(v)));
const ctx = new Proxy({}, {
  get: () => (...values) => { calls++; check(...values); },
  set: (_, key, value) => { if (value === undefined || Number.isNaN(value)) bad.push(key); return true; },
});
const stamps = [];
const scene = {
  match, frame, theme: {dark: true, paper: "p", ink: "i", soft: "s", faint: "f", accent: "a", danger: "d"},
  colors: ["red", "green", "blue"], size: 20, visible: {left: 0, top: 0, right: frame.columns, bottom: frame.rows},
  focus: null, glide: (x, y) => [x, y], layer: (key, paint) => paint(ctx),
  sprite: (key, paint) => { paint(ctx); return key; }, paintPattern: () => {}, along: (path) => path.at(-1),
  stamp: (sprite, x, y) => { check(x, y); stamps.push([sprite, x, y]); },
};
scene.grid = gridOf(game.board(match, frame));
game.draw(ctx, {...scene, previous: null, progress: 1});
for (const progress of [0, 0.2, 0.5, 0.9, 1]) { stamps.length = 0; game.draw(ctx, {...scene, previous, progress}); }
for (const {paint} of game.legend(match)) paint(ctx, {colors: scene.colors, theme: scene.theme});
console.log(JSON.stringify({
  bad, drew: calls > 100, stamps, board: game.board(match, frame), series: game.series(frame, match),
  actors: game.actors(frame, match), about: game.about(frame, 1, match),
  caption: game.caption(frame, match, null),
}));
"""


def plain(frame: dict[str, Any]) -> dict[str, Any]:
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in frame.items()}


@pytest.mark.needs("node")
def test_draw_js(tmp_path: Path) -> None:
    settings = settings_for(START)
    frames = [plain(GAME.frame(settings, state, 0)) for state in (board(START), play(START, ROUND))]
    module = Path(glyphs.__file__).with_name("draw.js")
    (tmp_path / "draw.mjs").write_text(module.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "grid.mjs").write_text(static_files()["grid.js"].read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(SCRIPT.replace("MODULE", '"./draw.mjs"'), encoding="utf-8")
    match = {"seed": 1, "spec": GAME.frame_spec.as_json(), "bots": [{"name": name} for name in ("ann", "ben", "cy")]}
    given = json.dumps({"previous": frames[0], "frame": frames[1], "match": match})
    done = subprocess.run(["node", tmp_path / "run.mjs"], input=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["bad"] == []
    assert told["drew"]
    assert told["board"] == {"width": 5, "height": 5, "wraps": False, "reach": 4}
    assert told["actors"] == [{"id": 1, "x": 2, "y": 2, "team": 0}, {"id": 3, "x": 3, "y": 2, "team": 1}]
    assert told["about"]["title"] == "ann, assassin"
    assert told["caption"] == "collapse in 5 rounds"
    assert ["piece 1 0 1", 2, 2] in told["stamps"]


def test_letters() -> None:
    frame = GAME.frame(settings_for(START), play(START, ROUND), 0)
    width, height, found = glyphs.glyphs(frame, {})
    picture = [["."] * width for _ in range(height)]
    for x, y, letter, _ in found:
        picture[y][x] = letter
    assert ["".join(row) for row in picture] == ["×××××", "×█^·×", "×.▶▼×", "×.··×", "×××××"]
    assert (2, 2, "▶", 0) in found
