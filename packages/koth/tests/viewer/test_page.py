"""The page in a real browser, over real replays."""

from __future__ import annotations

import dataclasses
import gzip
import itertools
import json
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from koth.frame import visible_squares
from koth.game import FAULT_KINDS, FAULTS, Field
from koth.games import GAMES, load
from koth.replay.arrays import unpack
from koth.replay.reader import Replay
from koth.replay.writer import Recorder
from koth.viewer.palette import team_colour
from tests.viewer.recording import record, small_zombies, wander

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.needs("chromium")

SIZES = {"phone": (390, 844, 3), "laptop": (1366, 768, 1), "large": (2560, 1440, 2)}
View = Callable[[Path], str]


@pytest.fixture
def page(browser: Browser, view: View) -> Iterator[Page]:
    """A page on a laptop in the dark. (The server outlives it: nothing fails when it is closed.)"""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark")
    yield context.new_page()
    context.close()


def until(page: Page, claim: str, argument: Any = None) -> None:
    """Wait until a claim about the page is true. (Playwright's own way would break the page's policy.)"""
    deadline = time.monotonic() + 300
    while not page.evaluate(claim, argument):
        assert time.monotonic() < deadline, f"never came true: {claim}"
        page.wait_for_timeout(25)


def turn_of(page: Page) -> int:
    return int(page.inner_text("#turn b").replace(",", ""))


def wait_for_turn(page: Page, turn: int) -> None:
    until(page, f"document.querySelector('#turn b')?.textContent === '{turn:,}'")
    until(page, "document.querySelector('#board').ariaBusy === 'false'")


def standings(page: Page) -> list[list[str]]:
    """The table's rows: rank, name, values."""
    rows = page.eval_on_selector_all(
        "#standings tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return [row[:4] for row in rows]


def plain(frame: dict[str, Any]) -> dict[str, Any]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in frame.items()}


