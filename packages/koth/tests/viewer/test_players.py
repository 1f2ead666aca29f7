"""Every game's `play.js` without a page: whatever it is asked in a match, its answers are without a fault."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import orjson
import pytest

from koth.engine.batch import Batch
from koth.frame import apply_fog
from koth.game import TimeControl, no_answers
from koth.games import home, load
from koth.protocol.bot_protocol import Answer
from koth.session.seats import Seating
from koth.viewer.server import static_files
from tests.trials import PLAYABLE, trial

PLAYER = """
import {readFileSync} from "node:fs";
import {withTools} from "./grid.js";
import {Player, play} from "./play.js";
import {Sight} from "./sight.js";

const [{spec}, {hello}, ...lines] = readFileSync(0, "utf8").trim().split("\\n").map((line) => JSON.parse(line));
const sight = new Sight(withTools({spec, facts: hello}));
const player = new Player(sight);
for (const [, name] of [...play.goal, ...play.lessons ?? []].join(" ").matchAll(/\\{(\\w+)\\}/g))
  if (!(name in hello)) throw new Error(`no bot receives {${name}}`);
const doings = [{go: "N"}, {tap: {x: 1, y: 2}}, {face: "E"}, ...(play.taken ?? []).map((press) => ({press}))];
for (let k = 0; k < lines.length; k += 2) {
  const [{frame}, ask] = [lines[k], lines[k + 1]];
  if (!player.isDecided?.(ask)) sight.see(frame);
  player.see(ask);
  player.act(doings[(k / 2) % doings.length], true);
  const {headline, rows} = player.status();
  if (!headline || !rows.length) throw new Error("nothing is said");
  console.log(JSON.stringify({ask: ask.ask, ...player.answer()}));
}
"""


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", PLAYABLE)
def test_answers_of_a_player_are_right(name: str, tmp_path: Path) -> None:
    scripts = (static_files()[script] for script in ("grid.js", "eyes.js", "sight.js"))
    for file in (home(name).folder / "play.js", *scripts):
        shutil.copy(file, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "player.js").write_text(PLAYER)
    told = list(questions(name))
    lines = b"".join(line for line, _ in told)
    done = subprocess.run(["node", "player.js"], cwd=tmp_path, input=lines, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    answers = done.stdout.splitlines()
    assert len(answers) == len(told) - 1 > 3
    protocol = load(name).protocols["json"](trial(name).settings, 2)
    protocol.hello(json.loads(told[0][0].splitlines()[1])["hello"])
    for answer, (_, observations) in zip(answers, told[1:], strict=True):
        protocol.ask(observations)
        heard = protocol.decode(answer)
        assert isinstance(heard, Answer), (answer, heard)
        assert not heard.fault.any(), heard.errors


def questions(name: str, turns: int = 12) -> Any:
    """Hello and the questions to the first seat of a match in which nobody does anything; each with its rows.

    Before hello stands the meaning of frames, before each question the frame.
    """
    game, settings = load(name), trial(name).settings
    batch = Batch(game, settings, 2, [5])
    match_info = Seating(batch, ["you", "other"], TimeControl()).match_info(0, 7)
    protocol = game.protocols["json"](settings, 2)
    yield orjson.dumps({"spec": game.frame_spec.as_json()}) + b"\n" + protocol.hello(match_info), None
    while batch.observations is not None and batch.turn < turns:
        for seat, observations in batch.observations.of_match(0):
            if seat == 0:
                observation = {key: array.copy() for key, array in observations.fields.items()}
                kept = type(observations)(
                    observations.question,
                    observations.match.copy(),
                    observations.seat.copy(),
                    observations.unit.copy(),
                    observation,
                )
                frame = apply_fog(game.frame_spec, game.frame(settings, batch.state, 0), 0)
                line = orjson.dumps({"frame": frame}, option=orjson.OPT_SERIALIZE_NUMPY)
                yield line + b"\n" + protocol.ask(kept), kept
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))


MISTAKES = """
import {findMisfit} from "./play-shape.js";
const right = {title: "t", goal: ["g"], keys: [[["N"], "a step"]], pace: 0, pad: null, squares: 9, fog: [1, 0]};
const wrong = {goal: "g", keys: [["N", "a step"]], pad: 3, squares: true, fog: 0.5, taken: "N"};
const told = Object.keys(wrong).map((key) => findMisfit({...right, [key]: wrong[key]}));
console.log([findMisfit(undefined), findMisfit(right), ...told].join("\\n"));
"""


@pytest.mark.needs("node")
def test_a_mistake_in_a_games_declaration_is_explained(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(static_files()["play-shape.js"], tmp_path)
    (tmp_path / "mistakes.js").write_text(MISTAKES)
    done = subprocess.run(["node", "mistakes.js"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "it must export an object called play",
        "",
        "play.goal must be a list of sentences",
        'play.keys must be a list such as [[["N", "E"], "a step"], ...]',
        "play.pad must be 4, 8 or null",
        "play.squares must be a number of squares",
        "play.fog must be two numbers from 0 to 1, such as [0.9, 0.4]",
        "play.taken must be a list of keys, or left out",
    ]
