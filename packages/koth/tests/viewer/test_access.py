"""The pages can be used without eyes, without a mouse, and with weak eyes: names, roles, contrast, sizes, keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.viewer.test_contest_page import over  # noqa: F401  (a fixture)
from tests.viewer.test_page import until, wait_for_turn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.needs("chromium")
View = Callable[[Path], str]

CHECK = """() => {
    const wrong = [];
    const shown = (element) => element.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const what = (element) => `<${element.tagName.toLowerCase()} id="${element.id}" class="${element.className}">`
        + element.textContent.trim().slice(0, 30);
    const probe = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    const parts = (color) => {
        probe.clearRect(0, 0, 1, 1);
        probe.fillStyle = color;
        probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => {
        const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const color = parts(getComputedStyle(at).backgroundColor);
            if (color[3] > 250) return color;
        }
        return [255, 255, 255, 255];
    };
    const nameOf = (element) => (element.getAttribute("aria-label") ?? "") || element.title
        || [...(element.labels ?? [])].map((label) => label.textContent).join(" ")
        || document.getElementById(element.getAttribute("aria-labelledby"))?.textContent
        || element.textContent.trim();

    const named = "button, a[href], select, input, progress, [role]:not([role=status]), canvas[tabindex]";
    for (const element of document.querySelectorAll(named)) {
        if (shown(element) && !nameOf(element)) wrong.push(`no name: ${what(element)}`);
    }
    for (const element of document.querySelectorAll("button, select, [role=slider]")) {
        if (!shown(element)) continue;
        const box = element.getBoundingClientRect();
        if (box.width < 24 || box.height < 24) wrong.push(`too small: ${what(element)} ${box.width} x ${box.height}`);
        if (element.tabIndex < 0) wrong.push(`not reached by Tab: ${what(element)}`);
    }
    const ids = [...document.querySelectorAll("[id]")].map(({id}) => id);
    for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) wrong.push(`twice: #${id}`);
    for (const element of document.querySelectorAll("[tabindex]")) {
        if (element.tabIndex > 0) wrong.push(`tabindex: ${what(element)}`);
    }
    for (const head of document.querySelectorAll("th:not([scope])")) wrong.push(`no scope: ${what(head)}`);
    if (!document.documentElement.lang || !document.title) wrong.push("no language or title");
    const mains = [...document.querySelectorAll("main")].filter(shown);
    if (mains.length !== 1) wrong.push(`${mains.length} mains`);
    if ([...document.querySelectorAll("h1")].filter(shown).length !== 1) wrong.push("not one h1");

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !shown(element)) continue;
        if (element.closest("option, .out, [aria-hidden=true]")) continue; // not text, or faded because it is out
        const style = getComputedStyle(element);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
        const [a, b] = [light(parts(style.color)), light(behind(element))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < (isLarge ? 3 : 4.5)) wrong.push(`contrast ${contrast.toFixed(2)}: ${what(element)}`);
    }
    return [...new Set(wrong)];
}"""


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser, view: View) -> Iterator[Page]:
    """A page in both themes. (The server outlives it: nothing fails when it is closed.)"""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme=request.param)
    yield context.new_page()
    context.close()


@pytest.mark.slow
def test_a_match(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=6&bot=0")
    wait_for_turn(page, 6)
    until(page, "document.querySelectorAll('#charts figure').length >= 3")
    page.click("#answers summary")
    page.click("#moments summary")
    until(page, "document.querySelectorAll('#answers li').length > 0")
    assert page.evaluate(CHECK) == []
    tree = page.locator("body").aria_snapshot()
    assert 'slider "Turn"' in tree
    assert 'button "See what Runner sees"' in tree
    assert 'columnheader "score"' in tree
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert 'dialog "Keys"' in page.locator("body").aria_snapshot()


@pytest.mark.slow
def test_a_contest(page: Page, view: View, over: tuple[Path, dict[str, Any]]) -> None:  # noqa: F811
    page.goto(view(over[0]))
    page.wait_for_selector("#run-standings tbody tr")
    assert page.evaluate(CHECK) == []
    tree = page.locator("#run-standings").aria_snapshot()
    assert re.search(r'row "1 (runner|coward)', tree)
    assert 'columnheader "interval"' in tree


@pytest.mark.slow
@pytest.mark.parametrize("page", ["light"], indirect=True)
def test_everything_is_reached_by_keys(page: Page, view: View, replay: Path) -> None:
    page.goto(view(replay) + "#turn=6")
    wait_for_turn(page, 6)
    page.wait_for_selector("#standings tbody tr")
    page.wait_for_selector("#answers summary")
    page.evaluate("document.activeElement.blur()")
    missing = {"theme", "help", "board", "play", "speed", "timeline", "standings", "answers"}
    for _ in range(200):  # more than once around, should the page still be growing
        page.keyboard.press("Tab")
        missing.discard(page.evaluate("document.activeElement.id || document.activeElement.closest('[id]')?.id"))
        if not missing:
            break
    assert missing == set()
    page.focus("#timeline")
    page.keyboard.press("ArrowRight")
    wait_for_turn(page, 7)
    until(page, "document.querySelector('#timeline').ariaValueNow === '7'")
    until(page, "document.querySelector('#timeline').ariaValueText === 'turn 7 of 300'")
    page.focus("#standings tbody button")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#standings [aria-pressed=true]') !== null")
