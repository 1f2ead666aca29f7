"""Every game's `draw.js` paints real frames in a real browser; `koth.testing` holds it to its laws without one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from koth.games import GAMES, load
from tests.viewer.recording import record, shoot_zombies, small_zombies

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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
    const theme = themeOf(document.documentElement);
    const colors = teamColors(teams, theme.dark);

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
        for (const progress of previous ? [0, 0.3, 1] : [1]) {
            for (const zoom of [1, 5]) {
                const shades = paint(frame, previous, progress, zoom);
                claim(zoom > 1 || shades > 4, `turn ${turn} is blank: ${shades} shades`);
            }
        }
        previous = frame;
    }
    for (const {paint: paintIt} of picture.legend?.(match) ?? []) {
        paintIt(new OffscreenCanvas(9, 9).getContext("2d"), {colors, theme});
    }
    return {wrong, turns: replay.turns};
}"""


def check(browser: Browser, address: str, name: str, code: str | None = None) -> dict[str, Any]:
    """Return the errors of a game's picture over `/replays/one`; `code` replaces its draw.js."""
    context = browser.new_context(viewport={"width": 800, "height": 600})
    page = context.new_page()
    if code is not None:
        page.route(f"**/games/{name}/draw.js", lambda route: route.fulfill(body=code, content_type="text/javascript"))
    page.goto(address)
    found: dict[str, Any] = page.evaluate(CHECK, ["/replays/one", name])
    context.close()
    return found


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_the_documents_example_is_painted(browser: Browser, view: Callable[[Path], str], tmp_path: Path) -> None:
    text = (Path(__file__).parents[4] / "docs" / "draw-js.md").read_text()
    (code,) = re.findall(r"A complete example:\n+```js\n(.*?)```", text, re.S)
    game = load("zombies")
    record(tmp_path / "one.koth.gz", game, small_zombies(game), ["a", "b", "c"], 4, shoot_zombies)
    found = check(browser, view(tmp_path / "one.koth.gz"), "zombies", code)
    assert found["wrong"] == []


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("name", GAMES)
def test_pictures_are_painted(name: str, browser: Browser, view: Callable[[Path], str], tmp_path: Path) -> None:
    game = load(name)
    seats = game.contest_defaults.seats or max(2, game.seats.start)
    settings = next(iter(game.rulesets.values()))
    record(tmp_path / "one.koth.gz", game, settings, [f"bot {seat}" for seat in range(seats)], 4)
    found = check(browser, view(tmp_path / "one.koth.gz"), name)
    assert found["wrong"] == []
    assert found["turns"] > 3
