"""A person's game of each game, played by script in a real browser."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import pytest

from koth.engine.settings import read_settings
from koth.games import load
from koth.replay.reader import Replay
from koth.replay.verify import verify
from tests.viewer.conftest import CHROMIUM, REFUSES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.needs("chromium")

SMALL = {
    "pacman": ("@greedy", "--set", "side=9", "--set", "turns=25"),
    "zombies": ("@coward", "--set", "players=3"),
    "metalman": ("@explorer", "--set", "map=random", "--set", "size=9"),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        yield chromium
        chromium.close()


@dataclass
class Sitting:
    """`koth play`, and a page at it on which nothing may go wrong."""

    page: Page
    process: subprocess.Popen[str]
    address: str
    replay: Path
    asked: list[str] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def open(self) -> None:
        self.page.goto(self.address)
        self.page.wait_for_selector("#welcome[open]")

    def start(self) -> None:
        self.page.click("#begin")
        self.until("document.querySelector('#subtitle').textContent === 'your move 1'")

    def until(self, claim: str) -> None:
        """Wait until a claim about the page is true. (Playwright's own way would break the page's policy.)"""
        deadline = time.monotonic() + 300
        while not self.page.evaluate(claim):
            assert time.monotonic() < deadline, f"never came true: {claim}"
            self.page.wait_for_timeout(25)

    @property
    def turn(self) -> int:
        return int(self.page.inner_text("#subtitle").rpartition(" ")[2])

    @property
    def is_over(self) -> bool:
        return self.page.locator("#over[open]").count() > 0

    def play_on(self, *keys: str) -> None:
        """Press keys turn after turn until the match is over."""
        deadline = time.monotonic() + 300
        while not self.is_over:
            assert time.monotonic() < deadline
            for key in keys:
                self.page.keyboard.press(key)
            self.page.wait_for_timeout(25)

    def answers(self) -> list[dict[str, Any]]:
        return [message for message in self.said if "ask" in message]


@pytest.fixture
def sit(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Start `koth play GAME WORDS`; gives a Sitting with the page still to be opened."""
    started: list[subprocess.Popen[str]] = []
    sittings: list[Sitting] = []
    context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark", has_touch=True)
    context.set_default_timeout(300_000)

    def start(game: str, *words: str) -> Sitting:
        replay = tmp_path / "match.koth.gz"
        code = "import sys; from koth.cli import main; main()"
        options = ["--seed", "3", "--out", str(replay)]
        command = [sys.executable, "-c", code, "play", game, *(words or SMALL[game]), *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started.append(process)
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        sitting = Sitting(context.new_page(), process, address, replay)
        sittings.append(sitting)
        sitting.page.on("pageerror", lambda error: sitting.wrong.append(str(error)))
        sitting.page.on(
            "console",
            lambda said: sitting.wrong.append(said.text) if said.type == "error" else None,
        )

        sitting.page.on("response", lambda got: sitting.wrong.append(got.url) if got.status >= 400 else None)

        def note(request: Any) -> None:
            sitting.asked.append(urlsplit(request.url).path)
            if urlsplit(request.url).hostname != "127.0.0.1":
                sitting.wrong.append(request.url)
            if request.url.endswith("/play/say"):
                sitting.said.append(json.loads(request.post_data))

        sitting.page.on("request", note)
        return sitting

    yield start
    context.close()
    for process in started:
        process.terminate()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()
    for sitting in sittings:
        assert sitting.wrong == []


def check_end(sitting: Sitting, game: str) -> None:
    """The scores are those of the replay, the replay verifies, and the page leads to it."""
    replay = Replay(sitting.replay)
    assert replay.result is not None
    rows = sitting.page.locator("#over tbody tr").all_inner_texts()
    shown = {row.split("\t")[1]: float(row.split("\t")[2].replace(",", "")) for row in rows}
    assert shown == {name: round(score, 2) for name, score in replay.result["scores"].items()}
    assert verify(load(game), replay, read_settings(load(game), replay.header)) is None
    before = len(sitting.asked)
    allowed = {"/play", *(f"/play/{name}" for name in ("messages", "say", "leave"))}
    allowed |= {f"/games/{game}/{name}.js" for name in ("play", "draw")}
    assert {path for path in sitting.asked if not path.startswith("/static/")} <= allowed
    sitting.page.click("#watch")
    sitting.until("document.querySelectorAll('#standings tbody tr').length >= 2")
    assert "/replays/match" in sitting.asked[before:]


@pytest.mark.slow
def test_a_game_of_pacman_with_the_arrow_keys(sit: Any) -> None:
    sitting = sit("pacman")
    sitting.open()
    sitting.page.select_option("#pace", "0")
    sitting.page.evaluate("""() => {
      const notice = document.querySelector("#notice");
      self.noticed = [];
      new MutationObserver(() => noticed.push(notice.textContent)).observe(notice, {childList: true});
    }""")
    sitting.start()
    sitting.page.click("#received summary")
    sitting.until("document.querySelector('#received pre').textContent !== ''")
    assert sitting.page.evaluate("noticed") == ["The bots start. The board comes with your first move …", ""]
    told = sitting.page.text_content("#received pre")
    assert told is not None
    sitting.page.click(
        "#board", position={"x": 2, "y": 2}
    )  # beside the maze: no command, but the keys are the game's again
    assert set(json.loads(told)) == {"ask", "question", "row", "col", "self", "free", "seen"}
    sitting.play_on("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft")
    moves = [message["move"] for message in sitting.answers()]
    assert len(moves) >= 2
    assert set(moves) <= set("NESW")  # where a turn waits, a key towards a wall costs none
    assert sitting.page.inner_text("#further").endswith("play pacman @greedy --set side=9 --set turns=25")
    check_end(sitting, "pacman")
    sitting.page.goto(sitting.address)
    sitting.page.click("#again")
    sitting.page.wait_for_selector("#welcome[open]")
    sitting.start()
    names = sitting.page.locator("#players li").all_inner_texts()
    assert [name.split()[0] for name in names] == ["you", "greedy"]
    assert (sitting.replay.with_name("match-2.koth.gz.part")).exists()


@pytest.mark.slow
def test_pacman_goes_on_by_itself_at_a_pace_and_can_be_paused(sit: Any) -> None:
    sitting = sit("pacman", "@camper", "--set", "side=12", "--set", "turns=200", "--set", "ghosts=0")
    sitting.open()
    sitting.page.select_option("#pace", "15")
    sitting.start()
    sitting.page.wait_for_timeout(300)
    assert sitting.turn == 1  # the first move starts the clock
    sitting.page.keyboard.press("ArrowRight")
    sitting.until("Number(document.querySelector('#subtitle').textContent.split(' ').pop()) > 4")
    sitting.page.keyboard.press("p")
    sitting.page.wait_for_timeout(200)
    said = len(sitting.answers())
    sitting.page.wait_for_timeout(300)
    assert len(sitting.answers()) == said
    paused = sitting.turn
    sitting.page.keyboard.press("p")
    sitting.until(f"Number(document.querySelector('#subtitle').textContent.split(' ').pop()) > {paused + 1}")


def test_it_is_played_where_the_browser_refuses_storage(sit: Any) -> None:
    sitting = sit("pacman")
    sitting.page.add_init_script(REFUSES)
    sitting.open()
    sitting.page.select_option("#pace", "0")
    sitting.start()
    sitting.page.keyboard.press("x")
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    theme = sitting.page.evaluate("document.documentElement.dataset.theme")
    sitting.page.click("#theme")
    assert sitting.page.evaluate("document.documentElement.dataset.theme") != theme


@pytest.mark.slow
def test_a_dead_pacman_goes_on_as_a_ghost(sit: Any) -> None:
    sitting = sit("pacman", "@camper", "@cautious", "@mastermind", "--set", "side=14", "--set", "turns=80")
    sitting.open()
    sitting.page.select_option("#pace", "0")
    sitting.start()
    while "ghost" not in sitting.page.inner_text("#headline") and not sitting.is_over:
        sitting.page.keyboard.press("x")
        sitting.page.wait_for_timeout(20)
    assert sitting.page.inner_text("#headline") == "You are a ghost"
    sitting.play_on("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft")
    check_end(sitting, "pacman")


def test_a_game_of_zombies(sit: Any) -> None:
    sitting = sit("zombies")
    sitting.open()
    sitting.start()
    sitting.page.keyboard.press("e")
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    first = sitting.answers()[0]["moves"]
    assert set(first) == {"0", "1", "2"}
    assert first["0"] == "NORTHEAST"
    sitting.page.keyboard.press("Tab")
    assert sitting.page.inner_text("#headline") != "You lead number 0"
    sitting.page.click("#pad button[aria-label='down and left']")
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 3'")
    assert sitting.answers()[1]["moves"]["1"] == "SOUTHWEST"
    sitting.play_on("Space", "s")
    shots = [move for message in sitting.answers() for move in message["moves"].values() if isinstance(move, dict)]
    assert all(list(shot) == ["shoot"] for shot in shots)
    check_end(sitting, "zombies")


@pytest.mark.slow
def test_a_game_of_metalman_with_plans(sit: Any, tmp_path: Path) -> None:
    (tmp_path / "open.txt").write_text("\n".join(["FFFFFFF"] * 7) + "\n")
    sitting = sit("metalman", "@explorer", "--set", f"map={tmp_path / 'open.txt'}")
    sitting.open()
    sitting.start()
    page = sitting.page
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "Backspace"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    plan = sitting.answers()[0]
    assert plan["Spotter"] == {"moves": [[1, 0]], "direction": [0, 1]}
    assert plan["Assasin"] == {"moves": [[0, 1], [1, 0]], "direction": [1, 0]}
    sitting.play_on("Enter")
    check_end(sitting, "metalman")


@pytest.mark.slow
def test_pieces_are_planned_by_clicks(sit: Any) -> None:
    sitting = sit("metalman")
    sitting.open()
    sitting.start()
    box = sitting.page.locator("#board").bounding_box()
    assert box is not None
    size = min(box["width"], box["height"]) / 9
    left, top = box["x"] + (box["width"] - 9 * size) / 2, box["y"] + (box["height"] - 9 * size) / 2

    def click(row: int, column: int) -> None:
        sitting.page.mouse.click(left + (column + 0.5) * size, top + (row + 0.5) * size)

    click(1, 0)
    assert sitting.page.inner_text("#facts dd:nth-of-type(1)") == "1 step left"
    click(0, 1)
    assert sitting.page.inner_text("#headline") == "Plan your assassin"
    click(8, 1)  # out of its reach: it only turns
    sitting.page.click("#buttons [data-press='Enter']")
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    plan = sitting.answers()[0]
    assert plan["Spotter"] == {"moves": [[1, 0]], "direction": [1, 0]}
    assert plan["Assasin"] == {"moves": [], "direction": [1, 0]}


@pytest.mark.slow
def test_a_page_that_is_loaded_again_is_where_it_was(sit: Any) -> None:
    sitting = sit("zombies")
    sitting.open()
    sitting.start()
    sitting.page.keyboard.press("s")
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    sitting.page.reload()
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    assert sitting.page.locator("#welcome[open]").count() == 0
    sitting.page.keyboard.press("s")
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 3'")


@pytest.mark.slow
def test_who_leaves_can_watch_the_rest(sit: Any) -> None:
    sitting = sit("zombies")
    sitting.open()
    sitting.start()
    sitting.page.click("#leave")
    sitting.page.click("#stay")
    sitting.page.keyboard.press("s")
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    sitting.page.click("#leave")
    sitting.page.click("#gone")
    sitting.page.wait_for_selector("#over[open]")
    result = Replay(sitting.replay).result
    assert result is not None
    assert result["faults"]["you"].keys() == {"closed"}
    check_end(sitting, "zombies")


@pytest.mark.slow
def test_a_finger_is_as_good_as_a_key(sit: Any) -> None:
    sitting = sit("pacman", "@camper", "--set", "side=12", "--set", "ghosts=0")
    sitting.open()
    sitting.page.select_option("#pace", "0")
    sitting.start()
    tapped = []
    for way, move in {"up": "N", "right": "E", "down": "S", "left": "W"}.items():
        tapped.append(move)
        sitting.page.tap(f"#pad button[aria-label='{way}']")
        for _ in range(80):  # a wall is not answered with
            if not sitting.answers():
                sitting.page.wait_for_timeout(25)
        if sitting.answers():
            break
    assert sitting.answers()[0]["move"] in tapped
    sitting.until("document.querySelector('#subtitle').textContent === 'your move 2'")


@pytest.mark.slow
def test_nothing_is_to_be_had_of_the_match_before_its_end(sit: Any) -> None:
    sitting = sit("metalman")
    root = sitting.address.removesuffix("/play")
    with httpx.Client(base_url=root, timeout=300) as client:
        assert client.get("/matches.json").json()["matches"] == []
        assert client.get("/replays/match").status_code == 404
        assert client.get("/").headers["location"] == "play"
        assert client.get("/games/nothing/play.js").status_code == 404
    sitting.open()
    sitting.start()
    with httpx.Client(base_url=root, timeout=300) as client:
        assert client.get("/matches.json").json()["matches"] == []
        assert client.get("/replays/match").status_code == 404


@pytest.mark.slow
def test_ctrl_c_ends_the_match_without_a_replay(sit: Any) -> None:
    sitting = sit("zombies")
    sitting.open()
    sitting.start()
    sitting.process.send_signal(signal.SIGINT)
    assert sitting.process.wait(20) == 130
    assert not list(sitting.replay.parent.glob("*.koth.gz*"))
    sitting.page.close()
    sitting.wrong.clear()  # the page says that it has lost its connection


@pytest.mark.slow
def test_only_the_page_itself_may_answer(sit: Any) -> None:
    sitting = sit("zombies")
    sitting.open()
    root = sitting.address.removesuffix("/play")
    ours = {"origin": root, "content-type": "application/json"}
    with httpx.Client(base_url=root, timeout=300) as client:
        for headers in ({}, {**ours, "origin": "http://example.com"}, {**ours, "content-type": "text/plain"}):
            assert client.post("/play/say", headers=headers, content=b'{"ready": true}').status_code == 403
        assert client.post("/play/say", headers={**ours, "host": "example.com"}, content=b"{}").status_code == 421
        assert client.post("/play/say", headers=ours, content=b"x" * 300_000).status_code == 413
        wrong = client.post("/play/say", headers=ours, content=b'{"ask": 1, "moves": {}}')
        assert wrong.status_code == 200
        assert "there was no question 1" in wrong.json()["refused"]
        assert client.get("/play/say").status_code == 405
        assert "script-src 'self'" in client.get("/play").headers["content-security-policy"]
    assert sitting.page.locator("#welcome[open]").count() == 1
