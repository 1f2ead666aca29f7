"""The page of a contest, running and over, and the messages to it."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import koth
from koth.contest.lock import is_held, lock_run
from koth.contest.run_reader import RunReader
from koth.errors import KothError
from koth.replay.reader import Replay
from koth.viewer.contest import Dashboard, history
from koth.viewer.export import export
from koth.viewer.side_server import serve_beside
from koth.viewer.summary import last_turn
from tests.viewer.conftest import HOSTILE, REFUSES
from tests.viewer.test_page import page, until, wait_for_turn  # noqa: F401  (a fixture)
from tests.viewer.test_server import Client

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

View = Callable[[Path], str]

FAILS = """
import sys

from koth.games.zombies.bot import Move

class Bot:
    def do_turn(self, context):
        if context.game_clock == 0:
            sys.stderr.write("ready\\n")
        if context.game_clock == 3:
            sys.stderr.write("<i>seen</i>\\u202e three\\n")
            raise ValueError("I fail at turn 3")
        return Move.STAY
"""
ARGUMENTS = ["--seed", "5", "--matches", "7", "--set", "players=3", "--json", "--isolation", "none"]
SHOWN = r"<b>bold</b>\u{202e}gnp.exe\u{7}\u{a}"


def command(folder: Path, out: Path, *more: str) -> list[str]:
    """`koth run` of a small contest, with a bot that fails."""
    bot = folder / "fails.py"
    bot.write_text(FAILS)
    words = ["run", "zombies", "@runner", "@coward", str(bot), *ARGUMENTS, "--out", str(out), *more]
    return [sys.executable, "-m", "koth", *words]


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A contest that is over: its folder, and what `koth run --json` said."""
    folder = tmp_path_factory.mktemp("over")
    done = subprocess.run(command(folder, folder / "out"), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "out", json.loads(done.stdout)


@pytest.fixture
def copy(over: tuple[Path, dict[str, Any]], tmp_path: Path) -> Path:
    """The same, to be changed."""
    shutil.copytree(over[0], tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture
def held(copy: Path) -> Iterator[Path]:
    """The same, as if it were being run."""
    with lock_run(copy):
        yield copy


@pytest.mark.slow
def test_the_page_and_the_command_show_the_same(over: tuple[Path, dict[str, Any]]) -> None:
    folder, said = over
    now = Dashboard(RunReader(folder)).look()
    for told, line in zip(now["standings"], said["standings"], strict=True):
        assert told == {key: line[key] for key in told}
    assert (now["done"], now["total"], now["playing"]) == (7, 7, [])
    last = {bot: scores[-1] for bot, scores in now["history"]["scores"].items()}
    assert last == {line["bot"]: line["score"] for line in said["standings"]}
    assert {(fault["bot"], fault["kind"]) for fault in now["faults"]} == {("fails", "error")}
    assert [fault["matches"] for fault in now["faults"]] == [7]


def test_head_to_head_counts_matches(over: tuple[Path, dict[str, Any]]) -> None:
    folder, said = over
    client = Client(folder)
    told = client.get("/versus.json").json()
    results = [match["scores"] for match in said["played"]]
    for one, other in itertools.permutations(told, 2):
        both = [(scores[one], scores[other]) for scores in results if one in scores and other in scores]
        assert told[one].get(other, [0, 0, 0]) == [sum(a > b for a, b in both), sum(a == b for a, b in both),
                                                   sum(a < b for a, b in both)]  # fmt: skip
    assert sum(sum(counts) for row in told.values() for counts in row.values()) > 0
    assert client.get("/versus.json?of=fails").json() == {"fails": told["fails"]}
    assert client.get("/versus.json?of=nobody").json() == {}


def test_looking_changes_nothing_in_the_folder(over: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = over

    def files() -> dict[Path, tuple[int, int]]:
        """What lies there."""
        return {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in folder.rglob("*")}

    before = files()
    client = Client(folder)
    for path in ("/matches.json", "/run.json", "/versus.json", "/details/match-0002", "/replays/match-0002"):
        assert client.get(path).status_code == 200
    assert files() == before


def test_a_bots_questions_are_shown_word_for_word(over: tuple[Path, dict[str, Any]]) -> None:
    client = Client(over[0])
    said = client.get("/talk/match-0002/4?bot=fails").json()
    assert [mark for mark, _ in said] == ["<", "!"]
    assert re.match(r"player \d+ at \d+,\d+: 3 bullets; ", said[0][1])
    assert said[1][1].startswith("error: ")
    assert [mark for mark, _ in client.get("/talk/match-0002/3?bot=fails").json()] == ["<", ">"]
    assert client.get("/talk/match-0002/999999?bot=fails").json() == []
    for nothing in ("match-0002/3?bot=nobody", "match-0100/3?bot=fails", "match-0002/three?bot=fails", "x/3"):
        assert client.get(f"/talk/{nothing}").status_code == 404


@pytest.mark.parametrize("name", ["match-9", "match-1", "match-0002.txt", "match-%2e%2e", "match-٣"])
def test_only_matches_have_details(over: tuple[Path, dict[str, Any]], name: str) -> None:
    assert Client(over[0]).get(f"/details/{name}").status_code == 404


def test_a_replay_alone_is_no_run(replay: Path) -> None:
    client = Client(replay)
    assert client.get("/matches.json").json()["isRun"] is False
    assert client.get("/run.json").status_code == client.get("/versus.json").status_code == 404
    assert client.get("/details/match-0001").status_code == 404


def test_a_replay_in_a_runs_folder_has_its_stderr_with_it(over: tuple[Path, dict[str, Any]]) -> None:
    client = Client(over[0] / "replays" / "match-0004.koth.gz")
    listed = client.get("/matches.json").json()
    assert (listed["isRun"], [match["details"] for match in listed["matches"]]) == (False, [True])
    told = client.get("/details/match-0004").json()
    assert told["stderr"]["fails"][0] == [1, 3 * "ready\n"]
    assert client.get("/run.json").status_code == 404


def test_a_run_that_has_just_begun_can_be_watched(copy: Path) -> None:
    shutil.rmtree(copy / "replays")
    (copy / "replays").mkdir()
    with closing(sqlite3.connect(copy / "results.sqlite")) as base, base:
        base.execute("DELETE FROM matches")
    client = Client(copy)
    listed = client.get("/matches.json").json()
    contest = listed.pop("contest")
    assert (contest.keys(), contest["name"]) == ({"name", "started", "matches"}, copy.name)
    assert listed == {"entrants": ["runner", "coward", "fails"], "matches": [], "isRun": True, "isDev": False}
    now = client.get("/run.json").json()
    assert (now["done"], now["total"], now["standings"], now["history"]["matches"]) == (0, 7, [], [])


def test_a_record_that_can_not_be_read_is_said_so(copy: Path) -> None:
    (copy / "results.sqlite").write_bytes(b"no database" * 99)
    answer = Client(copy).get("/run.json")
    assert answer.status_code == 503
    assert "results.sqlite" in answer.text
    (copy / "run.json").write_text("{}")
    with pytest.raises(KothError, match=r"record of a run: it has no .game."):
        Client(copy)


def test_the_last_turn_of_a_replay_being_written(replay: Path, tmp_path: Path) -> None:
    data = replay.read_bytes()
    cut = tmp_path / "cut.koth.gz"
    for size in range(len(data) // 7, len(data), len(data) // 7):
        cut.write_bytes(data[:size])
        assert last_turn(cut) == [turn.turn for turn in Replay(cut).turns()][-1]
    cut.write_bytes(data[:25])
    assert last_turn(cut) is None
    assert last_turn(tmp_path / "gone") is None


def test_the_way_to_the_standings() -> None:
    from koth.contest.reading import MatchRow

    rows = [
        MatchRow(k, k, 0, 9, "", 0, "", k, 0, {"a": k} if k % 2 else {"a": k, "b": 9 - k}, {}) for k in range(300)
    ]
    told = history([row.scores for row in rows], ["a", "b"], "mean")
    assert told["matches"][0] == 1
    assert told["matches"][-1] == 300
    assert len(told["matches"]) <= 120
    assert told["scores"]["a"][-1] == sum(range(300)) / 300
    assert all(len(scores) == len(told["matches"]) for scores in told["scores"].values())
    assert history([], [], "mean") == {"matches": [], "scores": {}}


@pytest.mark.needs("chromium")
def test_an_exported_site_opens_where_the_browser_refuses_storage(page: Page, tmp_path: Path) -> None:  # noqa: F811
    bots = {name: lambda obs: "X" for name in "ab"}
    run = koth.run("pacman", bots, out=tmp_path / "out", matches=1, seed=1, max_turns=3, progress=False)
    page.add_init_script(REFUSES)
    first = koth.export(run, tmp_path / "site")
    pages = {file.name: file for file in first.parent.rglob("*.html")}
    for file in (pages["index.html"], pages["a.html"], pages["match-0001.html"]):
        page.goto(file.as_uri())
        until(page, "document.querySelectorAll('#run-standings tbody tr, #standings tbody tr').length >= 2")
        theme = page.evaluate("document.documentElement.dataset.theme")
        page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme") != theme


@pytest.mark.needs("chromium")
def test_the_bracket_of_a_knockout(page: Page, view: View, tmp_path: Path) -> None:  # noqa: F811
    """In words for those who do not see it, with the way to the matches; it is a part of the exported page, too."""
    bots = {name: lambda obs: "X" for name in (HOSTILE, "b", "c")}  # equal in all scores
    options = {"matches": 1, "seed": 1, "max_turns": 2, "knockout": 4, "progress": False}
    run = koth.run("pacman", bots, out=tmp_path / "out", **options)
    first, second, third = (SHOWN if bot == HOSTILE else bot for bot in run.standings.bracket.order)
    for address in (view(run.folder), koth.export(run, tmp_path / "site").as_uri()):
        page.goto(address)
        page.wait_for_selector("#knockout")
        assert page.locator("#knockout h3").all_inner_texts() == ["semifinals", "final", "winner"]
        duels = page.locator("#knockout .duels > li").all_text_contents()
        bye, semifinal, final = duels
        assert bye == f"1{first}goes ona bye"
        assert re.fullmatch(
            rf"2{re.escape(second)}[\d,]+goes on3{third}[\d,]+watch · tied: decided by lot", semifinal
        )
        assert final.endswith("tied: decided by lot")
        assert page.inner_text("#knockout .champion") == first
        assert "over" in page.inner_text("#subtitle")
        page.click("#knockout .duels > li:only-child .hint a")
        until(page, "document.querySelector('#subtitle').textContent.includes('match 3')")


@pytest.mark.needs("chromium")
def test_the_page_of_a_contest_that_is_over(page: Page, view: View, over: tuple[Path, dict[str, Any]]) -> None:  # noqa: F811
    folder, said = over
    page.goto(view(folder))
    page.wait_for_selector("#run-standings tbody tr")
    rows = page.eval_on_selector_all(
        "#run-standings tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert [row[:2] + row[-2:-1] for row in rows] == [
        [str(line["rank"]), line["bot"], str(line["matches"])] for line in said["standings"]
    ]
    assert "over" in page.inner_text("#subtitle")
    assert page.locator("#playing").is_hidden()
    first = page.eval_on_selector("#matches tbody tr", "row => [...row.cells].map(cell => cell.textContent)")
    scores = said["played"][0]["scores"]
    assert first[:2] == ["match 1", str(said["played"][0]["turns"])]
    assert first[2].endswith(f": {max(scores.values()):g}")
    everybody = page.eval_on_selector_all(
        "#matches tbody tr:first-child .one", "all => all.map((one) => one.textContent)"
    )
    assert sorted(everybody) == sorted(f"{name} {score:,g}" for name, score in scores.items())
    shown = [scores[one.split()[0]] for one in everybody]
    assert shown == sorted(shown, reverse=True)
    assert page.locator("#matches tbody tr").count() == 7
    assert page.locator("#over-contest figure").count() == 1
    order = [line["bot"] for line in said["standings"]]
    versus = Dashboard(RunReader(folder)).versus()
    titles = page.eval_on_selector_all("#versus tbody td[title]", "cells => cells.map((cell) => cell.title)")
    assert sorted(title.split(", ")[0] for title in titles) == sorted(
        f"{one} ended ahead of {other} in {counts[0]} of {sum(counts)}"
        for one in order for other, counts in versus[one].items()
    )  # fmt: skip
    assert page.locator("#run-faults h3").all_inner_texts() == ["fails"]
    page.click("#run-faults li li a")
    wait_for_turn(page, 4)
    assert "match 1 of 7" in page.inner_text("#subtitle")
    until(page, "document.querySelector('#events').textContent.includes('fails: error')")
    until(page, "document.querySelector('#faults').textContent.includes('I fail at turn 3')")
    page.wait_for_selector("#written:not([hidden])")
    page.click("#written summary")
    text = page.inner_text("#written")
    assert r"<i>seen</i>\u{202e} three" in text
    assert page.inner_text("#events pre").splitlines()[0] == r"<i>seen</i>\u{202e} three"
    assert page.inner_text(".log pre.now") == page.inner_text(".log pre:last-child")
    page.keyboard.press("ArrowLeft")
    wait_for_turn(page, 3)
    until(page, "document.querySelector('.log pre.before') !== null")
    assert page.locator("#events pre").count() == 0
    page.click(".log pre.before")
    wait_for_turn(page, 1)
    page.click("#back")
    page.wait_for_selector("#contest:not([hidden])")
    assert page.eval_on_selector("#matches", "(list) => list.getBoundingClientRect().top") < 900, "the matches"


SWATCHES = """selector => Object.fromEntries([...document.querySelectorAll(selector + " tbody tr")]
    .map((row) => [row.querySelector(".bot, .name").textContent,
        row.querySelector(".swatch").style.backgroundColor]))"""


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_bot_has_one_colour_everywhere(page: Page, view: View, copy: Path) -> None:  # noqa: F811
    record = json.loads((copy / "run.json").read_text())
    record["bots"].reverse()  # so that a bot's place in the contest is not its seat
    (copy / "run.json").write_text(json.dumps(record))
    address = view(copy)
    page.goto(address)
    page.wait_for_selector("#run-standings tbody tr")
    colours = page.evaluate(SWATCHES, "#run-standings")
    assert len(set(colours.values())) == 3
    page.click("#matches >> text=match 4")
    page.wait_for_selector("#standings tbody tr")
    assert page.evaluate(SWATCHES, "#standings") == colours
    exported = copy / "exported.html"
    exported.write_text(export(copy / "replays" / "match-0002.koth.gz"))
    page.goto(exported.as_uri())
    page.wait_for_selector("#standings tbody tr")
    assert page.evaluate(SWATCHES, "#standings") == colours


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_hostile_names_in_a_contest_are_only_text(page: Page, view: View, copy: Path) -> None:  # noqa: F811
    with closing(sqlite3.connect(copy / "results.sqlite")) as base, base:
        for table in ("scores", "faults", "moments"):
            base.execute(f"UPDATE {table} SET bot = ? WHERE bot = 'fails'", (HOSTILE,))
        base.execute("UPDATE faults SET text = ?", ("<script>alert(1)</script>\u202e",))
    record = (copy / "run.json").read_text()
    (copy / "run.json").write_text(record.replace('"name": "fails"', f'"name": {json.dumps(HOSTILE)}'))
    page.goto(view(copy))
    page.wait_for_selector("#run-standings tbody tr")
    assert SHOWN in str(page.text_content("#run-standings"))
    assert SHOWN in page.inner_text("#run-faults")
    assert r"<script>alert(1)</script>\u{202e}" in page.inner_text("#run-faults")
    assert page.locator("#contest :is(script, td b)").count() == page.locator(".plot b").count()
    assert "\u202e" not in page.content()


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_match_being_played_is_watched_live(page: Page, view: View, held: Path, replay: Path) -> None:  # noqa: F811
    with closing(sqlite3.connect(held / "results.sqlite")) as base, base:
        base.execute('DELETE FROM matches WHERE "match" = 7')
    (held / "replays" / "match-0007.koth.gz").unlink()
    part = held / "replays" / "match-0007.koth.gz.part"
    data = replay.read_bytes()
    part.write_bytes(data[: len(data) // 2])
    early = last_turn(part)
    assert early is not None
    page.goto(view(held))
    page.wait_for_selector("#playing a")
    assert page.inner_text("#playing a") == f"match 7\nturn {early}"
    assert "6 of 7 matches · running" in page.inner_text("#subtitle")
    page.select_option("#delay", "10")
    page.click("#playing a")
    wait_for_turn(page, early - 10)
    assert page.get_attribute("#live", "aria-pressed") == "true"
    part.write_bytes(data[: len(data) * 3 // 4])
    later = last_turn(part)
    assert later is not None
    assert later > early
    wait_for_turn(page, later - 10)
    until(
        page,
        "turns => Number(document.querySelector('#timeline').getAttribute('aria-valuemax')) === turns",
        later,
    )
    page.keyboard.press("ArrowLeft")
    wait_for_turn(page, later - 11)
    assert page.get_attribute("#live", "aria-pressed") == "false"
    page.keyboard.press("l")
    wait_for_turn(page, later - 10)
    (held / "replays" / "match-0008.koth.gz.part").write_bytes(data[: len(data) // 2])
    part.write_bytes(data)
    part.rename(held / "replays" / "match-0007.koth.gz")
    wait_for_turn(page, 300)
    until(page, "document.querySelector('#live').hidden")
    assert page.get_attribute("#status", "class") == ""
    until(page, "document.querySelector('#ends .first')?.textContent === 'Next match'")
    page.click("#ends .first")
    until(page, "location.hash.includes('match-0008')")
    until(page, "!document.querySelector('#live').hidden")
    (held / "replays" / "match-0008.koth.gz.part").write_bytes(data)
    (held / "replays" / "match-0008.koth.gz.part").rename(held / "replays" / "match-0008.koth.gz")
    until(page, "document.querySelector('#live').hidden")
    page.keyboard.press("End")
    until(page, "document.querySelector('#ends table') !== null")
    assert page.locator("#ends >> text=Next match").count() == 0, "the next one has not begun"
    (held / "replays" / "match-0009.koth.gz.part").write_bytes(data[: len(data) // 2])
    until(page, "document.querySelector('#ends .first')?.textContent === 'Next match'")


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_nothing_is_asked_for_after_the_last_match(page: Page, view: View, copy: Path, replay: Path) -> None:  # noqa: F811
    (copy / "replays" / "match-0007.koth.gz").unlink()
    part = copy / "replays" / "match-0007.koth.gz.part"
    data = replay.read_bytes()
    part.write_bytes(data[: len(data) // 2])
    page.goto(view(copy) + "#match=match-0007&live=0")
    until(page, "document.querySelector('#live')?.hidden === false")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    part.write_bytes(data)
    part.rename(copy / "replays" / "match-0007.koth.gz")
    wait_for_turn(page, 300)
    until(page, "document.querySelector('#ends table') !== null")
    page.wait_for_timeout(4500)  # more than twice as long as until it would be asked for again
    assert asked.count("run.json") == asked.count("matches.json") == 1, asked


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_failed_search_for_the_next_match_is_shown(page: Page, view: View, copy: Path) -> None:  # noqa: F811
    page.goto(view(copy) + "#match=match-0007")
    page.wait_for_selector("#match")
    page.route("**/matches.json", lambda route: route.fulfill(body="no list", content_type="application/json"))
    page.keyboard.press("n")
    until(page, "document.querySelector('#status').className === 'error'")
    assert "no list" in page.inner_text("#status")


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_what_is_missing_is_reported_above_the_contest(page: Page, view: View, copy: Path) -> None:  # noqa: F811
    address = view(copy)
    for wanted, words in (
        ("match=nine", "there is no match nine here"),
        ("replay=matches.json", "this is not a replay"),
    ):
        page.goto(f"{address}#{wanted}")
        until(page, "document.querySelectorAll('#run-standings tbody tr').length > 1")
        until(page, "document.querySelector('#status').className === 'error'")
        until(page, "words => document.querySelector('#status').textContent.includes(words)", words)


GATE = """
import os, time
while not os.path.exists({open!r}):
    try:
        os.unlink({ticket!r})
        break
    except FileNotFoundError:
        time.sleep(0.02)
"""


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_closing_the_page_changes_nothing(
    browser: Browser, over: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """A page that is closed in the middle of a contest, which goes on to the standings that it would have had."""
    open_gate, ticket = tmp_path / "open", tmp_path / "ticket"
    open_gate.touch()
    start = command(tmp_path, tmp_path / "out", "--start-timeout", "300", "--view")
    (tmp_path / "fails.py").write_text(GATE.format(open=str(open_gate), ticket=str(ticket)) + FAILS)
    context = browser.new_context()
    page = context.new_page()  # noqa: F811
    process = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        address = next(line for line in process.stderr if "watch the contest at" in line).split()[-1]
        open_gate.unlink()
        page.goto(address)
        until(page, "document.querySelector('#subtitle').textContent.includes(' of 7')")
        before = page.evaluate("document.querySelector('#progress').value")
        ticket.touch()
        until(page, f"document.querySelector('#progress').value > {before}")
        assert page.evaluate("document.querySelector('#progress').value") < 7
        page.close()
        context.close()
        open_gate.touch()
        assert any("stays open until Ctrl-C" in line for line in process.stderr)
        with urllib.request.urlopen(f"{address}run.json") as answer:
            assert json.load(answer)["done"] == 7
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode == 0
    assert json.loads(said)["standings"] == over[1]["standings"]
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{address}run.json")


def test_what_serves_the_page_is_polite_and_ends_with_us(over: tuple[Path, dict[str, Any]]) -> None:
    before = os.nice(0)
    with serve_beside(over[0]) as address:
        with urllib.request.urlopen(address) as answer:
            assert b"koth" in answer.read()
        children = Path(f"/proc/self/task/{os.getpid()}/children")
        if children.exists():
            nice = [os.getpriority(os.PRIO_PROCESS, int(child)) for child in children.read_text().split()]
            assert min(before + 10, 19) in nice
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address)


@pytest.mark.slow
def test_what_can_not_be_served_is_said(tmp_path: Path) -> None:
    with pytest.raises(KothError, match="no replay"), serve_beside(tmp_path):
        pass


def test_is_held_detects_a_running_contest(copy: Path) -> None:
    assert is_held(copy) is False
    with lock_run(copy):
        assert is_held(copy) is True
        assert Dashboard(RunReader(copy)).look()["held"] is True
        with pytest.raises(KothError, match="another koth is running"), lock_run(copy):
            pass
    assert Dashboard(RunReader(copy)).look()["held"] is False
    (copy / ".lock").unlink()
    assert is_held(copy) is False


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_stopped_contest_is_polled_while_its_page_is_visible(page: Page, view: View, copy: Path) -> None:  # noqa: F811
    with closing(sqlite3.connect(copy / "results.sqlite")) as base, base:
        base.execute('DELETE FROM matches WHERE "match" = 7')
    record = json.loads((copy / "run.json").read_text())
    (copy / "run.json").write_text(json.dumps({**record, "secret": None}))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with lock_run(copy):
        page.goto(view(copy))
        until(page, "document.querySelector('#subtitle').textContent.includes('between two matches')")
        until(page, "performance.getEntriesByName(new URL('/run.json', location.href).href).length > 2")
    until(page, "document.querySelector('#subtitle').textContent.includes('6 of 7 matches · stopped')")
    asked.clear()
    page.wait_for_timeout(2500)  # two looks and a half
    assert asked == []
    with lock_run(copy):
        page.evaluate("dispatchEvent(new Event('focus'))")
        until(page, "document.querySelector('#subtitle').textContent.includes('between two matches')")
    (copy / "run.json").write_text(json.dumps(record))  # it is over: what was to be found out is settled
    until(page, "document.querySelector('#subtitle').textContent.includes('6 of 7 matches · settled')")


def test_an_extension_that_was_stopped_is_not_settled(copy: Path) -> None:
    with closing(sqlite3.connect(copy / "results.sqlite")) as base, base:
        base.execute('DELETE FROM matches WHERE "match" = 7')
    record = json.loads((copy / "run.json").read_text())
    for secret, settled in ((None, False), (record["secret"], True)):
        extension = {"matches": 7, "commitment": "", "secret": secret, "started": record["started"]}
        (copy / "run.json").write_text(json.dumps({**record, "extensions": [extension]}))
        assert Dashboard(RunReader(copy)).look()["settled"] is settled


WIDE = """rows => rows.map((row) => [row.querySelector(".plot b").style.left, row.querySelector(".plot i").hidden])"""


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_only_narrow_intervals_are_drawn_and_make_the_axis(page: Page, view: View, copy: Path) -> None:  # noqa: F811
    now = Dashboard(RunReader(copy)).look()
    first, second, third = now["standings"]
    first.update(score=10, low=5, high=12.5, narrow=True)
    second.update(score=7.5, low=-1000, high=1000, narrow=False)
    third.update(score=0, low=None, high=3000, narrow=False)
    page.route("**/run.json", lambda route: route.fulfill(json=now))
    page.goto(view(copy))
    page.wait_for_selector("#run-standings tbody tr")
    rows = page.eval_on_selector_all("#run-standings tbody tr", WIDE)
    assert rows == [["80%", False], ["60%", True], ["0%", True]]
    bar = page.eval_on_selector("#run-standings .plot i", "bar => [bar.style.left, bar.style.width]")
    assert bar == ["40%", "60%"]


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_bots_page_shows_its_faults_in_full(page: Page, view: View, copy: Path) -> None:  # noqa: F811
    words = "what went wrong, and why, " * 8 + "to its end"
    with closing(sqlite3.connect(copy / "results.sqlite")) as base, base:
        base.execute("UPDATE faults SET text = ?", (words,))
        base.execute("UPDATE faults SET bot = 'coward' WHERE \"match\" = 2")
    address = view(copy)
    page.goto(f"{address}#of=fails")
    page.wait_for_selector("#run-faults:not([hidden]) .faults b")
    assert "FAULTS" in page.inner_text("main").partition("fails")[2], "the name stands above"
    told = page.locator("#run-faults .faults").inner_text()
    assert told.count(words) == told.count("in 6 matches") == 1, told
    assert page.title().startswith("fails · ")
    page.goto(f"{address}#of=runner")
    until(page, "document.querySelector('#bot-page h2').textContent.includes('runner')")
    assert page.locator("#run-faults").is_hidden()
    page.goto(address)
    until(page, "document.querySelectorAll('#run-faults h3').length === 2")


WHOLE_NAMES = """async () => {
    const {wrapping} = await import("/static/dom.js");
    return ["last_bullet_of_team_3", "x".repeat(30), "\u05d0".repeat(30)].map((name) => {
        const box = document.createElement("div");
        Object.assign(box.style, {width: "90px", display: "flex"});
        box.append(wrapping(name));
        document.body.append(box);
        getSelection().selectAllChildren(box);
        return [String(getSelection()) === name, box.scrollWidth <= 90];
    });
}"""


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_a_name_without_room_is_shown_whole_and_copied_in_one_line(page: Page, view: View, over: Any) -> None:  # noqa: F811
    page.goto(view(over[0]))
    assert page.evaluate(WHOLE_NAMES) == [[True, True]] * 3
