"""A contest as a site of plain files, opened from a disk, in Chromium and in Firefox."""

from __future__ import annotations

import base64
import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from koth.contest.reading import PUBLIC
from koth.contest.run_reader import RunReader
from koth.errors import KothError
from koth.game import FAULT_KINDS
from koth.viewer.publish import SiteWords, publish, slugs
from tests.viewer.test_contest_page import over  # noqa: F401  (a fixture)
from tests.viewer.test_page import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Contest = tuple[Path, dict[str, Any]]

DROP = """text => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], "dropped.koth.gz"));
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
}"""


def test_every_bot_has_a_file_of_its_own() -> None:
    assert slugs(["Runner", "runner", "../x", "<b>", "?"]) == {
        "Runner": "runner",
        "runner": "runner-2",
        "../x": "x",
        "<b>": "b",
        "?": "bot",
    }


@pytest.mark.slow
def test_where_something_is_nothing_is_written(over: Contest, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(KothError, match="exists already"):
        publish(RunReader(over[0], PUBLIC), tmp_path / "out")
    with pytest.raises(KothError, match="is not the folder of a run"):
        publish(RunReader(tmp_path / "out", PUBLIC), tmp_path / "site")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["mine.txt"]


@pytest.mark.slow
def test_the_tables_match_the_contest(over: Contest, tmp_path: Path) -> None:  # noqa: F811
    publish(RunReader(over[0], PUBLIC), tmp_path / "site")
    (tmp_path / "site" / "bots" / "gone.html").write_text("of a bot that left")
    publish(RunReader(over[0], PUBLIC), tmp_path / "site", about=SiteWords("The cup", "See https://cup.example."))
    assert not (tmp_path / "site" / "bots" / "gone.html").exists()
    assert '"title":"The cup"' in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    with open(tmp_path / "site" / "standings.csv", newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [line["rank"] for line in lines] == sorted(line["rank"] for line in lines)
    with open(tmp_path / "site" / "matches.csv", newline="", encoding="utf-8") as file:
        matches = list(csv.DictReader(file))
    assert len(matches) == len(list((tmp_path / "site" / "matches").iterdir())) >= 2
    for line in lines:
        assert float(line["score"]) >= 0
        assert any(match[line["bot"]] for match in matches)


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_it_opens_from_a_disk(browser: Browser, over: Contest, tmp_path: Path) -> None:  # noqa: F811
    publish(RunReader(over[0], PUBLIC), tmp_path / "site")
    page = browser.new_page()
    page.goto((tmp_path / "site" / "index.html").as_uri())
    page.wait_for_selector("#run-standings tbody tr")
    page.wait_for_selector("#versus td")
    beside = page.eval_on_selector_all("#files a", "links => links.map((link) => link.getAttribute('href'))")
    assert beside == ["standings.csv", "matches.csv", "watch.html"]
    page.locator("#run-standings tbody a").first.click()
    page.wait_for_selector("#bot-page:not([hidden]) tbody tr")
    assert page.url.startswith((tmp_path / "site" / "bots").as_uri())
    page.locator("#matches tbody a").first.click()
    page.wait_for_selector("#ends:not([hidden])")
    assert "rules" in page.locator("#ends").text_content()
    page.keyboard.press("End")
    page.wait_for_selector("#ends h3, #ends table")
    page.keyboard.press("n")
    page.wait_for_url("**/match-0002.html*")
    page.locator("#faults", has_text=FAULT_KINDS["error"].meaning).wait_for()
    assert "I fail at turn 3" not in page.content(), "what a bot says is its author's, too"
    assert "u202e three" not in page.content(), "what a bot wrote to stderr is its author's"
    page.locator("#back").click()
    page.wait_for_selector("#run-standings tbody tr")
    page.close()


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_any_replay_plays_on_the_page_for_it(browser: Browser, over: Contest, tmp_path: Path) -> None:  # noqa: F811
    run = over[0]
    publish(RunReader(run, PUBLIC), tmp_path / "site")
    page = browser.new_page()
    page.goto((tmp_path / "site" / "watch.html").as_uri())
    page.wait_for_selector("#nothing:not([hidden])")
    page.set_input_files("#file", next((run / "replays").glob("*.koth.gz")))
    page.wait_for_selector("#standings tbody tr")
    page.keyboard.press("End")
    page.wait_for_selector("#ends table")
    page.evaluate(DROP, base64.b64encode(sorted((run / "replays").glob("*.koth.gz"))[1].read_bytes()).decode())
    until(page, "document.querySelector('#subtitle').textContent.startsWith('dropped')")
    page.wait_for_selector("#standings tbody tr")
    bad = tmp_path / "bad.koth.gz"
    bad.write_bytes(b"no replay at all, whatever its name says")
    page.set_input_files("#file", bad)
    page.wait_for_selector("#status.error")
    page.close()
