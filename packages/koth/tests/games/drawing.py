"""draw.js of a game, run by Node over two real frames of a match."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from koth.game import Game
from koth.games import home
from koth.viewer.server import static_files

SCRIPT = """
import * as game from "./draw.mjs";
import {readFileSync} from "node:fs";
import {gridOf, withTools} from "./grid.mjs";
const {frames, arrays, units, match} = JSON.parse(readFileSync(0, "utf8"));
withTools(match);
for (const f of frames) for (const key of arrays) f[key] = Int32Array.from(f[key]);
const [previous, frame] = frames;
let calls = 0;
const bad = [];
const check = (...values) => bad.push(...values.filter((v) => typeof v === "number" && !Number.isFinite(v)));
const ctx = new Proxy({}, {
  get: () => (...values) => { calls++; check(...values); return {addColorStop: () => calls++}; },
  set: (_, key, value) => { if (value === undefined || Number.isNaN(value)) bad.push(key); return true; },
});
const stamps = [], crowds = [];
const theme = {dark: true, paper: "p", ink: "i", soft: "s", faint: "f", accent: "a", danger: "d"};
const colors = ["red", "green", "blue", "c3", "c4", "c5", "c6"];
const board = game.board(match, frame);
const scene = {
  match, theme, colors, frame, size: 20, visible: {left: 0, top: 0, right: board.width, bottom: board.height},
  focus: null, glide: (x, y) => [x, y], layer: (key, paint) => paint(ctx), paintPattern: () => {},
  sprite: (key, paint) => { paint(ctx); return key; }, along: (path) => path.at(-1), once: (key, make) => make(),
  stamp: (sprite, x, y) => { check(x, y); stamps.push([sprite, x, y]); },
  crowd: (sprites, which) => crowds.push(Array.from(which, (sprite) => sprites[sprite] ?? null)),
};
scene.grid = gridOf(board);
game.draw(ctx, {...scene, previous: null, progress: 1});
for (const progress of [0, 0.2, 0.5, 0.9, 1]) { stamps.length = 0; game.draw(ctx, {...scene, previous, progress}); }
for (const {paint} of game.legend(match)) paint(ctx, {colors, theme});
console.log(JSON.stringify({
  bad, calls, stamps, crowds, board, series: game.series(frame, match), others: game.others?.(match),
  actors: game.actors(frame, match), about: units.map((unit) => game.about(frame, unit, match)),
  caption: game.caption(frame, match, null),
}));
"""


def draw(
    game: Game, frames: Sequence[dict[str, Any]], match: Mapping[str, Any], units: Sequence[int], folder: Path
) -> dict[str, Any]:
    """What draw.js makes on the way from the first frame to the second, and what it says about these units."""
    sources = {"draw": home(game.name).folder / "draw.js", "grid": static_files()["grid.js"]}
    for name, source in sources.items():
        (folder / f"{name}.mjs").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "run.mjs").write_text(SCRIPT, encoding="utf-8")
    request = {
        "frames": frames,
        "arrays": [key for key, value in frames[0].items() if isinstance(value, np.ndarray)],
        "units": units,
        "match": {"seed": 1, "spec": game.frame_spec.as_json(), **match},
    }
    text = json.dumps(request, default=np.ndarray.tolist)
    done = subprocess.run(["node", folder / "run.mjs"], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    assert made["bad"] == []
    return made


def letters_on_board(width: int, height: int, letters: Sequence[tuple[int, int, str, Any]]) -> list[str]:
    """The board of `glyphs`, row by row."""
    rows = [["."] * width for _ in range(height)]
    for x, y, letter, _ in letters:
        rows[y][x] = letter
    return ["".join(row) for row in rows]
