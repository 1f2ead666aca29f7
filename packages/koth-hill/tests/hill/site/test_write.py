"""Tries: an author writes a bot on the site, has it checked and tried, and sends it; nothing of that counts."""

from __future__ import annotations

import io
import time
import zipfile
from typing import Any

import pytest
from django.urls import reverse

from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.games import load
from koth.replay.reader import Replay
from koth.sandbox.isolation import PLAIN
from koth.viewer.workbench import Now
from koth_hill import authors, checks, claims, tries, try_runner, uploads
from koth_hill.connection import Hill, open_hill
from koth_hill.copies import COPIES, BotTools, Copies
from koth_hill.models import AuditEntry, Author, Match, Policy, Runner, Try, Version
from koth_hill.retention import remove_leftovers
from koth_hill.tries import KEPT_NAMES, MOST_BYTES
from tests.cli.program import GOOD
from tests.hill.conftest import Place
from tests.hill.process import forget_hill
from tests.hill.site.conftest import visitor
from tests.hill.site.driving import PATIENCE, Season, write
from tests.hill.site.driving import season as season

BROKEN = "class Bot:\n    def do_turn(self, context)\n        return None\n"
LOUD = GOOD.replace("return", "import sys; print('here', file=sys.stderr)\n        return")
JSON = {"accept": "application/json"}


def ask(client: Any, do: str = "try", source: Any = GOOD, name: str = "fox", **more: Any) -> Any:
    """Have an author ask for a check or a try, as the page does."""
    words = {"do": do, "name": name, "file": "bot.py", "source": source, **more}
    return client.post(reverse("write"), words, headers=JSON)


def play(site: Place) -> Try:
    """Play the next try in this process, and return it."""
    attempt = claims.claim_request()
    assert isinstance(attempt, Try)
    hill = Hill(site.folder, "zombies", seats=2)
    tools = BotTools(load("zombies"), Interpreters(), PLAIN, Copies(site.folder / COPIES))
    try_runner.play(hill, tools, attempt)
    attempt.refresh_from_db()
    return attempt


def playing(site: Place, name: str, author: str) -> Version:
    """Return a version that plays."""
    site.submit(name, author)
    Version.objects.filter(bot__name=name).update(state="playing")
    return Version.objects.get(bot__name=name)


def test_a_page_begins_with_the_start_in_a_language_of_this_hill_and_the_rules(site: Place) -> None:
    anna = visitor("anna")
    page = anna.get("/write?language=go").content.decode()
    assert "package main" in page
    assert "the board has no edge" in page
    assert 'value="bot"' in page
    assert '<h1 id="title">A new bot · write</h1>' in page
    Runner.objects.create(host="h", pid=1, machine={"languages": [{"language": "python"}, {"language": "c++"}]})
    page = anna.get("/write?language=go").content.decode()
    assert "class Bot" in page
    assert ("language=c%2B%2B" in page, "language=go" in page) == (True, False)


def test_a_try_is_played_against_bots_that_play_and_counts_for_nothing(site: Place) -> None:
    hen, anna = playing(site, "hen", "ben"), visitor("anna")
    answer = ask(anna, source=LOUD, against=[hen.pk])
    assert answer.json() == {"address": "/write/fox", "left": 299}
    assert anna.get("/write/fox/work.json").json()["text"] == "waits for its turn"
    attempt = play(site)
    now = anna.get("/write/fox/work.json").json()
    assert (now["state"], now["isOver"], now["faults"], now["match"]) == ("played", True, [], f"try {attempt.pk}")
    assert "of 2" in now["text"]
    assert now["round"] == 0, "the page names no round: the try's number counts those of all authors"
    listing = anna.get("/write/fox/listing.json").json()
    (match,) = listing["matches"]
    assert (listing["isDev"], sorted(listing["entrants"]), match["name"]) == (
        True,
        ["fox", "hen"],
        f"try {attempt.pk}",
    )
    assert anna.get(match["url"]).content[:2] == b"\x1f\x8b"
    assert "here" in str(anna.get(f"/tries/{attempt.pk}/details.json").json()["stderr"]["fox"])
    assert "fox in try" in anna.get(now["transcript"]).content.decode()
    assert "hen" not in anna.get(f"/tries/{attempt.pk}/details.json").json()["stderr"]
    assert (Match.objects.count(), Version.objects.count()) == (0, 1)
    assert anna.get("/write/fox").context["texts"] == [("bot.py", LOUD)]


