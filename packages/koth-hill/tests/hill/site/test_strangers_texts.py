"""Texts of strangers, shown by the site in a real browser: text everywhere, and nowhere a part of a page."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import pytest
from django.urls import reverse

from koth_hill.models import Author, Bot, Match, Policy, Seat, Token, Version
from tests.hill.conftest import Place
from tests.hill.site.conftest import hill as hill
from tests.hill.site.conftest import site as site
from tests.hill.site.conftest import visitor
from tests.hill.site.test_safety import SEEN, named
from tests.viewer.conftest import CHROMIUM

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.needs("chromium")
EVIL = """'"><img src=x onerror=hacked()>"""
SCRIPT = "</script></textarea><script>hacked()</script><svg onload=hacked()>javascript:hacked()"
BOT = f"""
import sys
from koth.games.zombies.bot import Move, debug

class Bot:
    def do_turn(self, context):
        print({SCRIPT!r}, file=sys.stderr)
        debug.mark(0, 0, {SCRIPT!r}, {EVIL!r})
        debug.note({{{SCRIPT!r}: {SCRIPT!r}}})
        if context.game_clock > 2:
            raise ValueError({SCRIPT!r})
        return Move.STAY
"""
PAINTED = """
window.painted = [];
const fillText = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
  painted.push(text);
  return fillText.call(this, text, ...where);
};
"""
"""Texts that are painted on a canvas are kept in `painted`."""
FOREIGN = """() => ({
  ran: typeof hacked,
  inside: document.querySelectorAll("img[src=x], svg[onload], script:not([src], [type='application/json'])").length,
  links: [...document.links].filter((link) => link.protocol === "javascript:").length,
})"""


class Evil(NamedTuple):
    """A site full of evil texts, its addresses, and the cookies of an author and of the host."""

    address: str
    paths: list[str]
    cookies: dict[str, str]


@pytest.fixture
def evil(site: Place) -> Iterator[Evil]:
    for name in ("fox", "hen"):
        site.submit(name, name, BOT)
    Version.objects.update(state="playing")
    Author.objects.filter(name="fox").update(name=EVIL)
    Bot.objects.filter(name="fox").update(name=EVIL)
    site("run", "--matches", 1, "--isolation", "none")
    author, bot, match = Author.objects.get(name=EVIL), Bot.objects.get(name=EVIL), Match.objects.get()
    seat = Seat.objects.get(match=match, version__bot=bot)
    upload = Version.objects.create(author=author, archive=b"", sent=EVIL, state="refused", reason=SCRIPT)
    Token.objects.create(author=author, name=EVIL, digest="d")
    Policy.objects.create(announcement=f"{SCRIPT}\n\n[x](javascript:hacked()) {EVIL}")
    Version.objects.filter(bot__name="hen").update(state="suspended", reason=SCRIPT)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(f"bot/{SCRIPT}.py", EVIL)
        file.writestr(f"bot/{EVIL}", SCRIPT)
    Version.objects.filter(bot=bot).update(archive=archive.getvalue())
    cookies = {
        "author": visitor(EVIL).cookies["sessionid"].value,
        "host": visitor("hanna", is_host=True).cookies["sessionid"].value,
    }
    values = {"name": EVIL, "place": seat.place, "number": 1, "uidb64": "MQ", "token": "no"}
    paths = []
    rows = {"version": upload, "season": match.season, "own": bot}
    for name in SEEN:
        row = rows.get(name.partition("-")[0], author if name.startswith("host") else match)
        wanted = named()[name].pattern.converters
        if name not in ("static", "visit") and not name.endswith(("replay", "download", "listing")):
            paths.append(reverse(name, kwargs={key: {**values, "pk": row.pk}[key] for key in wanted}))
    command = [sys.executable, "-m", "koth", "hill", "serve", str(site.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield Evil(server.stdout.readline().split()[0].rstrip("/"), paths, cookies)
        server.terminate()


def is_painted(page: Page) -> bool:
    """Return whether the viewer paints the drawing of the evil bot, once it has read the match."""
    for _ in range(600):
        if page.evaluate("painted.some((text) => text.startsWith('</script>'))"):
            return True
        page.wait_for_timeout(100)
    return False


@pytest.mark.slow
def test_nothing_that_strangers_write_is_a_part_of_a_page(evil: Evil) -> None:
    from playwright.sync_api import sync_playwright

    said: list[str] = []
    shown = 0
    said_where: set[str] = set()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        for who, cookie in evil.cookies.items():
            context = browser.new_context()
            context.add_cookies([{"name": "sessionid", "value": cookie, "url": evil.address}])
            context.add_init_script(PAINTED)
            page = context.new_page()
            page.on("console", lambda message: said.append(message.text))
            page.on("dialog", lambda dialog: said.append(f"Security Policy: {dialog.message}"))
            for path in evil.paths:
                if path.startswith("/host") != (who == "host") and not path.startswith("/matches"):
                    continue
                page.goto(evil.address + path)
                assert page.evaluate(FOREIGN) == {"ran": "undefined", "inside": 0, "links": 0}, path
                text = page.inner_text("body")
                shown += EVIL in text or SCRIPT[:20] in text
                if path == "/matches/1" and who == "author":
                    said_where |= {"drawing"} if is_painted(page) else set()
                if "/log/" in path:
                    said_where |= {"stderr"} if SCRIPT in text.partition("Notes")[0].partition("stderr")[2] else set()
                    said_where |= {"note"} if SCRIPT in text.partition("Notes")[2] else set()
            context.close()
        browser.close()
    assert shown > 12, "the texts are there"
    assert said_where == {"note", "stderr", "drawing"}
    assert [text for text in said if "Security Policy" in text] == []
