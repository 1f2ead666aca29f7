"""A season from its first account to its final, by a browser that runs no scripts; one that does watches a match."""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.program import GOOD, SMALL, Done, finished, program
from tests.hill.site.conftest import PASSWORD
from tests.viewer.conftest import CHROMIUM

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.long, pytest.mark.needs("chromium", "javac", "node")]
PATIENCE = 600
"""Seconds in which a bot is checked, whatever else this machine does."""
CRASH = """
class Bot:
    def do_turn(self, context):
        raise ValueError("</pre><script>alert(1)</script>")
"""


class Season:
    """A hill in a folder, its site, and the people who use it."""

    def __init__(self, folder: Path, address: str, new_host: str, browser: Browser) -> None:
        self.folder, self.address, self.new_host = folder, address, new_host
        self._browser = browser

    def person(self, has_scripts: bool = False) -> Page:
        """Return a page of a browser of somebody's own."""
        page = self._browser.new_context(java_script_enabled=has_scripts).new_page()
        page.set_default_timeout(60_000)
        return page

    def join(self, name: str) -> Page:
        """Have somebody join, and return their page."""
        page = self.person()
        page.goto(f"{self.address}/join")
        page.fill("[name=name]", name)
        page.fill("[name=password1]", PASSWORD)
        page.fill("[name=password2]", PASSWORD)
        page.click("main button")
        assert page.url == f"{self.address}/write"
        page.goto(f"{self.address}/submit")
        return page

    def send(self, page: Page, name: str, data: bytes) -> None:
        """Send a file with a bot."""
        page.goto(f"{self.address}/submit")
        page.set_input_files("[name=file]", {"name": name, "mimeType": "application/zip", "buffer": data})
        page.click("main button")

    def koth(self, *words: object) -> Done:
        """Run a command, which must work."""
        done = finished(program(*words, cwd=self.folder.parent))
        assert done.code == 0, done.err
        return done


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Season]:
    from playwright.sync_api import sync_playwright

    folder = tmp_path / "hill"
    done = finished(
        program("hill", "init", "zombies", folder, "--seats", 2, "--rank-by", "rating", *SMALL, cwd=tmp_path)
    )
    assert done.code == 0, done.err
    command = [sys.executable, "-m", "koth", "hill", "serve", str(folder), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
        assert server.stdout is not None
        address, *_ = server.stdout.readline().split()
        new_host = next(word for word in server.stdout.readline().split() if "/new-host/" in word)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        yield Season(folder, address.rstrip("/"), new_host, browser)
        browser.close()
        server.terminate()


def zipped(folder: Path) -> bytes:
    """Return the zip of a folder."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder.parent))
    return data.getvalue()


def until(page: Page, state: str) -> None:
    """Wait until the page of a version says this: without scripts, too, it renews itself."""
    page.wait_for_selector(f"span.state.{state}", timeout=PATIENCE * 1000)


def test_from_the_first_account_to_the_final(season: Season, tmp_path: Path) -> None:
    host = season.person()
    host.goto(season.new_host)
    host.fill("[name=name]", "heidi")
    host.fill("[name=new_password1]", PASSWORD)
    host.fill("[name=new_password2]", PASSWORD)
    host.click("main button")
    host.goto(f"{season.address}/host/limits")
    host.check("[name=open_registration]")
    host.fill("[name=announcement]", "Welcome.")
    host.click("main button")

    anna, jo, jim, mallory = (season.join(name) for name in ("anna", "jo", "jim", "mallory"))
    season.send(anna, "fox.py", GOOD.encode())
    for page, name, language in ((jo, "hen", "java"), (jim, "owl", "javascript")):
        season.koth("new", "zombies", tmp_path / name, "--lang", language)
        season.send(page, f"{name}.zip", zipped(tmp_path / name))
        assert "received" in page.inner_text("main")
    hostile = io.BytesIO()
    with zipfile.ZipFile(hostile, "w") as archive:
        archive.writestr("../../evil.py", GOOD)
    season.send(mallory, "evil.zip", hostile.getvalue())
    assert "evil.py" in mallory.inner_text(".errorlist")
    season.send(mallory, "<b>crash.py", CRASH.encode())
    season.send(mallory, "crash.py", CRASH.encode())

    runner = program("hill", "run", season.folder, "--isolation", "none", cwd=tmp_path)
    for page in (anna, jo, jim):
        until(page, "playing")
    until(mallory, "refused")
    assert "<script>" in mallory.inner_text("pre")
    for path, status in (("/my/bots/1", 404), ("/uploads/1", 404), ("/host/", 403), ("/host/limits", 403)):
        answer = mallory.goto(season.address + path)
        assert answer is not None
        assert answer.status == status, path

    visitor = season.person(has_scripts=True)
    visitor.goto(season.address)
    visitor.wait_for_selector("table.standings >> text=fox", timeout=PATIENCE * 1000)
    assert "Welcome." in visitor.inner_text(".announcement")
    visitor.wait_for_selector("text=Just over", timeout=PATIENCE * 1000)
    visitor.click("h3:has-text('Just over') + ul a >> nth=0")
    visitor.wait_for_selector("canvas")
    visitor.wait_for_selector("text=/fox|hen|owl/ >> visible=true")

    jo.goto(f"{season.address}/my/bots")
    jo.click("th a")
    jo.click("text=Withdraw it")
    jo.click("text=Go back to version 1")
    assert "plays after a check" in jo.inner_text(".message")
    end = time.monotonic() + PATIENCE
    while not re.search(r"^2\s+playing", jo.inner_text("main"), re.MULTILINE):
        assert time.monotonic() < end, jo.inner_text("main")
        time.sleep(1)
        jo.reload()

    host.goto(f"{season.address}/host/season")
    host.check("form[action$='/freeze'] [name=sure]")
    host.click("text=Freeze >> nth=-1")
    anna.goto(f"{season.address}/submit")
    assert "no more bots are accepted" in anna.inner_text(".warning")
    host.fill("[name=matches_each]", "2")
    host.click("text=Play the final")
    end = time.monotonic() + PATIENCE
    while not host.locator("text=The final is over").count():
        assert time.monotonic() < end, host.inner_text("main")
        time.sleep(1)
        host.reload()
    runner.send_signal(signal.SIGINT)
    finished(runner)
    host.check("[name=sure]")
    host.click("main button >> text=Publish")
    visitor.goto(f"{season.address}/seasons/1")
    text = visitor.inner_text("main")
    assert {"fox", "hen", "owl"} <= set(re.findall(r"\w+", text))
    assert "crash" not in text
    season.koth("verify", f"{season.address}/seasons/1/final")


HOSTILE = """
import os, sys

class Bot:
    def do_turn(self, context):
        hill = {hill!r}
        print("x" * 100_000, file=sys.stderr)
        print("found", [place for place in (hill, hill + "/hill.sqlite") if os.path.exists(place)], file=sys.stderr)
        while True:
            pass
"""
"""A bot that looks for others' sources, floods its output, and then computes for ever."""


def write(page: Page, text: str) -> None:
    """Replace what is in the editor."""
    page.click(".cm-content:visible")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def tried(page: Page, do: str = "try") -> str:
    """Have what is written tried, and return what the page says of it in the end."""
    before = page.inner_text("#bench p")
    page.click(f"[value={do}]")
    page.wait_for_function("before => document.querySelector('#bench p').innerText !== before", arg=before)
    page.wait_for_selector("#bench p:is([data-state=fine], [data-state=faulty], [data-state=broken])")
    return page.inner_text("#bench p")


def test_a_bot_is_written_tried_and_sent_while_a_hostile_one_is_tried(season: Season) -> None:
    host = season.person()
    host.goto(season.new_host)
    for field, word in (("name", "heidi"), ("new_password1", PASSWORD), ("new_password2", PASSWORD)):
        host.fill(f"[name={field}]", word)
    host.click("main button")
    host.goto(f"{season.address}/host/limits")
    host.check("[name=open_registration]")
    host.click("main button")
    for sample in ("runner", "hunter"):
        season.koth("hill", "submit", season.folder, f"@{sample}", "--author", "sample")
    runner = program("hill", "run", season.folder, cwd=season.folder.parent)
    try:
        said: list[str] = []
        pages = {}
        for name, language in (("anna", "c%2B%2B"), ("mallory", "python")):
            with_scripts = season.person(has_scripts=True)
            with_scripts.context.add_cookies(season.join(name).context.cookies())
            with_scripts.set_default_timeout(PATIENCE * 1000)
            with_scripts.on("console", lambda message: said.append(message.text))
            with_scripts.goto(f"{season.address}/write?language={language}")
            with_scripts.wait_for_selector(".cm-content")
            pages[name] = with_scripts
        anna, mallory = pages["anna"], pages["mallory"]
        mallory.fill("#id_name", "fox_hunter")
        write(mallory, HOSTILE.format(hill=str(season.folder)))
        mallory.click("[value=try]")

        start = anna.input_value("[name=source]")
        write(anna, start.replace(";", "", 1))
        anna.reload()
        assert anna.is_visible("#back-again"), "what was typed is back"
        anna.fill("#id_name", "fox")
        assert "build failed" in tried(anna)
        assert "line" in anna.inner_text("#lines")
        anna.click("#lines button >> nth=0")
        assert anna.evaluate("document.querySelector('.editor').shadowRoot.activeElement.className") == "cm-content"
        anna.keyboard.press("Escape")
        anna.keyboard.press("Tab")
        assert anna.evaluate("document.activeElement.className") != "editor", "Esc, then Tab, leads out"
        write(anna, start)
        assert "rank" in tried(anna)
        anna.wait_for_selector("#match #standings >> text=fox")
        for name in ("head.h", "left.h"):
            anna.click("[value=add]:visible")
            anna.fill("[name=file]:visible", name)
        anna.click("[value=remove]:visible")
        write(anna, "#error not yet\n")
        anna.reload()
        anna.click("#own-files button >> nth=0")
        anna.click(".cm-content:visible")
        anna.keyboard.press("Control+Home")
        anna.keyboard.insert_text('#include "head.h"\n')
        assert "build failed" in tried(anna, "check")
        anna.click("#lines button:has-text('head.h, line 1')")
        assert anna.input_value("[name=file]:visible") == "head.h"
        write(anna, "")
        assert "no fault" in tried(anna, "check")

        mallory.wait_for_selector("#bench p:is([data-state=faulty], [data-state=broken])")
        assert "late" in mallory.inner_text("#bench ul")
        (match,) = mallory.request.get(f"{season.address}/write/fox_hunter/listing.json").json()["matches"]
        details = mallory.request.get(f"{season.address}{match['url'].replace('replay', 'details.json')}").json()
        assert "found []" in str(details["stderr"])
        foreign = f"{season.address}/write/fox"
        assert mallory.request.get(f"{foreign}/work.json").json()["state"] == "idle"
        assert mallory.request.get(f"{foreign}/listing.json").json()["matches"] == []
        assert mallory.request.get(foreign).status == 404
        assert [text for text in said if "Security Policy" in text] == []

        anna.click("[value=send]")
        until(anna, "playing")
    finally:
        runner.send_signal(signal.SIGINT)
        finished(runner)
