"""A match as somebody watches it: its beginning and end, its pace, who killed whom, whom and what one looks for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from koth.games import load
from koth.replay.reader import Replay
from koth.replay.writer import Recorder
from tests.viewer.recording import record
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
FELLED = """() => [...document.querySelectorAll("#kills tbody td")]
    .reduce((sum, {textContent}) => sum + Number(textContent || 0), 0)"""


@pytest.fixture
def page(browser: Browser, view: View) -> Iterator[Page]:
    """A page on a laptop. (The server outlives it: nothing fails when it is closed.)"""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    yield context.new_page()
    context.close()


def test_a_show_hides_what_is_still_to_come(page: Page, view: View, run: Path) -> None:
    page.goto(view(run) + "#match=match-0&turn=0&show")
    page.wait_for_selector("#ends:not([hidden])")
    for later in ("#timeline", "#moments", "#faults", "#signs", "#charts"):
        assert page.locator(later).is_hidden(), later
    assert page.locator("#standings").is_visible()


@pytest.mark.slow
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


def aliens_header(names: list[str], prey: list[str]) -> dict[str, Any]:
    match_info = {"side": 9, "instances": 1, "prey_instances": 1, "prey": prey}
    header = {"game": "aliens", "version": 1, "ruleset": "published", "settings": {}, "match": 1, "facts": match_info}
    return {**header, "bots": [{"name": name, "hash": "0"} for name in names]}


def aliens_frame(turn: int, prey: list[str], score: list[int]) -> dict[str, Any]:
    """One of each species, which never move."""
    arrays = {name: np.arange(8) for name in ("species", "x", "y")}
    bodies = dict.fromkeys(("hp", "life", "strength", "defense", "vision", "cleverness", "sight"), np.ones(8, int))
    said = {"side": 9, "prey": prey, "fights": [], "alive": [1] * 8, "score": score}
    return {"clock": turn, **said, **arrays, **bodies, "total": np.array(score)}


@pytest.mark.slow
def test_the_end_ranks_bots_as_the_list_does(page: Page, view: View, tmp_path: Path) -> None:
    prey, score = ["Whale", "Cow", "Turtle", "Eagle", "Human"], [30, 45, 15, 60, 15, 15, 0, 45]
    names = ["A", "B", "C", *prey]
    recorder = Recorder(tmp_path / "one.koth.gz", aliens_header(names[:3], prey))
    for turn in range(3):
        recorder.add_frame(turn, aliens_frame(turn, prey, score), "00000000")
    recorder.finish({"turns": 2, "scores": dict(zip(names, score, strict=True)), "faults": {}})
    page.goto(view(tmp_path / "one.koth.gz") + "#turn=2")
    page.wait_for_selector("#ends table")
    page.wait_for_selector("#standings tbody tr")
    ranks = """id => [...document.querySelectorAll(`${id} tbody tr`)]
        .map(({cells: [rank, name]}) => `${rank.textContent} ${name.textContent.trim()}`.trim())"""
    listed = ["Whale", "1 B", "Human", "2 A", "3 C", "Cow", "Turtle", "Eagle"]
    assert page.evaluate(ranks, "#standings") == listed
    assert page.evaluate(ranks, "#ends") == ["1 B", "2 A", "3 C"], "the end has no prey"
    assert page.inner_text("#ends h2") == "B wins with 45"


@pytest.mark.slow
def test_turn_0_is_shown_anew_once_its_questions_are_answered(page: Page, view: View, tmp_path: Path) -> None:
    """Questions before the first turn change turn 0, which the page of a live match may have shown by then."""
    prey = ["Cow", "Turtle", "Eagle", "Human", "Whale"]
    recorder = Recorder(tmp_path / "one.koth.gz", aliens_header(["A", "B", "C"], prey))
    recorder.add_frame(0, aliens_frame(0, prey, [0] * 8), "00000000")
    page.goto(view(tmp_path))
    scores = "[...document.querySelectorAll('#standings tbody td:nth-child(3)')].map((td) => td.textContent).join()"
    until(page, f"{scores} === '0,0,0,0,0,0,0,0'")
    recorder.add_frame(0, aliens_frame(0, prey, [7] * 8), "00000000")
    until(page, f"{scores} === '7,7,7,7,7,7,7,7'")
    recorder.abandon()


@pytest.mark.slow
def test_a_match_that_asks_before_its_first_turn_is_shown_to_its_end(page: Page, view: View, tmp_path: Path) -> None:
    game = load("aliens")
    settings = dataclasses.replace(game.rulesets["published"], instances=3, prey=6, rounds=4)
    record(tmp_path / "one.koth.gz", game, settings, ["A", "B", "C"], 4)
    page.goto(view(tmp_path / "one.koth.gz") + "#turn=4")
    page.wait_for_selector("#ends table")
    assert page.locator("#standings tbody tr").count() == 8


@pytest.mark.slow
def test_what_plays_has_room_below_a_small_board(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    wait_for_turn(page, 0)
    right = "id => document.querySelector(id).getBoundingClientRect().right"
    for width, height in ((844, 390), (1024, 768), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        ends = {id_: page.evaluate(right, id_) for id_ in ("#timeline", ".speed", "#full")}
        assert max(ends.values()) <= page.evaluate(right, "#transport"), (width, ends)


@pytest.mark.slow
def test_quiet_stretches_pass_quickly(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    seconds = page.evaluate(PACE)
    assert sum(seconds["long"]) == pytest.approx(60, rel=0.01)
    assert seconds["long"][99] > 20 * seconds["long"][1999], "the great moment goes slowly"
    assert seconds["long"][2999] > 4 * seconds["long"][1999]
    assert sum(seconds["short"]) <= 22 + 1e-6
    assert max(seconds["short"]) <= 2.2


@pytest.mark.slow
def test_units_are_found_by_name_and_by_number(page: Page, view: View, replay: Path) -> None:
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
    until(page, "document.querySelector('#said').textContent === 'no unit has this name'")


@pytest.mark.slow
def test_a_square_shows_its_place_and_whether_it_is_out_of_sight(page: Page, view: View, replay: Path) -> None:
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


@pytest.mark.slow
def test_what_is_asked_for_is_not_lost_to_a_picture_drawn_before_it_is_heard(
    page: Page, view: View, replay: Path
) -> None:
    page.goto(view(replay) + "#turn=300")
    wait_for_turn(page, 300)
    page.evaluate("() => { location.hash = 'turn=150'; history.replaceState(null, '', '#turn=300'); }")
    wait_for_turn(page, 150)


@pytest.mark.slow
def test_kills_add_up(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=300")
    wait_for_turn(page, 300)
    page.click("#kills summary")
    turns = [moment.frame for moment in Replay(replay).turns()]
    for turn in (300, 150):
        page.evaluate("turn => { location.hash = `turn=${turn}`; }", turn)
        wait_for_turn(page, turn)
        until(page, f"({FELLED})() === {sum(turns[0]['alive']) - sum(turns[turn]['alive'])}")
    page.click("#standings tbody tr >> nth=0 >> td.name button")
    until(page, "document.querySelector('#kills table') === null")
    assert page.locator("#kills ol li").count() > 0


SENTENCES = """async () => {
    const {formatEvent} = await import("/static/events.js");
    const {Ends} = await import("/static/ends.js");
    const hebrew = "\u05d0\u05d1\u05d2";
    const teams = [{name: hebrew, isBot: true}, {name: "plain", isBot: true}];
    const event = {team: 1, name: "#3", text: "is shot\u202e by {by}", by: {team: 0, name: "#12"}};
    const ended = (...scores) => {
        const root = document.createElement("div");
        const header = {bots: [{name: hebrew, given: hebrew}, {name: "plain", given: "plain"}]};
        const ends = new Ends(root, header, teams, {}, {hasNext: () => false});
        const result = {turns: 9, scores: {[hebrew]: scores[0], plain: scores[1]}};
        const moments = [{turn: 3, mark: "x", text: "it", weight: 1}];
        ends.end(result, moments, ["red", "blue"], {scores: [scores], until: []});
        return [root.querySelector("h2").textContent, root.querySelector("h3").textContent];
    };
    const turned = {...event, team: 0, by: {team: 1, name: "its spotter"}};
    return [formatEvent(event, teams), formatEvent(turned, teams), ...ended(5, 5), ...ended(7, 5)];
}"""


@pytest.mark.slow
def test_words_around_names_stay_where_they_are(page: Page, view: View, run: Path) -> None:
    """A name that reads from the right takes no number along; a draw of all was decided by nothing."""
    page.goto(view(run))
    hebrew = "\u2068\u05d0\u05d1\u05d2\u2069"
    assert page.evaluate(SENTENCES) == [
        f"plain #3 is shot\\u{{202e}} by {hebrew} #12", f"{hebrew} #3 is shot\\u{{202e}} by plain's spotter",
        "A draw of all", "What happened", f"{hebrew} wins with 7", "What decided it",
    ]  # fmt: skip