def test_what_a_rivals_build_prints_is_nobody_elses(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KothError("its build failed:\nSECRET_PLAN")

    monkeypatch.setattr(checks, "build_bot", fail)
    ask(visitor("anna"), against=[playing(site, "hen", "ben").pk])
    now = play(site).now
    assert (now["state"], now["text"], now["said"]) == ("broken", "hen can't be built now", "")
    assert "SECRET_PLAN" in AuditEntry.objects.get(action="build").text
    ask(visitor("ben"), against=[Version.objects.get().pk])
    now = play(site).now
    assert (now["text"], now["said"]) == ("hen can't be built: its build failed:", "SECRET_PLAN")


def test_tries_count_in_an_authors_share_and_the_oldest_go(site: Place) -> None:
    anna = visitor("anna")
    for number in range(KEPT_NAMES + 2):
        assert ask(anna, name=f"fox{number}", source="x" * 1000).status_code == 200
    author = Author.objects.get(name="anna")
    assert uploads.size_of(author) == KEPT_NAMES * 1000
    Policy.objects.create(kept_bytes=3000)
    assert ask(anna, name="hen", source="x" * 1500).status_code == 200
    assert [attempt.name for attempt in uploads.find_tries(author)] == ["fox21", "hen"]
    assert anna.get("/write/fox20").status_code == 404
    assert "/write/fox20" not in anna.get("/write?new").content.decode()
    assert "would take 3,001 bytes" in ask(anna, name="owl", source="x" * 3001).json()["problem"]
    assert [attempt.name for attempt in uploads.find_tries(author)] == ["fox21", "hen"]


def test_a_try_that_does_not_start_says_where(site: Place) -> None:
    anna = visitor("anna")
    ask(anna, source=BROKEN)
    now = play(site).now
    assert (now["state"], "SyntaxError" in now["text"] + now["said"]) == ("broken", True)
    assert "bot.py" in now["text"] + now["said"]
    assert str(site.folder) not in str(now)
    assert anna.get("/write/fox/listing.json").json()["matches"] == []
    page = anna.get("/write/fox").content.decode()
    assert "SyntaxError" in page.partition("<noscript>")[2]


def test_sending_makes_a_version_unless_nothing_is_new(site: Place) -> None:
    answer = ask(visitor("anna"), "send", "x = 1\r\n")
    version = Version.objects.get()
    assert answer.json()["address"] == f"/versions/{version.pk}"
    assert (version.name, version.sent, bytes(version.archive)) == ("fox", "bot.py", b"x = 1\n")
    playing(site, "hen", "ben")
    site.submit("owl", "anna")
    again = ask(visitor("anna"), "send", GOOD, name="owl", file="owl.py").json()
    assert again == {"problem": "change the bot first: this is version 1, which is received"}


def test_a_new_version_begins_with_the_source_of_the_last(site: Place) -> None:
    ask(visitor("anna"), "send", GOOD)
    site("run", "--matches", 1, "--isolation", "none")
    bot = Version.objects.get().bot
    assert bot.name == "anna/fox"
    page = visitor("anna").get(f"/my/bots/{bot.pk}").content.decode()
    assert 'href="/write/fox"' in page
    page = visitor("anna").get("/write/fox").content.decode()
    assert "def do_turn" in page
    assert 'value="fox"' in page
    assert 'href="/write/fox">fox</a>' in visitor("anna").get("/write?new").content.decode()


def test_a_refused_version_is_written_on_with_its_reason(site: Place) -> None:
    ask(visitor("anna"), "send", BROKEN)
    site("run", "--matches", 1, "--isolation", "none")
    page = visitor("anna").get("/write/fox").content.decode()
    assert "SyntaxError" in page.partition('id="refused"')[2].partition("</p>")[0]
    ask(visitor("anna"), source=GOOD)
    assert 'id="refused"' not in visitor("anna").get("/write/fox").content.decode()


FOLDER = {
    "file": ["bot.py", "brain/walk.py"],
    "source": ["from brain.walk import Walk\n\n\n" + GOOD, "class Walk(\n"],
}


def test_a_bot_of_several_files_is_tried_sent_and_written_on(site: Place) -> None:
    anna = visitor("anna")
    ask(anna, **FOLDER)
    now = play(site).now
    assert (now["state"], "brain/walk.py" in now["text"] + now["said"]) == ("broken", True)
    whole = {**FOLDER, "source": [FOLDER["source"][0], "class Walk:\n    pass\n"]}
    ask(anna, **whole)
    assert (play(site).now["state"], Try.objects.latest("pk").now["faults"]) == ("played", [])
    texts = list(zip(whole["file"], whole["source"], strict=True))
    assert anna.get("/write/fox").context["texts"] == texts
    Try.objects.all().delete()
    ask(anna, "send", **whole)
    site("run", "--matches", 1, "--isolation", "none")
    assert Version.objects.get().file == "fox"
    page = anna.get("/write/fox")
    assert page.context["texts"] == texts
    assert page.content.decode().count('name="source"') == 3, "two, and one that JavaScript adds"
    ask(anna, source="# mine")
    assert anna.get("/write/fox").context["texts"] == [("bot.py", "# mine")], "the newer of try and version"


def test_files_that_can_not_be_sent_are_refused_in_words(site: Place) -> None:
    anna = visitor("anna")
    for file, text in {
        "../walk.py": "is not the name of a file",
        "/walk.py": "is not the name of a file",
        "bot.py": "two files are called bot.py",
        "": "is not the name of a file",
    }.items():
        answer = ask(anna, file=["bot.py", file], source=[GOOD, "x"])
        assert (answer.status_code, text in answer.json()["problem"]) == (422, True), answer.json()
    assert "send a zip as a file" in ask(anna, file="bot.ZIP", source="PK").json()["problem"]
    clash = ask(anna, "send", file=["bot.py/x.py", "bot.py"], source=[GOOD, "x"]).json()["problem"]
    assert clash == "fox.zip: 'fox/bot.py' is a file and a folder in it"
    assert "31 files" in ask(anna, file=[f"{n}.py" for n in range(31)], source=["x"] * 31).json()["problem"]
    bot = playing(site, "owl", "anna").bot
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("owl/weights", b"\xff\0")
    bot.versions.update(archive=data.getvalue(), file="owl")
    page = anna.get("/write/owl", follow=True).content.decode()
    assert "owl/weights is not a text, so the editor can&#x27;t open the bot" in page


def test_a_version_is_tried_as_it_was_sent_against_older_versions_too(site: Place) -> None:
    hen, old = playing(site, "hen", "ben"), playing(site, "fox", "anna")
    Version.objects.filter(pk=old.pk).update(state="superseded")
    anna = visitor("anna")
    ask(anna, source="# unsent", name="fox")
    page = anna.get(f"/write/fox?version={old.pk}&against={hen.pk}")
    assert (page.context["texts"], page.context["form"]["against"].value()) == ([], [hen.pk])
    assert "Version 1 of fox is tried as it was sent" in page.content.decode()
    answer = anna.post("/write/fox", {"do": "try", "name": "fox", "version": old.pk, "against": [hen.pk, old.pk]})
    assert answer.headers["Location"] == f"/write/fox?version={old.pk}"
    assert (play(site).now["text"][-4:], Match.objects.count()) == ("of 3", 0)
    assert anna.get("/write/fox").context["texts"] == [("bot.py", "# unsent")], "no text is lost by it"
    for pk in (hen.pk, 10**30, "9" * 5000):
        assert anna.get(f"/write/fox?version={pk}").status_code == 404
    assert anna.get(f"/write/fox?against={'9' * 5000}").status_code == 200
    for key in ("version", "again", "against"):
        words = {"do": "try", "name": "fox", "file": "bot.py", "source": GOOD, key: "9" * 5000}
        assert anna.post("/write/fox", words).status_code == (404 if key == "version" else 422), key


def test_a_match_is_played_again_with_a_draft_in_it(site: Place) -> None:
    hen, _ = playing(site, "hen", "ben"), playing(site, "fox", "anna")
    site("run", "--matches", 2, "--isolation", "none")
    anna, match = visitor("anna"), Match.objects.get(pk=2)
    own, other = match.seats.get(version__bot__name="fox"), match.seats.get(version=hen)
    address = f"/write/fox?again={own.pk}"
    for page in (f"/matches/2/log/{own.place}", "/matches/2"):
        assert address in anna.get(page).content.decode()
    assert "in <a" in anna.get(address).content.decode()
    Version.objects.filter(pk=hen.pk).update(state="superseded")
    assert ask(anna, again=own.pk).json()["address"] == address
    was = f"{match.turns} turns, score {own.score:g}, rank {1 + (other.score > own.score)}"
    assert play(site).now["text"] == f"{was} of 2; in match 2 it was {was}"
    replays = [
        Replay(site.folder / f"{place}.koth.gz") for place in ("tries/replays/match-0001", "replays/match-0002")
    ]
    texts = ["".join(map(str, replay.turns())) for replay in replays]
    assert texts[0] == texts[1], "the same dice at the same seats"
    assert anna.get(f"/write/fox?again={'9' * 5000}").headers["Location"] == "/my/bots"
    for pk in (other.pk, 10**30):
        assert "only a played match of a bot of yours" in ask(anna, again=pk).json()["problem"]
        assert anna.get(f"/write/fox?again={pk}").headers["Location"] == "/my/bots"
    Version.objects.filter(pk=hen.pk).update(archive=b"")
    assert "the source of a rival is no longer stored" in ask(anna, again=own.pk).json()["problem"]


def test_a_draft_is_compared_with_the_version_that_plays(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, hen = visitor("anna"), playing(site, "hen", "ben")
    assert "no version of fox plays" in ask(anna, "compare").json()["problem"]
    fox = playing(site, "fox", "anna")
    assert b'value="compare"' in anna.get("/write/fox").content
    ask(anna, "compare", against=[hen.pk, fox.pk])
    assert play(site).now["text"] == "version 1 and your draft play alike on all 12 boards: no difference was seen"
    ask(anna, "compare", GOOD.replace("return", "raise ValueError\n        return"))
    assert "version 1" in (text := play(site).now["text"])
    assert " after " in text
    monkeypatch.setattr(try_runner, "LONGEST_TRY", 0.0)
    ask(anna, "compare")
    assert play(site).now["remarks"][1:] == ["the comparison was ended after 0 s"]


def test_write_goes_on_with_the_last_bot(site: Place) -> None:
    anna, hen = visitor("anna"), playing(site, "hen", "ben")
    for name in ("fox", "ant"):
        ask(anna, name=name)
    assert anna.get(f"/write?against={hen.pk}").headers["Location"] == f"/write/ant?against={hen.pk}"
    assert 'value="bot"' in anna.get("/write?new").content.decode()


def test_another_bot_does_not_take_the_name_of_the_first(site: Place) -> None:
    anna = visitor("anna")
    ask(anna, name="bot")
    page = anna.get("/write?language=java").content.decode()
    assert 'value="bot2"' in page
    assert 'href="/write/bot">bot</a>' in page


def test_what_can_not_be_tried_is_refused_in_words(site: Place) -> None:
    hen, anna = playing(site, "hen", "ben"), visitor("anna")
    withdrawn = playing(site, "owl", "ben")
    Version.objects.filter(pk=withdrawn.pk).update(state="withdrawn")
    Policy.objects.create(tries_a_day=1)
    problems = {
        "is not a name for a bot": {"name": "a/b"},
        "is not the name of a file": {"file": "../bot.py"},
        f"'anna/{'f' * 36}' is not a name for a bot": {"name": "f" * 36},
        "choose other rivals: one of these no longer plays": {"against": [withdrawn.pk, "9" * 5000]},
        f"{MOST_BYTES + 2:,} bytes; the most are {MOST_BYTES:,}": {"source": "ж" * (MOST_BYTES // 2 + 1)},
        "bot.py is not a text": {"source": "x = '\0'"},
        "Enter a whole number": {"version": "9" * 5000},
    }
    for text, words in problems.items():
        answer = ask(anna, **words)
        assert (answer.status_code, text in answer.json()["problem"]) == (422, True), answer.json()
    assert ask(anna, against=[hen.pk]).status_code == 200
    assert "1 tries in 24 hours" in ask(anna).json()["problem"]
    page = anna.post("/write", {"do": "try", "name": "fox", "file": "bot.py", "source": "# mine"})
    assert (page.status_code, "# mine" in page.content.decode()) == (422, True), "without JavaScript"


def test_a_rival_with_a_newer_version_is_tried_in_this_version(site: Place) -> None:
    hen, anna = playing(site, "hen", "ben"), visitor("anna")
    Version.objects.filter(pk=hen.pk).update(state="superseded")
    newer = Version.objects.create(author=hen.author, bot=hen.bot, number=2, state="playing", archive=hen.archive)
    assert ask(anna, against=[hen.pk]).status_code == 200
    assert Try.objects.get().rivals == [newer.pk]


@pytest.mark.parametrize("name", ["work.json", "listing.json"])
def test_every_name_of_a_bot_has_its_page(site: Place, name: str) -> None:
    anna = visitor("anna")
    assert ask(anna, name=name).json()["address"] == f"/write/{name}"
    assert anna.get("/write", follow=True).context["name"] == name


def test_one_try_of_an_author_is_played_at_a_time_and_nobody_waits_for_a_flood(
    site: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben = visitor("anna"), visitor("ben")
    for number in range(4):
        ask(anna, source=f"{GOOD}# {number}", name=f"fox{number}")
    ask(ben)
    waiting = [attempt.author.name for attempt in claims.find_requests()]
    assert sorted(waiting) == ["anna", "ben"], "a newer one replaces what waits"
    assert anna.get("/write/fox0/work.json").json()["text"] == "replaced by a newer try"
    with monkeypatch.context() as claimed:
        claimed.setattr(claims, "find_requests", list)
        now = ben.get("/write/fox/work.json").json()
        assert now["text"] == "waits for its turn", "a runner took it while the page asked"
    first, second = (claims.claim_request() for _ in range(2))
    assert isinstance(first, Try)
    assert isinstance(second, Try)
    assert [first.author.name, second.author.name] == ["anna", "ben"]
    ask(anna)
    assert claims.claim_request({(Try, first.author_id)}) is None, "one of hers is played"
    assert not tries.record_state(first, Now().as_json()), "she waits for a newer one"
    claims.release(Hill(site.folder, "zombies"), failed=True)
    assert Try.objects.get(pk=first.pk).now["text"] == "try again: the runner that played the try has ended"
    third = claims.claim_request()
    assert third is not None
    assert third.author.name == "anna"


def test_a_newer_try_ends_the_one_that_is_played(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, say, asked = visitor("anna"), tries.record_state, iter((True,))

    def said(attempt: Try, now: dict[str, Any], is_over: bool = False) -> bool:
        if now.get("turn") and next(asked, False):
            ask(anna, source=LOUD)
        return say(attempt, now, is_over)

    monkeypatch.setattr(tries, "record_state", said)
    monkeypatch.setattr("koth_hill.try_runner.RECORD_SECONDS", -1)
    ask(anna)
    now = play(site).now
    assert (now["state"], now["text"]) == ("broken", "the try was ended for a newer one")
    assert not AuditEntry.objects.filter(action="bug").exists()


def test_nothing_of_a_try_is_left_of_a_deleted_account(site: Place) -> None:
    hill = Hill(site.folder, "zombies")
    visitor("hanna", is_host=True)
    ask(visitor("anna"), source=LOUD)
    play(site)
    assert list((site.folder / "tries").glob("*/match-*"))
    authors.delete(Author.objects.get(name="anna"), hill)
    remove_leftovers(hill)
    assert not Try.objects.exists()
    assert not list((site.folder / "tries").glob("*/match-*"))


def test_old_tries_keep_no_source_and_no_match(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tries, "KEPT_TRIES", 1)
    anna = visitor("anna")
    for source in (GOOD, LOUD):
        ask(anna, source=source)
        play(site)
    old, new = Try.objects.order_by("pk")
    assert (bytes(old.data), old.now, new.now is None) == (b"", None, False)
    Try.objects.filter(pk=old.pk).update(name="ant")
    assert anna.get("/write/ant/work.json").json()["text"] == "no longer kept"
    assert len(list((site.folder / "tries" / "replays").iterdir())) == 1
    with pytest.raises(KothError, match="a name first"):
        tries.ask(load("zombies"), old.author, "", [("bot.py", GOOD)], Try.Kind.MATCH, (), Policy())


def sign_in(season: Season, name: str) -> Any:
    """Return the page of a browser of somebody's own, with scripts, in which a new author is signed in."""
    page = season.person(has_scripts=True)
    page.context.add_cookies(season.join(name).context.cookies())
    return page


def end_try(text: str) -> None:
    """Say in the place of a runner what has become of the try that waits."""
    end, now = time.monotonic() + PATIENCE, Now(state="broken", text=text).as_json()
    while not Try.objects.filter(state="waiting").update(state="over", now=now):
        assert time.monotonic() < end, text
        time.sleep(0.02)


CLICK_AFTER = """([text, milliseconds]) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error(`${text} is not shown`)), 60_000);
  const bench = document.querySelector("#bench p");
  const click = () => {
    if (!bench.innerText.includes(text)) return;
    watch.disconnect();
    setTimeout(() => { document.querySelector("[value=try]").click(); done(); }, milliseconds);
  };
  const watch = new MutationObserver(click);
  watch.observe(bench, {childList: true, characterData: true, subtree: true});
  click();
})"""


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_no_result_of_a_try_is_lost_and_unsaved_texts_are_their_users_alone(
    season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_hill(monkeypatch)
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # playwright has an event loop in this thread
    with open_hill(season.folder):
        Policy.objects.create(open_registration=True)
        anna = sign_in(season, "anna")
        anna.goto(f"{season.address}/write")
        anna.fill("#id_name", "fox")
        anna.click("[value=try]")
        anna.wait_for_url("**/write/fox")
        end_try("result 0")
        for number, milliseconds in enumerate((0, 300, 700, 0, 300)):
            anna.evaluate(CLICK_AFTER, [f"result {number}", milliseconds])
            end_try(f"result {number + 1}")
        anna.wait_for_selector("#bench p >> text=result 5")

        anna.fill("#id_name", "hen")
        anna.evaluate("for (const _ of [1, 2]) document.querySelector('[value=send]').click()")
        anna.wait_for_url("**/versions/*")
        assert Version.objects.count() == 1

        for path in ("/write?new", "/write/fox"):
            anna.goto(season.address + path)
            write(anna, "# secret plan of anna")
            anna.reload()
            assert "secret plan" in anna.inner_text(".cm-content:visible")
        kept = "Object.entries(localStorage).filter(([key, text]) => text.includes('secret plan')).length"
        assert anna.evaluate(kept) == 2
        mia = season.join("mia").context.cookies()
        cookies = anna.context.cookies()
        anna.context.add_cookies(mia)
        anna.goto(f"{season.address}/write")
        assert "secret plan" not in anna.inner_text(".cm-content:visible")
        assert not anna.is_visible("#back-again")
        anna.context.add_cookies(cookies)
        anna.goto(season.address)
        anna.click("text=Sign out")
        anna.wait_for_selector("text=Sign in")
        assert anna.evaluate(kept) == 0
