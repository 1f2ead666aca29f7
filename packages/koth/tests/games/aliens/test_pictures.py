"""The pictures of a round: letters for the terminal, and draw.js, run by Node over real frames."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.games.aliens import GAME, glyphs
from koth.viewer.server import static_files
from tests.games.aliens.boards import SMALL, Planet

START = """
    A0+B0 .     .     w0    .
    .     .     .     t0    .
    .     A1    .     .     .
    .     B1+B2 .     .     .
    .     .     .     .     c0
    A0 900hp 9 99 1 1 1
    B0 9hp 60 30 9 9 9
    A1 10hp 1 1 1 5 1
    B1 1hp 1 1 1 1 1
    B2 1hp 1 1 1 1 1
    """

SCRIPT = """
import * as game from MODULE;
import {readFileSync} from "node:fs";
import {gridOf, withTools} from "./grid.mjs";
const {previous, frame, match} = JSON.parse(readFileSync(0, "utf8"));
withTools(match);
const abilities = ["life", "strength", "defense", "vision", "cleverness", "sight"];
const arrays = ["species", "x", "y", "hp", "total", ...abilities];
for (const f of [previous, frame]) for (const key of arrays) f[key] = Int32Array.from(f[key]);
let calls = 0;
const bad = [];
const check = (...values) => bad.push(...values.filter((v) => typeof v === "number" && !Number.isFinite(v)));
const ctx = new Proxy({}, {
  get: () => (...values) => { calls++; check(...values); return {addColorStop: () => calls++}; },
  set: (_, key, value) => { if (value === undefined || Number.isNaN(value)) bad.push(key); return true; },
});
const crowds = [];
const theme = {dark: true, paper: "p", ink: "i", soft: "s", faint: "f", accent: "a", danger: "d"};
const colors = ["red", "green", "c1", "c2", "c3", "c4", "c5"];
const scene = {
  match, theme, colors, frame, size: 20, visible: {left: 0, top: 0, right: 5, bottom: 5}, focus: null,
  glide: (x, y) => [x, y], layer: (key, paint) => paint(ctx), stamp: check,
  sprite: (key, paint) => { paint(ctx); return key; }, paintPattern: () => {}, once: (key, make) => make(),
  crowd: (sprites, which) => crowds.push(Array.from(which, (sprite) => sprites[sprite] ?? null)),
};
scene.grid = gridOf(game.board(match, frame));
game.draw(ctx, {...scene, previous: null, progress: 1});
for (const progress of [0, 0.2, 0.5, 0.9, 1]) game.draw(ctx, {...scene, previous, progress});
for (const {paint} of game.legend(match)) paint(ctx, {colors, theme});
console.log(JSON.stringify({
  bad, calls, first: crowds[1], last: crowds.at(-1), board: game.board(match, frame),
  series: game.series(frame, match), others: game.others(match),
  actors: game.actors(frame, match), about: game.about(frame, 0, match),
  dead: game.about(frame, 4, match), prey: game.about(frame, 8, match),
  caption: game.caption(frame, match, null),
}));
"""


def frames() -> list[dict[str, Any]]:
    """Before and after a round in which A0 kills B0, and two of B most likely each other."""
    planet = Planet(START, fights={"A0": True, "B1": True}, seed=2)
    found = [GAME.frame(SMALL, planet.state, 0)]
    found[0] = {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in found[0].items()}
    planet.play()
    return [*found, GAME.frame(SMALL, planet.state, 0)]


def plain(turn: int, frame: dict[str, Any]) -> dict[str, Any]:
    arrays = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in frame.items()}
    return {**arrays, "turn": turn}


def hit_points(frame: dict[str, Any]) -> list[int]:
    """The hit points of all living aliens, by species."""
    sums = [0] * len(frame["score"])
    for species, hp in zip(plain(0, frame)["species"], plain(0, frame)["hp"], strict=True):
        sums[species] += max(hp, 0)
    return sums


@pytest.mark.needs("node")
def test_draw_js(tmp_path: Path) -> None:
    before, after = frames()
    module = Path(glyphs.__file__).with_name("draw.js")
    (tmp_path / "draw.mjs").write_text(module.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "grid.mjs").write_text(static_files()["grid.js"].read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(SCRIPT.replace("MODULE", '"./draw.mjs"'), encoding="utf-8")
    match_info = GAME.match_info(SMALL, Planet(START).state, 0, 0)
    match = {
        "seed": 1,
        "spec": GAME.frame_spec.as_json(),
        "bots": [{"name": "ann"}, {"name": "ben"}],
        "facts": match_info,
    }
    given = json.dumps({"previous": plain(30, before), "frame": plain(31, after), "match": match})
    done = subprocess.run(["node", tmp_path / "run.mjs"], input=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["bad"] == []
    assert told["calls"] > 300
    assert told["board"] == {"width": 5, "height": 5, "wraps": True, "reach": 1}
    assert told["others"] == ["Whale", "Cow", "Turtle", "Eagle", "Human"]
    assert told["series"].pop("hit points") == hit_points(after)
    assert told["series"] == {"total ability": after["score"], "alive": after["alive"]}
    assert told["first"][:2] == ["0 at 5", "0 at 0"]  # a great one and a small one
    assert told["first"][4] == "1 at 5"  # who dies in this round is seen until it meets its enemy
    assert told["last"][4] is None
    assert told["actors"][-1] == {"id": 0, "x": 0, "y": 0, "team": 0}
    assert told["about"]["title"] == "ann #0"
    assert ["fought", "ben"] in told["about"]["rows"]
    assert ["strength", 105] in told["about"]["rows"]
    assert told["dead"] == {
        "title": "ben #0",
        "rows": [["HP", "dead"], ["life", 60], ["strength", 30], ["defense", 9], ["vision", 9], ["cleverness", 9],
                 ["fought", "ann"]],
    }  # fmt: skip
    assert told["prey"]["title"] == "Whale #0"
    assert told["caption"].endswith("alive, 2 fights")


def test_letters() -> None:
    frame, _ = frames()
    width, height, found = glyphs.glyphs(frame, {})
    picture = [["."] * width for _ in range(height)]
    for x, y, letter, _ in found:
        picture[y][x] = letter
    assert ["".join(row) for row in picture] == ["B..w.", "...t.", ".A...", ".B...", "....c"]
    assert (1, 2, "A", 0) in found
    assert (3, 0, "w", "dim") in found
