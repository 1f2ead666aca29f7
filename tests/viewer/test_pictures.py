"""Every game's `draw.js` keeps the contract of docs/draw-js.md, over real frames in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from koth.games import GAMES, load
from koth.viewer.server import picture_of
from tests.viewer.recording import record, shoot_zombies, small_zombies

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BANNED = ("fetch", "XMLHttpRequest", "WebSocket", "Math.random", "Date", "performance", "setTimeout", "document")
BANNED += ("window", "localStorage", "import", "innerHTML", "requestAnimationFrame")
KNOWN = {
    "board",
    "draw",
    "series",
    "others",
    "actors",
    "about",
    "legend",
    "caption",
    "spot",
    "applyFog",
    "placed",
    "visibleSquares",
    "ground",
    "lies",
    "answers",
}

CHECK = """async ([replayUrl, game]) => {
    const {Replay} = await import("/static/replay.js");
    const {Stage} = await import("/static/stage.js");
    const {teamColors, themeOf} = await import("/static/colors.js");
    const picture = await import(`/games/${game}/draw.js`);
    const wrong = [];
    const claim = (fact, words) => { if (!fact) wrong.push(words); };
    const replay = new Replay();
    replay.add(0, new Uint8Array(await (await fetch(replayUrl)).arrayBuffer()));
    await replay.survey();
    const match = replay.header;
    const teams = match.bots.length + (picture.others?.(match) ?? []).length;
    const canvas = document.createElement("canvas");
    canvas.width = 400;
    canvas.height = 300;
    const stage = new Stage(canvas, picture);
    const isText = (value) => typeof value === "string" && value.length > 0;
    const theme = themeOf(document.documentElement);
    const colors = teamColors(teams, theme.dark);

    function checkActors(frame, {width, height}) {
        const actors = picture.actors?.(frame, match) ?? [];
        claim(new Set(actors.map(({id}) => id)).size === actors.length, "two actors with one id");
        for (const {id, x, y, team} of actors) {
            claim(["number", "string"].includes(typeof id), "an id that is neither number nor string");
            claim(x >= 0 && x < width && y >= 0 && y < height, `actor ${id} is off the board at ${x}, ${y}`);
            claim(team === null || (Number.isInteger(team) && team >= 0 && team < teams), `team ${team}`);
            const about = picture.about?.(frame, id, match);
            if (about == null) continue;
            claim(isText(about.title), "an actor without a title");
            claim(about.rows.every(([key, value]) => isText(key) && value != null), `rows of ${about.title}`);
        }
    }

    function checkBoard(frame) {
        const board = picture.board(match, frame);
        claim(Number.isInteger(board.width) && board.width > 0 && board.height > 0, "the board's size");
        const columns = Object.entries(picture.series(frame, match));
        claim(columns.length > 0, "no series");
        for (const [name, values] of columns) {
            claim(values.length === teams, `${name}: ${values.length} values for ${teams} teams`);
            claim(values.every((v) => v === null || Number.isFinite(v)), `${name}: ${values}`);
        }
        if (picture.caption) claim(typeof picture.caption(frame, match) === "string", "the caption");
        for (const [seat] of match.bots.entries()) {
            const seen = picture.visibleSquares?.(frame, seat, match);
            if (seen) claim(seen.length === board.width * board.height, "what a bot sees");
            const lies = picture.lies?.(frame, seat, match);
            if (lies) claim(lies.length === seen.length && lies.every((k) => k >= -1), "what lies there");
        }
        return board;
    }

    function paint(frame, previous, progress, zoom) {
        stage.reset();
        stage.board = {wraps: false, reach: 1, ...picture.board(match, frame)};
        if (zoom > 1) stage.zoomBy(zoom);
        const shot = {match, frame, previous, progress, colors, theme, focus: null, look: `${zoom}`};
        stage.draw(shot);
        const {data} = canvas.getContext("2d").getImageData(0, 0, 400, 300);
        return new Set(new Uint32Array(data.buffer)).size;
    }

    let previous = null;
    for (let turn = 0; turn <= replay.turns; turn++) {
        const {frame} = await replay.at(turn);
        const before = JSON.stringify(frame);
        const board = checkBoard(frame);
        checkActors(frame, board);
        for (const progress of previous ? [0, 0.3, 1] : [1]) {
            for (const zoom of [1, 5]) {
                const shades = paint(frame, previous, progress, zoom);
                claim(zoom > 1 || shades > 4, `turn ${turn} is blank: ${shades} shades`);
            }
        }
        claim(JSON.stringify(frame) === before, `turn ${turn}: the frame was changed`);
        previous = frame;
    }
    for (const {label, paint: paintIt} of picture.legend?.(match) ?? []) {
        claim(isText(label), "a legend's label");
        paintIt(new OffscreenCanvas(9, 9).getContext("2d"), {colors, theme});
    }
    return {wrong: [...new Set(wrong)].slice(0, 9), names: Object.keys(picture), turns: replay.turns};
}"""


@pytest.mark.parametrize("name", GAMES)
def test_pictures_are_pure(name: str) -> None:
    file = picture_of(name)
    assert file is not None, f"{name} has no draw.js"
    code = re.sub(r"//.*|(?s:/\*.*?\*/)", "", file.read_text())
    for word in BANNED:
        assert not re.search(rf"\b{re.escape(word)}\b", code), f"{name}/draw.js uses {word}"


def check(browser: Browser, address: str, name: str, code: str | None = None) -> dict[str, Any]:
    """What is wrong with a game's picture over `/replays/one`; `code` stands in for its draw.js."""
    context = browser.new_context(viewport={"width": 800, "height": 600})
    page = context.new_page()
    if code is not None:
        page.route(f"**/games/{name}/draw.js", lambda route: route.fulfill(body=code, content_type="text/javascript"))
    page.goto(address)
    found: dict[str, Any] = page.evaluate(CHECK, ["/replays/one", name])
    context.close()
    return found


@pytest.mark.needs("chromium")
def test_the_documents_example_keeps_the_contract(
    browser: Browser, view: Callable[[Path], str], tmp_path: Path
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "draw-js.md").read_text()
    (code,) = re.findall(r"## A whole one\n+```js\n(.*?)```", text, re.S)
    game = load("zombies")
    record(tmp_path / "one.koth.gz", game, small_zombies(game), ["a", "b", "c"], 6, shoot_zombies)
    found = check(browser, view(tmp_path / "one.koth.gz"), "zombies", code)
    assert found["wrong"] == []
    assert found["names"] == ["actors", "board", "draw", "series"]


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("name", GAMES)
def test_pictures_keep_the_contract(name: str, browser: Browser, view: Callable[[Path], str], tmp_path: Path) -> None:
    game = load(name)
    seats = game.contest_defaults.table or max(2, game.seats.start)
    settings = next(iter(game.rulesets.values()))
    record(tmp_path / "one.koth.gz", game, settings, [f"bot {seat}" for seat in range(seats)], 12)
    found = check(browser, view(tmp_path / "one.koth.gz"), name)
    assert found["wrong"] == []
    assert found["turns"] > 3
    assert set(found["names"]) <= KNOWN
