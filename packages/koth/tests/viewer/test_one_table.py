"""One table everywhere: on each screen, page and file of a contest a bot has the same rank, band and chance."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from koth.contest.reading import PUBLIC
from koth.contest.run_reader import RunReader
from koth.standings.text import band_text, first_text
from koth.viewer.publish import publish
from tests.cli.conftest import koth  # noqa: F401  (a fixture)
from tests.cli.program import Koth
from tests.viewer.test_contest_page import over  # noqa: F401  (a fixture)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

KEYS = ("rank", "95 % sure", "first")
CELLS = """rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"""
FACTS = """list => [...list.children].map((child) => child.textContent)"""
Told = dict[str, tuple[str, str, str]]


def told_by(bots: Iterable[str], rows: Iterable[Mapping[str, str]]) -> Told:
    """Return rank, band and chance by bot, of rows by the heads of the table."""
    return {bot: (row[KEYS[0]], row[KEYS[1]], row[KEYS[2]]) for bot, row in zip(bots, rows, strict=True)}


def by_heads(heads: list[str], rows: Iterable[list[str]]) -> Told:
    """Return rank, band and chance by bot, of a table's heads and rows."""
    found = [dict(zip(heads, row, strict=True)) for row in rows]
    return told_by([row["bot"] for row in found], found)


def of_json(lines: Iterable[Mapping[str, Any]]) -> Told:
    """Return rank, band and chance by bot, of numbers, which are as people read them in the line's texts, too."""
    found: Told = {}
    for line in lines:
        texts = line["texts"]
        best, worst = line["best"], line["worst"]
        found[line["bot"]] = (str(line["rank"]), band_text(best, worst), first_text(best, worst, line["first"]))
        assert found[line["bot"]] == (texts["rank"], texts["sure"], texts["first"])
    return found


def of_csv(text: str) -> Told:
    found: Told = {}
    for row in csv.DictReader(io.StringIO(text)):
        best, worst = int(row["best"]), int(row["worst"])
        found[row["bot"]] = (row["rank"], band_text(best, worst), first_text(best, worst, float(row["first"])))
    return found


def of_plain(text: str) -> Told:
    """Return what plain columns say, whose texts stand below their heads."""
    _, heads, *lines = text.splitlines()
    ends = [(match.start(), match.end(), match[0]) for match in re.finditer(r"\S+( \S+)*", heads)]
    rows = []
    for line in lines[:3]:
        words = [(match.start(), match.end(), match[0]) for match in re.finditer(r"\S+( \S+)*", line)]
        cells = {
            head: next((word for first, last, word in words if first < end and last > start), "")
            for start, end, head in ends
        }
        rows.append(cells)
    return told_by([row["bot"] for row in rows], rows)


def of_markdown(text: str) -> Told:
    text = re.sub(r"\\(.)", r"\1", text)  # a mark of Markdown that stands for itself
    table = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return by_heads(table[0], table[2:5])


def of_page(page: Page) -> Told:
    page.wait_for_selector("#run-standings tbody tr")
    (heads,) = page.eval_on_selector_all("#run-standings thead tr", CELLS)
    return by_heads(heads, page.eval_on_selector_all("#run-standings tbody tr", CELLS))


def of_bots_page(page: Page) -> tuple[str, str]:
    """Return the rank in full and the chance to be first."""
    page.wait_for_selector("#bot-page:not([hidden]) dd")
    words = page.eval_on_selector("#bot-page dl", FACTS)
    facts = dict(zip(words[::2], words[1::2], strict=True))
    return facts["rank"], facts["first"]


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_one_table_everywhere(
    browser: Browser,
    over: tuple[Path, dict[str, Any]],  # noqa: F811
    view: Callable[[Path], str],
    koth: Koth,  # noqa: F811
    tmp_path: Path,
) -> None:
    run, said = over
    told = of_json(said["standings"])
    assert len(told) == 3
    assert all(band and chance for _, band, chance in told.values())
    (faulty,) = (line for line in said["standings"] if line["bot"] == "fails")
    assert faulty["faults"].keys() == {"error"}, "it fails in every match"
    publish(RunReader(run, PUBLIC), tmp_path / "site")
    page = browser.new_page()
    in_form = {form: koth("standings", run, "--format", form).out for form in ("csv", "markdown")}
    shown = {"JSON": of_json(json.loads(koth("standings", run, "--format", "json").out)["standings"])}
    shown |= {"CSV": of_csv(in_form["csv"]), "Markdown": of_markdown(in_form["markdown"])}
    shown["terminal"] = of_plain(koth("standings", run).out)
    shown["the site's CSV"] = of_csv((tmp_path / "site" / "standings.csv").read_text())
    address = view(run)
    for name, place in (("page", address), ("site", (tmp_path / "site" / "index.html").as_uri())):
        page.goto(place)
        shown[name] = of_page(page)
    assert {name: table for name, table in shown.items() if table != told} == {}
    for bot, (rank, band, chance) in told.items():
        for place in (f"{address}#of={bot}", (tmp_path / "site" / "bots" / f"{bot}.html").as_uri()):
            page.goto("about:blank")
            page.goto(place)
            assert of_bots_page(page) == (f"{rank} of 3 (95 % sure: {band})", chance), place
    page.close()
