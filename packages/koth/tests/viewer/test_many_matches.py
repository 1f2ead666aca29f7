"""The list of a long contest's matches: in pages, of one bot, in an order of one's choice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from koth.contest.contest import Contest
from koth.contest.job import Report
from koth.contest.record import new_record, write_record
from koth.contest.results import Results
from koth.contest.run_reader import RunReader
from koth.contest.schedule import ScheduledMatch
from koth.contest.store import Store
from koth.engine.secret import Secret
from koth.game import TimeControl
from koth.match import BotReport, Result
from koth.replay.names import replay_name
from koth.replay.writer import Recorder
from koth.rng import word
from koth.viewer.contest import Dashboard
from koth.viewer.listing import listing
from koth.viewer.summary import find_matches
from tests.viewer.test_page import page, until  # noqa: F401  (a fixture)

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = [f"bot {k}" for k in range(10)]
MATCHES = 120
BOT = {"protocol": "json", "options": {}, "language": ""}


def score(match: int, seat: int) -> float:
    return word(5, match, 0, seat) % 1000


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a contest of 120 matches between ten bots; the last bot plays in every second one only."""
    folder = tmp_path_factory.mktemp("long")
    store = Store(folder)
    bots = [{"name": name, "path": name, "digest": "0"} for name in NAMES]
    contest = Contest(
        game="zombies",
        ruleset="published",
        overrides={},
        secret=Secret.from_seed(1),
        matches=MATCHES,
        bots=(),
        time_control=TimeControl(),
    )
    told = new_record(contest, [], [], {"python": "python"})
    write_record(folder, {**told, "bots": [{**bot, **BOT} for bot in bots]})
    for match in range(MATCHES):
        seats = tuple(range(10 - match % 2))
        scores = {NAMES[seat]: score(match, seat) for seat in seats}
        header = {
            "game": "zombies",
            "version": 1,
            "ruleset": "published",
            "settings": {},
            "match": match + 1,
            "facts": {},
        }
        recorder = Recorder(
            store.replays / replay_name(match + 1), {**header, "bots": [bots[seat] for seat in seats]}
        )
        digest = recorder.finish({"turns": 9, "scores": scores, "faults": {}})
        result = Result(9, scores, {NAMES[seat]: BotReport() for seat in seats}, digest=digest)
        report = Report("", match + 1, result, {}, b"", "here")
        store.add(
            ScheduledMatch(match + 1, match + 1, seats, match + 1),
            {name: seat for seat, name in enumerate(NAMES)},
            report,
            0,
        )
    store.close()
    return folder


def test_the_list_names_every_bot_once(long: Path) -> None:
    found = listing(find_matches(long), NAMES)
    assert found["entrants"] == NAMES
    assert found["matches"][7]["places"] == list(range(9))
    assert found["matches"][8]["scores"] == [score(8, seat) for seat in range(10)]
    assert json.dumps(found).count("bot 3") == 1


def test_standings_that_take_long_are_not_always_computed_anew(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Dashboard(RunReader(long))
    now = [0.0]
    for clock in ("monotonic", "thread_time"):
        monkeypatch.setattr(f"koth.viewer.contest.time.{clock}", lambda: now[0])
    reckon = run._compute
    reckoned = []

    def slowly(planned: int | None) -> dict[str, object]:
        now[0] += 2.0
        reckoned.append(planned)
        return {**reckon(planned), "total": MATCHES + 3}  # more is to come

    monkeypatch.setattr(run, "_compute", slowly)
    counts = [MATCHES]
    monkeypatch.setattr(Results, "__len__", lambda store: counts[0])
    assert (run.look()["counted"], len(reckoned)) == (MATCHES, 1)
    counts[0] += 1
    assert (run.look()["counted"], len(reckoned)) == (MATCHES + 1, 2), "the first time takes longer"
    counts[0] += 1
    now[0] += 17.0
    assert (run.look()["counted"], run.look()["done"], len(reckoned)) == (MATCHES + 1, MATCHES + 2, 2)
    now[0] += 2.0
    assert (run.look()["counted"], len(reckoned)) == (MATCHES + 2, 3)
    counts[0] += 1  # the last one: over
    assert (run.look()["counted"], len(reckoned)) == (MATCHES + 3, 4)


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_matches_come_in_pages(page: Page, view: Callable[[Path], str], long: Path) -> None:  # noqa: F811
    def rows() -> list[list[str]]:
        found: list[list[str]] = page.eval_on_selector_all(
            "#matches tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        )
        return found

    page.goto(view(long))
    until(page, "document.querySelectorAll('#matches tbody tr').length === 50")
    assert page.inner_text("#matches .where") == "1 to 50 of 120"
    first = sorted((score(0, seat) for seat in range(10)), reverse=True)
    told = page.locator("#matches tbody tr").first.locator(".one").all_inner_texts()
    assert [word.split()[-1] for word in told] == [f"{one:g}" for one in first]
    page.click("#matches .after")
    page.click("#matches .after")
    assert page.inner_text("#matches .where") == "101 to 120 of 120"
    assert [rows()[0][0], rows()[-1][0]] == ["match-0101", "match-0120"]
    assert page.locator("#matches .after").is_disabled()
    page.select_option("#matches .of", "bot 9")
    assert page.inner_text("#matches .where") == "1 to 50 of 60"
    page.select_option("#matches .order", "worst")
    worst = min(range(0, MATCHES, 2), key=lambda match: score(match, 9))
    rank = 1 + sum(score(worst, seat) > score(worst, 9) for seat in range(10))
    assert rows()[0][:4] == [f"match-{worst + 1:04d}", "9", f"{score(worst, 9):g}", str(rank)]
    page.select_option("#matches .of", "")
    assert page.input_value("#matches .order") == "first"
    assert page.inner_text("#matches .where") == "1 to 50 of 120"


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_nothing_scrolls_sideways_on_a_phone(page: Page, view: Callable[[Path], str], long: Path) -> None:  # noqa: F811
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(view(long))
    until(page, "document.querySelectorAll('#versus tbody tr').length === 10")
    cut = "all => all.filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth).map((one) => one.id)"
    assert page.eval_on_selector_all("html, .scroll, #subtitle, #versus td", cut) == []
