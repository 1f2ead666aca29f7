"""A match as somebody watches it: its beginning and end, its pace, who felled whom, whom and what one looks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from koth.replay import Replay
from tests.viewer.test_page import View, until, wait_for_turn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.needs("chromium")

PACE = """async () => {
    const {Tempo} = await import("/static/tempo.js");
    const seconds = (turns, moments) => {
        const tempo = new Tempo();
        tempo.learn(Array.from({length: turns + 1}, (_, turn) => moments[turn] ?? 0), turns);
        return Array.from({length: turns}, (_, k) => 1 / tempo.at(k + 1));
    };
    return {long: seconds(4000, {100: 6, 3000: 2}), short: seconds(20, {})};
}"""
FELLED = """() => [...document.querySelectorAll("#felled tbody td")]
    .reduce((sum, {textContent}) => sum + Number(textContent || 0), 0)"""


@pytest.fixture
def page(browser: Browser, view: View) -> Iterator[Page]:
    """A page on a laptop. (The server outlives it: nothing fails when it is closed.)"""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    yield context.new_page()
    context.close()


def test_a_match_has_a_beginning_and_an_end(page: Page, view: View, run: Path) -> None:
    page.goto(view(run) + "#match=match-0&turn=0")
    page.wait_for_selector("#ends:not([hidden])")
    card = page.inner_text("#ends")
    assert "zombies, published rules" in card
    assert "match-0" in card
    assert "Runner" in card
    page.click("#ends .first")
    until(page, "document.querySelector('#match').classList.contains('playing')")
    assert page.locator("#ends").is_hidden()
    page.keyboard.press("End")
    until(page, "document.querySelector('#ends h3')?.textContent === 'What decided it'")
    result = Replay(run / "replays" / "match-0.koth.gz").result
    assert result is not None
    best = [name for name, score in result["scores"].items() if score == max(result["scores"].values())]
    words = f"{best[0]} wins with" if len(best) == 1 else "share the win with"
    assert words in page.inner_text("#ends h2")
    assert page.locator("#ends tbody tr").count() == 3
    assert "faults: " in page.inner_text("#ends table")
    moment = page.locator("#ends ol button").last
    turn = int(moment.inner_text().split()[0])
    moment.click()
    wait_for_turn(page, max(turn - 2, 0))
    page.keyboard.press("End")
    page.wait_for_selector("#ends:not([hidden])")
    page.click("#ends >> text=Again")
    until(page, "Number(document.querySelector('#turn b').textContent) < 100")
    page.keyboard.press("End")
    page.click("#ends >> text=Next match")
    until(page, "document.querySelector('#ends')?.textContent.includes('match-1')")
    page.keyboard.press("End")
    wait_for_turn(page, 40)
    page.wait_for_selector("#ends table")
    assert page.locator("#ends >> text=Next match").count() == 0, "it is the last one"


def test_quiet_stretches_pass_quickly(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    seconds = page.evaluate(PACE)
    assert sum(seconds["long"]) == pytest.approx(60, rel=0.01)
    assert seconds["long"][99] > 20 * seconds["long"][1999], "the great moment goes slowly"
    assert seconds["long"][2999] > 4 * seconds["long"][1999]
    assert sum(seconds["short"]) <= 22 + 1e-6
    assert max(seconds["short"]) <= 2.2


def test_somebody_is_found_by_name_and_by_number(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=1")
    wait_for_turn(page, 1)
    page.keyboard.press("/")
    page.keyboard.type("coward")
    for count in (1, 2):
        page.keyboard.press("Enter")
        until(page, f"document.querySelector('#said').textContent.startsWith('{count} of ')")
        until(page, "document.querySelector('#card b')?.textContent.startsWith('Coward #')")
    page.fill("#find", "7")
    page.keyboard.press("Enter")
    until(page, r"/ #7$/.test(document.querySelector('#card b').textContent)")
    page.fill("#find", "nobody")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#said').textContent === 'nobody is called so here'")


def test_a_square_tells_where_it_is_and_what_is_out_of_sight(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=1")
    wait_for_turn(page, 1)
    frame = next(Replay(replay).turns(1)).frame
    side = frame["side"]
    taken = set(zip(frame["x"].tolist(), frame["y"].tolist(), strict=True))
    free = next(
        (x, y) for y in range(2, side) for x in range(2, side)
        if not taken & {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    )  # fmt: skip
    box = page.locator("#board").bounding_box()
    assert box is not None
    size = min(box["width"], box["height"]) / side
    page.mouse.move(
        box["x"] + (box["width"] - size * side) / 2 + (free[0] + 0.5) * size,
        box["y"] + (box["height"] - size * side) / 2 + (free[1] + 0.5) * size,
    )
    until(page, "document.querySelector('#tip:not([hidden]) b') !== null")
    assert [int(word) for word in page.inner_text("#tip b").replace(",", "").split() if word.isdigit()] == [*free]


def test_who_felled_whom_adds_up(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=300")
    wait_for_turn(page, 300)
    page.click("#felled summary")
    turns = [moment.frame for moment in Replay(replay).turns()]
    for turn in (300, 150):
        page.evaluate("turn => { location.hash = `turn=${turn}`; }", turn)
        wait_for_turn(page, turn)
        until(page, f"({FELLED})() === {sum(turns[0]['alive']) - sum(turns[turn]['alive'])}")
    page.click("#standings tbody tr >> nth=0 >> td.name button")
    until(page, "document.querySelector('#felled table') === null")
    assert page.locator("#felled ol li").count() > 0
