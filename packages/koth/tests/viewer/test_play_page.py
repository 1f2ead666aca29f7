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
class PlayPage:
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
def open_play(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Start `koth play GAME WORDS`; gives a PlayPage with the page still to be opened."""
    started: list[subprocess.Popen[str]] = []
    opened: list[PlayPage] = []
    context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark", has_touch=True)
    context.set_default_timeout(300_000)

    def start(game: str, *words: str) -> PlayPage:
        replay = tmp_path / "match.koth.gz"
        code = "import sys; from koth.cli import main; main()"
        options = ["--seed", "3", "--out", str(replay)]
        command = [sys.executable, "-c", code, "play", game, *(words or SMALL[game]), *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started.append(process)
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        played = PlayPage(context.new_page(), process, address, replay)
        opened.append(played)
        played.page.on("pageerror", lambda error: played.wrong.append(str(error)))
        played.page.on(
            "console",
            lambda said: played.wrong.append(said.text) if said.type == "error" else None,
        )

        played.page.on("response", lambda got: played.wrong.append(got.url) if got.status >= 400 else None)

        def note(request: Any) -> None:
            played.asked.append(urlsplit(request.url).path)
            if urlsplit(request.url).hostname != "127.0.0.1":
                played.wrong.append(request.url)
            if request.url.endswith("/play/say"):
                played.said.append(json.loads(request.post_data))

        played.page.on("request", note)
        return played

    yield start
    context.close()
    for process in started:
        process.terminate()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()
    for played in opened:
        assert played.wrong == []


def check_end(played: PlayPage, game: str) -> None:
    """The scores are those of the replay, the replay verifies, and the page leads to it."""
    replay = Replay(played.replay)
    assert replay.result is not None
    rows = played.page.locator("#over tbody tr").all_inner_texts()
    shown = {row.split("\t")[1]: float(row.split("\t")[2].replace(",", "")) for row in rows}
    assert shown == {name: round(score, 2) for name, score in replay.result["scores"].items()}
    assert verify(load(game), replay, read_settings(load(game), replay.header)) is None
    before = len(played.asked)
    allowed = {"/play", *(f"/play/{name}" for name in ("messages", "say", "leave"))}
    allowed |= {f"/games/{game}/{name}.js" for name in ("play", "draw")}
    assert {path for path in played.asked if not path.startswith("/static/")} <= allowed
    played.page.click("#watch")
    played.until("document.querySelectorAll('#standings tbody tr').length >= 2")
    assert "/replays/match" in played.asked[before:]


@pytest.mark.slow
def test_a_game_of_pacman_with_the_arrow_keys(open_play: Any) -> None:
    played = open_play("pacman")
    played.open()
    played.page.select_option("#pace", "0")
    played.page.evaluate("""() => {
      const notice = document.querySelector("#notice");
      self.noticed = [];
      new MutationObserver(() => noticed.push(notice.textContent)).observe(notice, {childList: true});
    }""")
    played.start()
    played.page.click("#received summary")
    played.until("document.querySelector('#received pre').textContent !== ''")
    assert played.page.evaluate("noticed") == ["The bots start. The board comes with your first move …", ""]
    told = played.page.text_content("#received pre")
    assert told is not None
    played.page.click(
        "#board", position={"x": 2, "y": 2}
    )  # beside the maze: no command, but the keys are the game's again
    assert set(json.loads(told)) == {"ask", "question", "row", "col", "self", "free", "seen"}
    played.play_on("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft")
    moves = [message["move"] for message in played.answers()]
    assert len(moves) >= 2
    assert set(moves) <= set("NESW")  # where a turn waits, a key towards a wall costs none
    assert played.page.inner_text("#further").endswith("play pacman @greedy --set side=9 --set turns=25")
    check_end(played, "pacman")
    played.page.goto(played.address)
    played.page.click("#again")
    played.page.wait_for_selector("#welcome[open]")
    played.start()
    names = played.page.locator("#players li").all_inner_texts()
    assert [name.split()[0] for name in names] == ["you", "greedy"]
    assert (played.replay.with_name("match-2.koth.gz.part")).exists()


@pytest.mark.slow
def test_pacman_goes_on_by_itself_at_a_pace_and_can_be_paused(open_play: Any) -> None:
    played = open_play("pacman", "@camper", "--set", "side=12", "--set", "turns=200", "--set", "ghosts=0")
    played.open()
    played.page.select_option("#pace", "15")
    played.start()
    played.page.wait_for_timeout(300)
    assert played.turn == 1  # the first move starts the clock
    played.page.keyboard.press("ArrowRight")
    played.until("Number(document.querySelector('#subtitle').textContent.split(' ').pop()) > 4")
    played.page.keyboard.press("p")
    played.page.wait_for_timeout(200)
    said = len(played.answers())
    played.page.wait_for_timeout(300)
    assert len(played.answers()) == said
    paused = played.turn
    played.page.keyboard.press("p")
    played.until(f"Number(document.querySelector('#subtitle').textContent.split(' ').pop()) > {paused + 1}")


def test_it_is_played_where_the_browser_refuses_storage(open_play: Any) -> None:
    played = open_play("pacman")
    played.page.add_init_script(REFUSES)
    played.open()
    played.page.select_option("#pace", "0")
    played.start()
    played.page.keyboard.press("x")
    played.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    theme = played.page.evaluate("document.documentElement.dataset.theme")
    played.page.click("#theme")
    assert played.page.evaluate("document.documentElement.dataset.theme") != theme


@pytest.mark.slow
def test_a_dead_pacman_goes_on_as_a_ghost(open_play: Any) -> None:
    played = open_play("pacman", "@camper", "@cautious", "@mastermind", "--set", "side=14", "--set", "turns=80")
    played.open()
    played.page.select_option("#pace", "0")
    played.start()
    while "ghost" not in played.page.inner_text("#headline") and not played.is_over:
        played.page.keyboard.press("x")
        played.page.wait_for_timeout(20)
    assert played.page.inner_text("#headline") == "You are a ghost"
    played.play_on("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft")
    check_end(played, "pacman")


def test_a_game_of_zombies(open_play: Any) -> None:
    played = open_play("zombies")
    played.open()
    played.start()
    played.page.keyboard.press("e")
    played.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    first = played.answers()[0]["moves"]
    assert set(first) == {"0", "1", "2"}
    assert first["0"] == "NORTHEAST"
    played.page.keyboard.press("Tab")
    assert played.page.inner_text("#headline") != "You lead number 0"
    played.page.click("#pad button[aria-label='down and left']")
    played.until("document.querySelector('#subtitle').textContent === 'your move 3'")
    assert played.answers()[1]["moves"]["1"] == "SOUTHWEST"
    played.play_on("Space", "s")
    shots = [move for message in played.answers() for move in message["moves"].values() if isinstance(move, dict)]
    assert all(list(shot) == ["shoot"] for shot in shots)
    check_end(played, "zombies")


@pytest.mark.slow
def test_a_game_of_metalman_with_plans(open_play: Any, tmp_path: Path) -> None:
    (tmp_path / "open.txt").write_text("\n".join(["FFFFFFF"] * 7) + "\n")
    played = open_play("metalman", "@explorer", "--set", f"map={tmp_path / 'open.txt'}")
    played.open()
    played.start()
    page = played.page
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "Backspace"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    played.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    plan = played.answers()[0]
    assert plan["Spotter"] == {"moves": [[1, 0]], "direction": [0, 1]}
    assert plan["Assasin"] == {"moves": [[0, 1], [1, 0]], "direction": [1, 0]}
    played.play_on("Enter")
    check_end(played, "metalman")


@pytest.mark.slow
def test_pieces_are_planned_by_clicks(open_play: Any) -> None:
    played = open_play("metalman")
    played.open()
    played.start()
    box = played.page.locator("#board").bounding_box()
    assert box is not None
    size = min(box["width"], box["height"]) / 9
    left, top = box["x"] + (box["width"] - 9 * size) / 2, box["y"] + (box["height"] - 9 * size) / 2

    def click(row: int, column: int) -> None:
        played.page.mouse.click(left + (column + 0.5) * size, top + (row + 0.5) * size)

    click(1, 0)
    assert played.page.inner_text("#facts dd:nth-of-type(1)") == "1 step left"
    click(0, 1)
    assert played.page.inner_text("#headline") == "Plan your assassin"
    click(8, 1)  # out of its reach: it only turns
    played.page.click("#buttons [data-press='Enter']")
    played.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    plan = played.answers()[0]
    assert plan["Spotter"] == {"moves": [[1, 0]], "direction": [1, 0]}
    assert plan["Assasin"] == {"moves": [], "direction": [1, 0]}


@pytest.mark.slow
def test_a_page_that_is_loaded_again_is_where_it_was(open_play: Any) -> None:
    played = open_play("zombies")
    played.open()
    played.start()
    played.page.keyboard.press("s")
    played.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    played.page.reload()
    played.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    assert played.page.locator("#welcome[open]").count() == 0
    played.page.keyboard.press("s")
    played.until("document.querySelector('#subtitle').textContent === 'your move 3'")


@pytest.mark.slow
def test_who_leaves_can_watch_the_rest(open_play: Any) -> None:
    played = open_play("zombies")
    played.open()
    played.start()
    played.page.click("#leave")
    played.page.click("#stay")
    played.page.keyboard.press("s")
    played.until("document.querySelector('#subtitle').textContent === 'your move 2'")
    played.page.click("#leave")
    played.page.click("#gone")
    played.page.wait_for_selector("#over[open]")
    result = Replay(played.replay).result
    assert result is not None
    assert result["faults"]["you"].keys() == {"closed"}
    check_end(played, "zombies")


@pytest.mark.slow
def test_a_finger_is_as_good_as_a_key(open_play: Any) -> None:
    played = open_play("pacman", "@camper", "--set", "side=12", "--set", "ghosts=0")
    played.open()
    played.page.select_option("#pace", "0")
    played.start()
    tapped = []
    for way, move in {"up": "N", "right": "E", "down": "S", "left": "W"}.items():
        tapped.append(move)
        played.page.tap(f"#pad button[aria-label='{way}']")
        for _ in range(80):  # a wall is not answered with
            if not played.answers():
                played.page.wait_for_timeout(25)
        if played.answers():
            break
    assert played.answers()[0]["move"] in tapped
    played.until("document.querySelector('#subtitle').textContent === 'your move 2'")


@pytest.mark.slow
def test_nothing_is_to_be_had_of_the_match_before_its_end(open_play: Any) -> None:
    played = open_play("metalman")
    root = played.address.removesuffix("/play")
    with httpx.Client(base_url=root, timeout=300) as client:
        assert client.get("/matches.json").json()["matches"] == []
        assert client.get("/replays/match").status_code == 404
        assert client.get("/").headers["location"] == "play"
        assert client.get("/games/nothing/play.js").status_code == 404
    played.open()
    played.start()
    with httpx.Client(base_url=root, timeout=300) as client:
        assert client.get("/matches.json").json()["matches"] == []
        assert client.get("/replays/match").status_code == 404


@pytest.mark.slow
def test_ctrl_c_ends_the_match_without_a_replay(open_play: Any) -> None:
    played = open_play("zombies")
    played.open()
    played.start()
    played.process.send_signal(signal.SIGINT)
    assert played.process.wait(20) == 130
    assert not list(played.replay.parent.glob("*.koth.gz*"))
    played.page.close()
    played.wrong.clear()  # the page says that it has lost its connection


@pytest.mark.slow
def test_only_the_page_itself_may_answer(open_play: Any) -> None:
    played = open_play("zombies")
    played.open()
    root = played.address.removesuffix("/play")
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
    assert played.page.locator("#welcome[open]").count() == 1