def test_every_turn_is_decoded_as_in_python(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    decoded = page.evaluate(
        """async () => {
            const {Replay} = await import("/static/replay.js");
            const replay = new Replay();
            replay.add(0, new Uint8Array(await (await fetch("/replays/match-0")).arrayBuffer()));
            await replay.survey();
            const turns = [];
            for (let turn = 0; turn <= replay.turns; turn++) {
                const {frame} = await replay.at(turn);
                turns.push(JSON.stringify(frame, (_, v) => v instanceof Int32Array ? [...v] : v));
            }
            return turns;
        }"""
    )
    expected = [{**plain(turn.frame), "turn": turn.turn} for turn in Replay(replay).turns()]
    assert len(expected) == 301
    assert [json.loads(text) for text in decoded] == expected


def test_what_leaves_a_frame_is_gone(page: Page, view: View, replay: Path, tmp_path: Path) -> None:
    frames = [{"a": 1}, {"b": [2, 3], "c": np.array([4])}, {"b": np.array([5]), "c": 6}, {"a": True}, {"a": 1}]
    recorder = Recorder(tmp_path / "match.koth.gz", {"bots": []})
    for turn, frame in enumerate(frames):
        recorder.add_frame(turn, frame, "")
    recorder.finish({})
    lines = gzip.decompress((tmp_path / "match.koth.gz").read_bytes()).decode().splitlines()[1:-1]
    page.goto(view(replay))
    read = """(lines) => import('/static/replay.js').then(({turnsIn}) => [...turnsIn(lines)].map(({frame}) =>
        JSON.stringify(frame, (_, v) => v instanceof Int32Array ? [...v] : v)))"""
    found = [json.dumps(json.loads(text), sort_keys=True) for text in page.evaluate(read, lines)]
    assert found == [json.dumps({**plain(frame), "turn": turn}, sort_keys=True) for turn, frame in enumerate(frames)]


@pytest.mark.slow
def test_a_fault_of_a_whole_answer_is_counted_once_as_in_standings(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    late, illegal = FAULTS.index("late"), FAULTS.index("illegal")
    faults = [0, late, 1, late, 2, illegal, 3, illegal]
    who = [0, 0, 0, 1, 1, 0, 1, 1]
    lines = ['{"turn":0,"arrays":{}}', json.dumps({"turn": 1, "asks": [{"q": "act", "who": who, "f": faults}]})]
    kinds = {kind: about.of for kind, about in FAULT_KINDS.items()}
    read = (
        "import('/static/replay.js').then(({turnsIn}) => [...turnsIn(lines, kinds)].at(-1).faults.map(f => f.counts))"
    )
    assert page.evaluate(f"([lines, kinds]) => {read}", [lines, kinds]) == [True, False, True, True]


@pytest.mark.slow
def test_arrays_that_grow_without_bound_are_refused(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    step = '{"after":0,"arrays":{"a":{"n":4194304,"by":[]}}}'
    lines = ['{"turn":0,"arrays":{"a":[]}}', f'{{"turn":1,"asks":[],"steps":[{",".join([step] * 9)}]}}']
    read = "import('/static/replay.js').then(({turnsIn}) => [...turnsIn(lines)].length)"
    with pytest.raises(Exception, match="the arrays of turn 1 have too many entries"):
        page.evaluate(f"(lines) => {read}", lines)
    for length in ('"0x"', "-1", "1.5"):
        forged = [lines[0], lines[1].replace("4194304", length, 1)]
        with pytest.raises(Exception, match="turn 1: n of a is not a length"):
            page.evaluate(f"(lines) => {read}", forged)


@pytest.mark.slow
def test_the_steps_of_a_turn_are_drawn_one_after_another(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    drawn = page.evaluate(
        """async () => {
            const {Playback} = await import("/static/playback.js");
            const steps = [{after: 1, frame: "first"}, {after: 2, frame: "second"}];
            const records = [{turn: 0, frame: "start", steps: []}, {turn: 1, frame: "end", steps}];
            const playback = new Playback({turns: 1, result: null, at: (turn) => records[turn]});
            const at = (time, speed) => {
                playback.setSpeed(speed);
                playback.time = time;
                const {record, previous, progress} = playback.shown.drawn;
                return [previous, record.frame, Math.round(100 * progress)];
            };
            return [at(0.25, 2), at(0.5, 2), at(0.9, 2), at(1, 2), at(0.5, 30), playback.shown.record.frame];
        }"""
    )
    assert drawn == [
        ["start", "first", 75], ["first", "second", 50], ["second", "end", 70], ["start", "end", 100],
        ["start", "end", 50], "end",
    ]  # fmt: skip


def test_it_plays_steps_and_seeks(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=20&speed=30")
    wait_for_turn(page, 20)
    page.keyboard.press("Space")
    until(page, "Number(document.querySelector('#turn b').textContent) > 24")
    page.keyboard.press("Space")
    paused = turn_of(page)
    page.keyboard.press("ArrowRight")
    wait_for_turn(page, paused + 1)
    page.keyboard.press("Shift+ArrowLeft")
    wait_for_turn(page, paused - 9)
    page.keyboard.press("End")
    wait_for_turn(page, 300)
    box = page.locator("#timeline").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    until(page, "Math.abs(Number(document.querySelector('#turn b').textContent) - 150) < 4")
    until(page, "location.hash.includes('turn=' + document.querySelector('#turn b').textContent)")
    page.keyboard.press("Home")
    wait_for_turn(page, 0)


@pytest.mark.slow
def test_standings_are_those_of_the_turn(page: Page, view: View, replay: Path) -> None:
    address = view(replay)
    for turn in (0, 128, 257, 300):
        page.goto(f"{address}#turn={turn}")
        wait_for_turn(page, turn)
        frame = next(Replay(replay).turns(turn)).frame
        order = sorted(range(3), key=lambda seat: (-frame["score"][seat], -frame["alive"][seat]))
        expected = [[str(frame["score"][seat]), str(frame["alive"][seat])] for seat in order]
        until(
            page,
            "expected => JSON.stringify([...document.querySelectorAll('#standings tbody tr')]"
            ".map(row => [row.cells[2].textContent, row.cells[3].textContent])) === JSON.stringify(expected)",
            expected,
        )


def test_a_hostile_name_is_only_text(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=7")
    wait_for_turn(page, 7)
    page.wait_for_selector("#standings tbody tr")
    names = {row[1] for row in standings(page)}
    assert r"<b>bold</b>\u{202e}gnp.exe\u{7}\u{a}" in names
    assert page.locator("#standings b").count() == 0
    assert "\u202e" not in page.content()


@pytest.mark.slow
def test_faults_of_a_turn_are_listed(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=6")
    wait_for_turn(page, 6)
    page.wait_for_selector("#events li")
    lines = page.locator("#events li").all_inner_texts()
    assert lines == ["Runner: late"], "one answer, for two players"
    until(page, "document.querySelector('#faults b')?.nextSibling.data === ' 15 times'")
    assert page.locator("#faults h3").all_inner_texts() == ["Runner"]
    page.click("#end")
    page.click("#faults li li button")
    wait_for_turn(page, 6)


@pytest.mark.slow
def test_a_turn_at_a_key_frame_keeps_its_events(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    events = page.evaluate(
        """async () => {
            const {Replay} = await import("/static/replay.js");
            const replay = new Replay();
            replay.add(0, new Uint8Array(await (await fetch("/replays/match-0")).arrayBuffer()));
            await replay.survey();
            const found = [];
            for (let turn = 1; turn <= replay.turns; turn++) {
                const {faults} = await replay.at(turn);
                if (faults.length) found.push([turn, faults.map(({seat, kind}) => `${seat} ${kind}`).join()]);
            }
            return found;
        }"""
    )
    assert [turn for turn, _ in events] == list(range(6, 301, 20))
    assert events[0] == [6, "0 late,0 late"]


@pytest.mark.slow
def test_through_eyes_there_are_no_events_of_others(page: Page, view: View, replay: Path) -> None:
    assert [event["team"] for _, event in Replay(replay).events() if event.get("weight")] == [2]
    page.goto(view(replay) + "#turn=300&eyes=2")
    until(page, "document.querySelectorAll('#moments li').length === 1")
    page.evaluate("() => { location.hash = 'turn=300&eyes=0'; }")
    until(page, "document.querySelectorAll('#moments li').length === 0")


@pytest.mark.slow
def test_charts_and_moments_cover_the_whole_match(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    until(page, "document.querySelectorAll('#charts figure').length >= 2")
    died = next(turn.turn for turn in Replay(replay).turns() if turn.frame["alive"][2] == 0)
    page.wait_for_selector("#moments:not([hidden])")
    assert "dies out" in page.locator("#moments").text_content()
    page.keyboard.press(".")
    wait_for_turn(page, died)
    until(
        page,
        "[...document.querySelectorAll('figcaption')].map(c => c.firstChild.data).join()"
        " === 'score,alive,bullets,faults'",
    )


@pytest.mark.slow
def test_a_chart_names_the_line_under_the_pointer(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    until(page, "document.querySelectorAll('#charts figure').length === 4")
    until(page, "document.querySelector('#status').textContent === '300 turns'")
    plot = page.locator("#charts .u-over").nth(1)
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    alive = next(Replay(replay).turns(150)).frame["alive"]
    most = max(range(3), key=lambda seat: alive[seat])
    names = ["Runner", r"<b>bold</b>\u{202e}gnp.exe\u{7}\u{a}", "Coward"]
    wanted = f"{names[most]}: {alive[most]}, turn 150"
    word, deadline = page.locator("#charts figure:nth-of-type(2) .word"), time.monotonic() + 300
    while word.text_content() != wanted:  # the chart grows until the last of the match has been read
        assert time.monotonic() < deadline, word.text_content()
        page.mouse.move(box["x"] + box["width"] / 2 - 1, box["y"] + 8)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 8)
        page.wait_for_timeout(25)
    page.mouse.move(5, 5)
    until(page, "document.querySelector('#charts figure:nth-of-type(2) .word').hidden")


@pytest.mark.slow
def test_bots_are_drawn_in_their_colours(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=0")
    page.wait_for_selector("#standings tbody tr")
    counts = page.evaluate(
        """async () => {
            const {teamColors} = await import("/static/colors.js");
            const canvas = document.getElementById("board");
            const ctx = canvas.getContext("2d");
            const probe = new OffscreenCanvas(1, 1).getContext("2d");
            const count = (color) => {
                probe.fillStyle = color;
                probe.fillRect(0, 0, 1, 1);
                const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
                const {data} = ctx.getImageData(0, 0, canvas.width, canvas.height);
                let found = 0;
                for (let k = 0; k < data.length; k += 4) {
                    found += Math.abs(data[k] - r) + Math.abs(data[k + 1] - g) + Math.abs(data[k + 2] - b) < 9;
                }
                return found;
            };
            await new Promise((later) => requestAnimationFrame(() => requestAnimationFrame(later)));
            return teamColors(3, true).map(count);
        }"""
    )
    assert all(count > 12 * 20 for count in counts), counts


@pytest.mark.slow
def test_the_terminal_has_the_same_colours(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    shown = page.evaluate(
        """async () => {
            const {teamColors} = await import("/static/colors.js");
            const probe = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
            return teamColors(60, true).map((color) => {
                probe.fillStyle = color;
                probe.fillRect(0, 0, 1, 1);
                return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
            });
        }"""
    )
    for place, colour in enumerate(shown):
        assert max(abs(a - b) for a, b in zip(colour, team_colour(place), strict=True)) <= 2, (place, colour)


@pytest.mark.slow
def test_an_actor_is_described_and_followed(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=0")
    wait_for_turn(page, 0)
    page.wait_for_selector("#standings tbody tr")
    frame = next(Replay(replay).turns()).frame
    box = page.locator("#board").bounding_box()
    assert box is not None
    size = min(box["width"], box["height"]) / frame["side"]
    left = box["x"] + (box["width"] - size * frame["side"]) / 2
    top = box["y"] + (box["height"] - size * frame["side"]) / 2
    point = (left + (frame["x"][0] + 0.5) * size, top + (frame["y"][0] + 0.5) * size)
    page.mouse.move(*point)
    page.wait_for_selector("#tip:not([hidden])")
    assert page.inner_text("#tip b") == "Runner #0"
    page.mouse.click(*point)
    page.wait_for_selector("#card:not([hidden])")
    page.keyboard.press("End")
    wait_for_turn(page, 300)
    assert "#" in page.inner_text("#card b")
    page.keyboard.press("Escape")
    page.wait_for_selector("#card", state="hidden")


@pytest.mark.slow
def test_a_bot_in_focus_and_its_eyes(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=0")
    page.wait_for_selector("#standings tbody tr")
    page.keyboard.press("b")
    until(page, "document.querySelectorAll('#standings [aria-pressed=true]').length === 1")
    page.keyboard.press("e")
    page.wait_for_selector("td.eye [aria-pressed=true]")
    until(page, "location.hash.includes('eyes=0')")
    seen = page.evaluate(
        """async () => {
            const {Replay} = await import("/static/replay.js");
            const {visibleSquares} = await import("/static/eyes.js");
            const replay = new Replay();
            replay.add(0, new Uint8Array(await (await fetch("/replays/match-0")).arrayBuffer()));
            await replay.survey();
            return [...visibleSquares(replay.header, (await replay.at(200)).frame, 0)];
        }"""
    )
    frame = next(Replay(replay).turns(200)).frame
    side = frame["side"]
    expected = np.zeros((side, side), dtype=int)
    for kind, seat, x, y in zip(*(frame[name] for name in ("kind", "seat", "x", "y")), strict=True):
        if kind == 3 and seat == 0:
            around = np.arange(-8, 9)
            expected[np.ix_((y + around) % side, (x + around) % side)] = 1
    assert seen == expected.ravel().tolist()


@pytest.mark.slow
def test_a_cut_replay_plays_up_to_its_last_whole_turn(page: Page, view: View, replay: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.koth.gz"
    data = replay.read_bytes()
    cut.write_bytes(data[: len(data) * 2 // 3])
    last = [turn.turn for turn in Replay(cut).turns()][-1]
    assert 128 < last < 300
    page.goto(view(cut))
    until(page, f"document.querySelector('#turn span')?.textContent === '{last:,}'")
    page.keyboard.press("End")
    wait_for_turn(page, last)
    until(page, "document.querySelector('#status').textContent.includes('no result')")


@pytest.mark.slow
def test_a_growing_replay_is_followed(page: Page, view: View, replay: Path, tmp_path: Path) -> None:
    data = replay.read_bytes()
    part = tmp_path / "live.koth.gz.part"
    part.write_bytes(data[: len(data) // 2])
    early = [turn.turn for turn in Replay(part).turns()][-1]
    page.goto(view(tmp_path))
    until(page, f"document.querySelector('#turn span')?.textContent === '{early:,}'")
    part.write_bytes(data)
    part.rename(tmp_path / "live.koth.gz")
    until(page, "document.querySelector('#turn span').textContent === '300'")
    until(page, "document.querySelector('#status').textContent === '300 turns'")
    assert page.is_hidden("#said")


@pytest.mark.slow
def test_a_file_that_is_damaged_says_so(page: Page, view: View, replay: Path, tmp_path: Path) -> None:
    data = bytearray(replay.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 64] = bytes(64)
    damaged = tmp_path / "damaged.koth.gz"
    damaged.write_bytes(data)
    page.goto(view(damaged))
    page.wait_for_selector("#status.error")
    assert "damaged" in page.inner_text("#status")
    assert page.is_hidden("#said")


@pytest.mark.slow
def test_a_folder_lists_its_matches(page: Page, view: View, run: Path) -> None:
    page.goto(view(run))
    page.wait_for_selector("#matches tbody tr")
    assert page.locator("#matches tbody a").all_inner_texts() == ["match-0", "match-1"]
    page.click("text=match-1")
    until(page, "document.querySelector('#turn span')?.textContent === '40'")
    page.keyboard.press("p")
    until(page, "document.querySelector('#turn span')?.textContent === '300'")
    page.click("#back")
    page.wait_for_selector("#matches:not([hidden])")
    assert page.locator("#match").count() == 0


@pytest.mark.slow
def test_help_and_theme(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    page.wait_for_selector("#standings tbody tr")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert page.locator("dialog dt").count() > 12
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")
    page.keyboard.press("t")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_the_list_fits_the_screen(browser: Browser, view: View, run: Path, size: str) -> None:
    width, height, ratio = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=ratio)
    page = context.new_page()
    page.goto(view(run))
    page.wait_for_selector("#matches tbody tr")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for row in page.locator("#matches tbody tr").all():
        box = row.bounding_box()
        assert box is not None
        assert box["height"] < 120
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_the_page_fits_the_screen(browser: Browser, view: View, replay: Path, size: str) -> None:
    width, height, ratio = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=ratio)
    page = context.new_page()
    page.goto(view(replay) + "#turn=100")
    wait_for_turn(page, 100)
    page.wait_for_selector("#standings tbody tr")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("#board").bounding_box()
    assert box is not None
    assert page.evaluate("document.getElementById('board').width") == round(box["width"] * ratio)
    for control in ("#play", "#timeline", "#speed"):
        place = page.locator(control).bounding_box()
        assert place is not None
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width
        assert place["y"] + place["height"] <= height
    context.close()


@pytest.mark.slow
def test_a_board_that_is_slow_to_draw_is_coarse_only_while_it_plays(
    browser: Browser, view: View, replay: Path
) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768}, device_scale_factor=2)
    page = context.new_page()
    page.goto(view(replay) + "#turn=0&speed=1")
    wait_for_turn(page, 0)
    page.wait_for_selector("#standings tbody tr")
    until(page, "document.getElementById('board').width !== 300")  # what a canvas has before it is measured
    sharp = page.evaluate("document.getElementById('board').width")
    # Forty milliseconds of work in every frame.
    page.evaluate(
        """() => requestAnimationFrame(function busy() {
            const until = performance.now() + 40;
            while (performance.now() < until);
            requestAnimationFrame(busy);
        })"""
    )
    page.keyboard.press("Space")
    until(page, f"document.getElementById('board').width * 2 === {sharp}")
    page.keyboard.press("Space")
    until(page, f"document.getElementById('board').width === {sharp}")
    context.close()


ROWS = """async (replayUrl) => {
    const {Replay} = await import("/static/replay.js");
    const {answersOf} = await import("/static/answers.js");
    const replay = new Replay();
    replay.add(0, new Uint8Array(await (await fetch(replayUrl)).arrayBuffer()));
    await replay.survey();
    const raw = {act: (values) => JSON.stringify(values)};
    const found = [];
    for (let turn = 1; turn <= replay.turns; turn++) {
        for (const {seat, words} of answersOf((await replay.at(turn)).asked, raw, replay.header)) {
            found.push([turn, seat, Object.fromEntries(words)]);
        }
    }
    return found;
}"""


def _named(spec: Field, value: int) -> int | str:
    return spec.names[value] if spec.names else value


@pytest.mark.slow
def test_answers_are_read_as_in_python(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    read = page.evaluate(ROWS, "/replays/match-0")
    question = load("zombies").questions(small_zombies(load("zombies")), 3)["act"]
    expected = []
    for turn in Replay(replay).turns():
        for asked in turn.questions:
            rows = asked["who"]
            fields = {name: unpack(asked["a"].get(name), spec, len(rows)) for name, spec in question.answer.items()}
            for seat in sorted({int(seat) for seat in rows[:, 0]}):
                mine = np.flatnonzero(rows[:, 0] == seat)
                said = [
                    {name: _named(question.answer[name], int(values[row])) for name, values in fields.items()}
                    for row in mine
                ]
                texts = [json.dumps(one, separators=(",", ":")) for one in said]
                expected.append([turn.turn, seat, {text: texts.count(text) for text in set(texts)}])
    assert read == expected
    assert len(read) > 300


@pytest.mark.slow
def test_the_answers_of_a_turn_stand_beside_the_board(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=9")
    wait_for_turn(page, 9)
    page.click("#answers summary")
    until(page, "document.querySelectorAll('#answers li').length === 3")
    text = page.inner_text("#answers")
    assert r"<b>bold</b>\u{202e}gnp.exe\u{7}\u{a}" in text
    assert "NORTH" in text
    page.keyboard.press("Home")
    until(page, "document.querySelector('#answers').textContent.includes('nobody was asked')")


REMEMBERED = """async (name) => {
    const {Source} = await import("/static/source.js");
    const {visibleSquares} = await import("/static/eyes.js");
    const {memorySquares} = await import(`/games/${name}/draw.js`);
    const source = new Source({url: "/replays/one"});
    await new Promise((go) => { source.onChange = () => { if (source.turns >= 0) go(); }; });
    source.remember(1);
    while (source.memory?.upTo !== source.turns) await new Promise((later) => setTimeout(later, 5));
    const known = new Map();
    const wrong = [];
    let stale = 0; // squares that are remembered otherwise than they are
    for (let turn = 0; turn <= source.turns; turn++) {
        source.want([turn], turn);
        while (!source.at(turn)) await new Promise((later) => setTimeout(later, 5));
        const {frame} = source.at(turn);
        const there = memorySquares(frame, 1, source.header);
        visibleSquares(source.header, frame, 1).forEach((seen, k) => {
            if (seen) known.set(k, there[k] < 0 ? known.get(k) ?? 0 : there[k]);
        });
        const {what, when} = source.memory.at(turn);
        for (let k = 0; k < what.length; k++) {
            if (known.has(k) !== when[k] >= 0 || (known.get(k) ?? 0) !== what[k]) wrong.push([turn, k]);
            if (known.has(k) && there[k] >= 0) stale += what[k] !== there[k];
        }
    }
    const again = source.memory.at(0).when.filter((when) => when > 0).length;
    source.close();
    return {wrong: wrong.slice(0, 9), stale, known: known.size, all: source.memory.size, again};
}"""


SMALL: dict[str, dict[str, Any]] = {
    "metalman": {"map": "random", "size": 11},
    "pacman": {"side": 9, "ghosts": 0},
    "zombies": {"players": 12, "density": 0.02},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_what_a_bot_has_seen_so_far_is_remembered(page: Page, view: View, tmp_path: Path, name: str) -> None:
    game = load(name)
    seats = game.contest_defaults.seats or 3
    path = tmp_path / "one.koth.gz"
    settings = dataclasses.replace(game.rulesets["published"], **SMALL[name])
    policy = wander() if name == "pacman" else None
    record(path, game, settings, [f"bot {seat}" for seat in range(seats)], 150, policy)
    page.goto(f"{view(path)}#turn=3&eyes=1")
    wait_for_turn(page, 3)
    page.wait_for_selector("td.eye [aria-pressed=true]")
    found = page.evaluate(REMEMBERED, name)
    assert (found["wrong"], found["again"]) == ([], 0)
    assert 0 < found["known"] <= found["all"]
    assert found["stale"] > 0


@pytest.mark.slow
def test_remembered_ground_is_drawn_without_units(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    shades = page.evaluate(
        """async () => {
            const {Stage} = await import("/static/stage.js");
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 40;
            const paint = (color) => (ctx) => { ctx.fillStyle = color; ctx.fillRect(0, 0, 4, 4); };
            const picture = {board: () => ({width: 4, height: 4}), draw: paint("#f00"), drawMemory: paint("#00f")};
            const stage = new Stage(canvas, picture);
            const theme = {ground: "#000", paper: "#fff", fog: "#0f0"};
            const shot = {match: {}, frame: {}, previous: null, progress: 1, colors: [], theme, look: ""};
            const mask = (...squares) => Uint8Array.from({length: 16}, (_, k) => squares.includes(k));
            stage.draw(shot, mask(0), [], {mask: mask(5), what: [], when: []});
            const at = (x, y) => [...canvas.getContext("2d").getImageData(x * 10 + 5, y * 10 + 5, 1, 1).data];
            return [at(0, 0), at(1, 1), at(2, 2)];
        }"""
    )
    assert shades[0] == [255, 0, 0, 255]
    assert shades[2] == [0, 255, 0, 255]
    red, green, blue, _ = shades[1]
    assert red == 0
    assert green > 0
    assert blue > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_hostile_names_are_only_text_in_every_game(page: Page, view: View, tmp_path: Path, name: str) -> None:
    game = load(name)
    seats = game.contest_defaults.seats or max(2, game.seats.start)
    evil = ["<img src=x onerror=alert(1)>", "</script><svg onload=alert(2)>\u202e", "\u2066{{7*7}}\x00", "__proto__"]
    names = [*evil, *(f"bot {seat}" for seat in range(seats))][:seats]
    path = tmp_path / "one.koth.gz"
    record(path, game, next(iter(game.rulesets.values())), names, 12)
    last = [turn.turn for turn in Replay(path).turns()][-1]
    page.goto(f"{view(path)}#turn={last}")
    wait_for_turn(page, last)
    page.wait_for_selector("#standings tbody tr")
    page.click("#answers summary")
    until(page, "document.querySelectorAll('#charts figure').length > 0")
    until(page, "document.querySelectorAll('#answers li').length > 0")
    for key in ("b", "e", ".", ","):
        page.keyboard.press(key)
    shown = str(page.text_content("#standings"))
    for evil_name in names[:2]:
        assert evil_name.replace("\u202e", r"\u{202e}") in shown
    # Nothing of the names has become an element, and nothing in them steers the text around it.
    assert page.locator("img, iframe, object, embed, #match script, [onerror], [onload]").count() == 0
    assert not set("\u202e\u2066\x00") & set(page.content())


@pytest.mark.slow
def test_the_address_holds_all_of_it(page: Page, view: View, replay: Path) -> None:
    address = view(replay.parent)
    wanted = {"turn": "120", "speed": "4", "bot": "2", "who": "5", "view": "6,7,2", "onwards": ""}
    told = urllib.parse.urlencode({"replay": f"{address}replays/match-0", **wanted})
    page.goto(f"{address}#{told}")
    wait_for_turn(page, 120)
    until(page, "document.querySelector('#card:not([hidden])') !== null")
    until(page, "location.hash.includes('who=5')")
    page.wait_for_timeout(800)
    held = dict(urllib.parse.parse_qsl(page.url.partition("#")[2], keep_blank_values=True))
    assert held["replay"].endswith("replays/match-0")
    assert {key: held[key] for key in ("turn", "speed", "bot", "who", "onwards")} == {
        key: wanted[key] for key in ("turn", "speed", "bot", "who", "onwards")
    }
    assert held["view"].split(",")[2] == "2"
    page.reload()
    wait_for_turn(page, 120)
    assert page.locator("tr.focus").inner_text().split()[1] == "Coward"
    page.keyboard.press("w")
    until(page, "document.fullscreenElement?.id === 'match'")
    with page.expect_download() as download:
        page.keyboard.press("s")
    assert download.value.suggested_filename == "zombies-match-0-turn-120.png"
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


LABELS = """async () => {
    const {drawLabels} = await import("/static/labels.js");
    const ctx = new OffscreenCanvas(10, 10).getContext("2d");
    const said = [];
    ctx.fillText = (text, left, top) => said.push({text, left, top, right: left + ctx.measureText(text).width});
    const label = (text, x, y) => ({text, x, y, color: "red"});
    const list = [
        label("corner", 0, 0), label("corner", 20, 0), label("corner", 190, 0), label("bottom", 100, 80),
        label("first", 100, 30), label("nowhere", 104, 44), label("above", 106, 30),
        label("beside", 50, 52),
    ];
    const isTaken = (left, top, right, bottom) => left < 60 && right > 40 && top < 70 && bottom > 58;
    const theme = {paper: "white", ink: "black"};
    drawLabels(ctx, list, 12, {left: 0, top: 0, right: 200, bottom: 100}, 1, theme, isTaken);
    return said;
}"""


@pytest.mark.slow
def test_names_are_whole_and_lie_beside_one_another(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay))
    said = page.evaluate(LABELS)
    assert [name["text"] for name in said] == ["corner", "corner", "bottom", "first", "above", "beside"]
    assert all(name["left"] >= 0 and name["right"] <= 200 and 0 <= name["top"] <= 87 for name in said)
    assert said[2]["top"] < 80, "under its square there is no room"
    assert said[5]["top"] + 13 <= 58, "a piece lies under its square"
    for one, other in itertools.combinations(said, 2):
        apart = one["right"] <= other["left"] or other["right"] <= one["left"] or abs(one["top"] - other["top"]) >= 13
        assert apart, (one, other)


BROKEN = """
export const board = (match, {side}) => ({width: side, height: side});
export const draw = (ctx, {frame: {side}}) => { ctx.fillStyle = "#ff0000"; ctx.fillRect(0, 0, side, side); };
export const drawAboveFog = (ctx, {frame: {side}}) => {
  ctx.fillStyle = "#0000ff"; ctx.fillRect(side - 1, side - 1, 1, 1); };
export const series = (frame) => ({score: frame.score});
export const caption = (frame, match, team) => `hidden ${frame.x.some((x) => x < 0)}, team ${team}`;
export function actors(frame) { return frame.minex.map((x) => x); }
export function others(match) { return match.nothing.there; }
"""


@pytest.mark.slow
def test_a_picture_that_throws_is_named_and_the_page_goes_on(page: Page, view: View, replay: Path) -> None:
    page.route("**/games/zombies/draw.js", lambda route: route.fulfill(body=BROKEN, content_type="text/javascript"))
    page.goto(view(replay) + "#turn=6&eyes=1")
    wait_for_turn(page, 6)
    until(page, "document.querySelectorAll('#broken li').length === 2")
    told = page.locator("#broken li").all_inner_texts()
    assert sorted(line.partition(": ")[2] for line in told) == [
        "actors failed: Cannot read properties of undefined (reading 'map')",
        "others failed: Cannot read properties of undefined (reading 'there')",
    ]
    assert "draw.js, line 8" in told[0] + told[1]
    assert len(standings(page)) == 3
    until(page, "document.querySelector('#caption').textContent.endsWith('hidden true, team 1')")
    seen = visible_squares(load("zombies").frame_spec, next(Replay(replay).turns(6)).frame, 1)
    shades = page.evaluate(
        """([seen, squares]) => {
            const canvas = document.getElementById("board");
            const side = Math.min(canvas.width, canvas.height);
            const [left, top] = [(canvas.width - side) / 2, (canvas.height - side) / 2];
            const middle = (at) => (at + 0.5) * side / squares;
            const pixel = (k) => canvas.getContext("2d").getImageData(
                left + middle(k % squares), top + middle(Math.floor(k / squares)), 1, 1).data;
            return [seen.indexOf(1), seen.indexOf(0), squares ** 2 - 1].map((k) => [...pixel(k)].slice(0, 3));
        }""",
        [seen.ravel().astype(int).tolist(), len(seen)],
    )
    assert shades[0] == [255, 0, 0]
    assert shades[1] not in ([255, 0, 0], [0, 0, 255]), "in fog"
    assert shades[2] == [0, 0, 255], "above the fog"
