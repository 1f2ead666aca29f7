"""Through a bot's eyes nothing leaks: whatever it can't see may change, and the picture stays as it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from koth.games import load
from tests.viewer.recording import record

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STIRS = {
    "zombies": """(frame, unseen, dice) => {
        const kind = Int32Array.from(frame.kind), x = Int32Array.from(frame.x), y = Int32Array.from(frame.y);
        const seat = Int32Array.from(frame.seat);
        kind.forEach((_, i) => {
            if (!unseen(x[i], y[i]) || (kind[i] === 3 && seat[i] === 0)) return;
            [x[i], y[i]] = dice.square();
            kind[i] = dice.below(3) + 1;
            seat[i] = 1;
        });
        return {...frame, kind, x, y, seat};
    }""",
    "aliens": """(frame, unseen, dice) => {
        const hp = Array.from(frame.hp), x = Int32Array.from(frame.x), y = Int32Array.from(frame.y);
        const total = Int32Array.from(frame.total);
        hp.forEach((_, i) => {
            if (!unseen(x[i], y[i]) || frame.species[i] === 0) return;
            [x[i], y[i]] = dice.square();
            hp[i] = 5;
            total[i] = 15 + dice.below(300);
        });
        const isHidden = (i) => unseen(frame.x[i], frame.y[i]);
        const fights = frame.fights.filter((pair) => !pair.every(isHidden));
        return {...frame, hp, x, y, total, fights};
    }""",
    "pacman": """(frame, unseen, dice, side) => {
        const isHidden = (k) => unseen(k % side, Math.floor(k / side));
        const item = Int32Array.from(frame.item, (was, k) => isHidden(k) ? dice.below(4) : was);
        const ghost_row = Int32Array.from(frame.ghost_row), ghost_col = Int32Array.from(frame.ghost_col);
        ghost_row.forEach((_, g) => {
            if (unseen(ghost_col[g], ghost_row[g])) [ghost_col[g], ghost_row[g]] = dice.square();
        });
        const row = Int32Array.from(frame.row), col = Int32Array.from(frame.col);
        const status = Int32Array.from(frame.status), invincible = Int32Array.from(frame.invincible);
        row.forEach((_, i) => {
            if (i === 0 || !unseen(col[i], row[i])) return;
            [col[i], row[i]] = dice.square();
            status[i] = 1 + dice.below(2);
            invincible[i] = status[i] === 2 ? 20 : 0;
        });
        return {...frame, item, ghost_row, ghost_col, row, col, status, invincible};
    }""",
    "metalman": """(frame, unseen, dice) => {
        const row = Int32Array.from(frame.row), column = Int32Array.from(frame.column);
        const living = Uint8Array.from(frame.living), trail = Int32Array.from(frame.trail);
        const length = trail.length / row.length;
        row.forEach((_, piece) => {
            if (piece < 2 || !unseen(column[piece], row[piece])) return;
            [column[piece], row[piece]] = dice.square();
            living[piece] = 1;
            for (let k = 0; k < length; k++) trail[piece * length + k] = row[piece] * frame.columns + column[piece];
        });
        const seen = Int32Array.from(frame.seen, (bits) => (bits & 1) | (dice.below(8) << 1));
        return {...frame, row, column, living, trail, seen};
    }""",
}
"""Per game: the frame with everything changed that lies where seat 0 does not see."""

ROOM: dict[str, dict[str, Any]] = {"zombies": {"players": 4, "density": 0.005}}
"""Settings with which there is somewhere that seat 0 does not see."""

CHECK = """async ([game, stirred]) => {
    const {Replay} = await import("/static/replay.js");
    const {Stage} = await import("/static/stage.js");
    const {through} = await import("/static/eyes.js");
    const {teamColors, themeOf} = await import("/static/colors.js");
    const picture = await import(`/games/${game}/draw.js`);
    const stir = eval(stirred);
    const replay = new Replay();
    replay.add(0, new Uint8Array(await (await fetch("/replays/one")).arrayBuffer()));
    await replay.survey();
    const match = replay.header;
    const canvas = document.createElement("canvas");
    canvas.width = 480;
    canvas.height = 480;
    const stage = new Stage(canvas, picture);
    const theme = themeOf(document.documentElement);
    const colors = teamColors(match.bots.length + (picture.others?.(match) ?? []).length, theme.dark);
    const pixels = ({frame, previous, seen}, progress) => {
        stage.draw({match, frame, previous, progress, colors, theme, focus: null, look: "x"}, seen);
        return canvas.getContext("2d").getImageData(0, 0, 480, 480).data.join();
    };
    let state = 7;
    const below = (n) => { state = (state * 48271) % 2147483647; return state % n; };
    const stirUnseen = (frame) => {
        const {width, height} = picture.board(match, frame);
        const seen = picture.visibleSquares(frame, 0, match);
        const free = [...seen.keys()].filter((k) => !seen[k]);
        if (!free.length) return frame;
        const square = () => { const k = free[below(free.length)]; return [k % width, Math.floor(k / width)]; };
        const changed = stir(frame, (x, y) => !seen[y * width + x], {below, square}, width);
        const after = picture.visibleSquares(changed, 0, match);
        if (!after.every((value, k) => value === seen[k])) throw new Error("the bot's own sight was changed");
        return changed;
    };
    const found = {leaks: [], seen: 0, changed: 0};
    let previous = null;
    let previousStirred = null;
    for (let turn = 0; turn <= replay.turns; turn++) {
        const {frame} = await replay.at(turn);
        const other = stirUnseen(frame);
        for (const progress of previous ? [0.2, 0.7, 1] : [1]) {
            const here = through(picture, match, 0, frame, previous);
            const there = through(picture, match, 0, other, previousStirred);
            if (pixels(here, progress) !== pixels(there, progress)) found.leaks.push(`turn ${turn} at ${progress}`);
            found.seen += here.seen.some((is) => is) ? 1 : 0;
            const all = [frame, other].map((one) => pixels({frame: one, previous: null, seen: null}, 1));
            found.changed += all[0] !== all[1] ? 1 : 0;
        }
        [previous, previousStirred] = [frame, other];
    }
    return found;
}"""


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("name", STIRS)
def test_what_a_bot_can_not_see_changes_no_pixel(
    name: str, browser: Browser, view: Callable[[Path], str], tmp_path: Path
) -> None:
    game = load(name)
    seats = game.contest_defaults.table or max(2, game.seats.start)
    settings = dataclasses.replace(next(iter(game.rulesets.values())), **ROOM.get(name, {}))
    record(tmp_path / "one.koth.gz", game, settings, [f"bot {seat}" for seat in range(seats)], 7)
    context = browser.new_context(bypass_csp=True)  # the check evaluates its own code
    page = context.new_page()
    page.goto(view(tmp_path / "one.koth.gz"))
    found: dict[str, Any] = page.evaluate(CHECK, [name, STIRS[name]])
    context.close()
    assert found["leaks"] == []
    assert found["seen"] > 3, "the bot saw nothing: nothing was tried"
    assert found["changed"] > 3, "nothing that was out of sight was changed"
