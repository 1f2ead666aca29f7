"""A replay as one file: opened from disk, in a frame, as a film."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.errors import KothError
from koth.games import GAMES, load
from koth.replay.reader import Replay
from koth.viewer.bundle import BundleError, bundle
from koth.viewer.export import embed, export
from koth.viewer.server import SCRIPTS, read_script, static_files
from tests.viewer.conftest import REFUSES
from tests.viewer.recording import record
from tests.viewer.test_page import until, wait_for_turn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without a network, on which nothing may go wrong."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, offline=True)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("request", lambda asked: wrong.append(asked.url) if asked.url.startswith("http") else None)
    yield page
    context.close()
    assert wrong == []


def short(name: str, path: Path) -> Path:
    """A short match of a game."""
    game = load(name)
    seats = game.contest_defaults.seats or max(2, game.seats.start)
    record(path, game, next(iter(game.rulesets.values())), [f"bot {seat}" for seat in range(seats)], 12)
    return path


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("name", GAMES)
def test_every_game_plays_from_disk(name: str, page: Page, tmp_path: Path) -> None:
    replay = short(name, tmp_path / "one.koth.gz")
    file = tmp_path / "out.html"
    file.write_text(export(replay), encoding="utf-8")
    page.goto(f"{file.as_uri()}#turn=3")
    wait_for_turn(page, 3)
    page.wait_for_selector("#standings tbody tr")
    last = [turn.turn for turn in Replay(replay).turns()][-1]
    page.keyboard.press("End")
    wait_for_turn(page, last)
    until(page, "document.querySelectorAll('#charts figure').length >= 1")
    page.keyboard.press("Home")
    wait_for_turn(page, 0)


@pytest.mark.needs("chromium")
def test_it_plays_where_the_browser_refuses_storage(page: Page, replay: Path, tmp_path: Path) -> None:
    page.add_init_script(REFUSES)
    (tmp_path / "out.html").write_text(export(replay), encoding="utf-8")
    page.goto(f"{(tmp_path / 'out.html').as_uri()}#turn=3")
    wait_for_turn(page, 3)
    page.keyboard.press("w")  # the whole screen
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") != theme
    page.keyboard.press("End")
    wait_for_turn(page, 300)


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("sandbox", ["", ' sandbox="allow-scripts"'])
def test_it_plays_in_a_frame(page: Page, replay: Path, tmp_path: Path, sandbox: str) -> None:
    file = tmp_path / "notebook.html"
    text = embed(str(replay))._repr_html_()
    assert text == embed(replay)
    file.write_text("<!doctype html><p>above</p>" + text.replace("<iframe", "<iframe" + sandbox), encoding="utf-8")
    page.goto(file.as_uri())
    frame: Any = page.frames[1]
    frame.wait_for_selector("#standings tbody tr")
    frame.locator("#end").click()
    until(frame, "document.querySelector('#turn b').textContent === '300'")
    assert r"<b>bold</b>\u{202e}gnp.exe\u{7}\u{a}" in str(frame.text_content("#standings"))
    assert frame.locator("#standings b").count() == 0


def test_the_file_is_strict_and_whole(replay: Path) -> None:
    text = export(replay)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "http:" not in policy[1]
    assert not re.search(r'(src|href)="/', text)
    assert "\u202e" not in text
    assert "<b>bold" not in text
    assert text.index("Content-Security-Policy") < text.index("<style")


def test_a_frame_can_not_be_left_by_its_text(replay: Path) -> None:
    inside = re.search(r'srcdoc="([^"]*)"', embed(replay))
    assert inside is not None
    assert html.unescape(inside[1]) == export(replay)


def test_a_bundle_runs_modules_in_the_order_of_need() -> None:
    modules = {
        "main.js": 'import {a as b, C} from "./one.js";\nimport * as all from "./two.js";\nrun(b, C, all.f);\n',
        "one.js": 'import {f} from "./two.js";\nexport const a = f();\nexport class C {}\n',
        "two.js": "// export nothing else\nexport async function* f() {}\n",
    }
    text = bundle("main.js", modules)
    assert text.index("m_two_js") < text.index("m_one_js") < text.index("m_main_js")
    assert "const {a: b, C} = m_one_js;" in text
    assert "return {f};" in text
    assert not re.search(r"^(import|export)\b", text, re.M)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('import "./x.js";', "can't be bundled"),
        ("export let x = 1;", "can't be bundled"),
        ("export default 3;", "can't be bundled"),
        ('const x = import("./x.js");', "can't be bundled"),
        ("x = import.meta.url;", "can't be bundled"),
        ('import {x} from "./gone.js";', "no gone.js"),
        ('import {x} from "./main.js";', "import each other"),
    ],
)
def test_what_can_not_be_bundled_is_refused(source: str, words: str) -> None:
    with pytest.raises(BundleError, match=words):
        bundle("main.js", {"main.js": source + "\n", "x.js": ""})


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_page_asks_for_its_script_once(name: str) -> None:
    """Each module of its own costs the browser a request."""
    text = read_script(static_files(), name)
    assert text is not None
    assert not re.search(r"^\s*(import\s*[{*\"]|export\b)", text, re.M)


def test_what_stands_in_for_another_module_offers_the_same() -> None:
    def offers(name: str) -> set[str]:
        return set(re.findall(r"^export (?:async )?(?:function|const) (\w+)", static_files()[name].read_text(), re.M))

    assert offers("embedded.js") == offers("place.js")


def koth(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, words)
    return result.exit_code, str(result.exception) if isinstance(result.exception, KothError) else result.output


def test_the_command_writes_a_page_and_overwrites_nothing(replay: Path, tmp_path: Path) -> None:
    out = tmp_path / "match.html"
    code, text = koth("export", str(replay), str(out))
    assert code == 0
    assert str(out) in text.replace("\n", "")
    assert out.read_text() == export(replay)
    out.write_text("mine")
    code, text = koth("export", str(replay), str(out))
    assert code != 0
    assert "is there already; choose another name" in text
    assert out.read_text() == "mine"


def test_the_command_refuses_an_unknown_ending(replay: Path) -> None:
    code, text = koth("export", str(replay), "x.png")
    assert code != 0
    assert "not 'x.png'" in text


def test_a_contest_becomes_a_folder(run: Path, tmp_path: Path) -> None:
    code, text = koth("export", str(run), str(tmp_path / "all.mp4"))
    assert code == 2
    assert ".mp4 is for one match's replay" in text
    assert not (tmp_path / "all.mp4").exists()


def test_only_a_replay_can_be_exported(run: Path, tmp_path: Path) -> None:
    with pytest.raises(KothError, match="this is a folder"):
        export(run)
    with pytest.raises(KothError, match="No such file"):
        export(tmp_path / "gone.koth.gz")


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("kind", ["gif", "mp4"])
def test_a_film_shows_the_match(replay: Path, tmp_path: Path, kind: str) -> None:
    image = pytest.importorskip("PIL.Image")
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    from koth.viewer.film import FRAME_RATES, Shot, _times

    out = tmp_path / f"film.{kind}"
    words = ["--from", "3", "--to", "4"]
    times = {kind: _times(Shot(3, 4), 9, FRAME_RATES[kind]) for kind in ("gif", "mp4")}
    # In a process of its own: Playwright runs only once at a time in one.
    command = [sys.executable, "-m", "koth", "export", str(replay), str(out), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    if kind == "gif":
        with image.open(out) as film:
            assert film.size == (960, 540)
            assert film.n_frames == len(times["gif"])
            pictures = []
            for number in (0, film.n_frames - 1):
                film.seek(number)
                pictures.append(film.convert("RGB").tobytes())
    else:
        read = [ffmpeg.get_ffmpeg_exe(), "-i", str(out), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        decoded = subprocess.run(read, capture_output=True, timeout=600, check=True)
        assert b"h264" in decoded.stderr
        size = 960 * 540 * 3
        pictures = [decoded.stdout[k : k + size] for k in range(0, len(decoded.stdout), size)]
        assert len(pictures) == len(times["mp4"])
    assert pictures[0] != pictures[-1]
    assert len(set(pictures[0])) > 10


@pytest.mark.slow
def test_turns_that_are_not_there_can_not_be_filmed() -> None:
    from koth.viewer.film import FilmError, Shot, _times

    assert _times(Shot(first=2, last=4, speed=1), 9, 2.0) == [2, 2.5, 3, 3.5, 4]
    assert _times(Shot(speed=4), 8, 2.0) == [0, 2, 4, 6, 8]
    assert len(_times(Shot(), 4000, 10.0)) == 201
    with pytest.raises(FilmError, match="the match has 9"):
        _times(Shot(first=10), 9, 2.0)
