"""Bots that come by the site: refused at once for what can be seen from outside, or read by a runner."""

from __future__ import annotations

import io
import random
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from koth.errors import KothError
from koth.games import load
from koth_hill import authors, claims, planning, registry, tokens, tries, uploads
from koth_hill.connection import Hill, open_hill
from koth_hill.models import Author, Bot, Match, Policy, Try, Version
from koth_hill.registry import freeze
from tests.cli.program import GOOD
from tests.hill.conftest import Place

RUN = ("--matches", 1, "--isolation", "none")


@pytest.fixture
def anna(hill: Place) -> Iterator[Author]:
    """An author of an open hill."""
    with open_hill(hill.folder):
        yield authors.invite("anna")


def zipped(files: Mapping[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


@pytest.mark.slow
def test_a_file_a_zip_of_a_folder_and_a_zip_of_files_become_versions(hill: Place, anna: Author) -> None:
    uploads.receive(anna, "fox.py", GOOD.encode())
    uploads.receive(anna, "hen.zip", zipped({"hen/bot.py": GOOD, "hen/notes.txt": "more"}))
    uploads.receive(anna, "x.zip", zipped({"bot.py": GOOD}), "owl")
    hill("run", *RUN)
    versions = Version.objects.select_related("bot__author")
    assert [(v.bot.name, v.bot.author.name, v.state) for v in versions] == [
        (f"anna/{name}", "anna", "playing") for name in ("fox", "hen", "owl")
    ]


COUNTS: Mapping[str, Callable[[Author], int]] = {
    "uploads": lambda anna: uploads.count_left(anna, Policy()),
    "tries": lambda anna: tries.count_left(anna, Policy()),
    "matches": lambda anna: planning.count_today(),
}


@pytest.mark.parametrize("kind", COUNTS)
def test_what_was_done_while_the_clock_was_ahead_counts_no_more_once_it_is_right(
    kind: str, hill: Place, anna: Author
) -> None:
    hill.submit("fox", "anna")
    count, now = COUNTS[kind], timezone.now()
    before = count(anna)
    more = {"focus": Version.objects.get()}
    rows = (
        (anna.versions.create(sent="fox.py", archive=b"1"), "submitted"),
        (anna.tries.create(name="fox", file="fox.py", data=b"1"), "asked"),
        (Match.objects.create(season=registry.current_season(), state="played", ended=now, **more), "ended"),
    )
    assert abs(count(anna) - before) == 1
    for row, key in rows:
        type(row)._base_manager.filter(pk=row.pk).update(**{key: now + timedelta(days=30)})
    assert count(anna) == before


def test_a_folder_may_be_called_like_a_zip(hill: Place, anna: Author) -> None:
    uploads.receive(anna, "x.zip", zipped({"b.zip/bot.py": GOOD}))
    hill("run", *RUN)
    version = Version.objects.get()
    assert (version.bot.name, version.state, version.reason) == ("anna/b.zip", "playing", "")


def test_what_is_no_bot_is_refused_by_the_runner_in_its_authors_words(hill: Place, anna: Author) -> None:
    for file, data, name in (
        ("two.zip", zipped({"a/bot.py": GOOD, "b/bot.py": GOOD}), ""),
        ("readme.txt", b"I am no bot", ""),
        ("empty.zip", zipped({"text.txt": "nothing"}), "hen"),
        ("broken.zip", zipped({"bot.py": GOOD})[:60] + b"\0" * 40 + zipped({"bot.py": GOOD})[100:], ""),
    ):
        uploads.receive(anna, file, data, name)
    hill("run", *RUN)
    reasons = [version.reason for version in Version.objects.all()]
    assert [version.state for version in Version.objects.all()] == ["refused"] * 4
    assert reasons[0].startswith("two.zip: 2 bots; send one only: two.zip#")
    assert reasons[1].startswith("readme.txt: no bot")
    assert reasons[2].startswith("empty.zip: no bot here")
    assert reasons[3].startswith("broken.zip: can't be unpacked")
    assert not any("/tmp" in reason or "zips/" in reason for reason in reasons)


def link() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        info = zipfile.ZipInfo("bot.py")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return data.getvalue()


def twice() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bot.py", GOOD)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("bot.py", "")
    return data.getvalue()


def overlapping() -> bytes:
    """A zip whose table names the same bytes again and again."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0", b"\0" * (1 << 20))
        first = archive.filelist[0]
        for number in range(1, 300):
            again = zipfile.ZipInfo(str(number))
            for key in ("compress_size", "file_size", "CRC", "compress_type", "header_offset"):
                setattr(again, key, getattr(first, key))
            archive.filelist.append(again)
        archive._didModify = True  # type: ignore[attr-defined]
    return data.getvalue()


def encrypted() -> bytes:
    data = bytearray(zipped({"bot.py": GOOD}))
    table = data.index(b"PK\x01\x02")
    data[table + 8] |= 1
    return bytes(data)


HOSTILE = {
    "no bytes": ("bot.py", b"", "", "is empty"),
    "too large": ("bot.py", b"#" * ((4 << 20) + 1), "", "the limit is 4,194,304"),
    "a path": ("../bot.py", b"#", "", "not the name of a file"),
    "a hidden file": (".bashrc", b"#", "", "not the name of a file"),
    "a line break": ("bot\n.py", b"#", "", "not the name of a file"),
    "a mark": ("bot\u202e.py", b"#", "", "not the name of a file"),
    "a long name": ("b" * 300, b"#", "", "not the name of a file"),
    "a name of many bytes": ("\U0001d54f" * 90 + ".py", b"#", "", "not the name of a file"),
    "a bot's path": ("bot.py", b"#", "../fox", "not a name for a bot"),
    "a bot's long name": ("bot.py", b"#", "f" * 41, "not a name for a bot"),
    "a bot's escape": ("bot.py", b"#", "fox\x1b[31m", "not a name for a bot"),
    "no zip": ("bot.zip", b"PK but no zip", "", "can't be read as a zip"),
    "nothing in it": ("bot.zip", zipped({}), "", "the zip has no files"),
    "upwards": ("bot.zip", zipped({"../../bot.py": GOOD}), "", "lies outside of it"),
    "absolute": ("bot.zip", zipped({"/etc/bot.py": GOOD}), "", "lies outside of it"),
    "backslashes": ("bot.zip", zipped({"..\\bot.py": GOOD}), "", "lies outside of it"),
    "a link": ("bot.zip", link(), "", "is a link"),
    "twice": ("bot.zip", twice, "", "is in it twice"),
    "control characters": ("bot.zip", zipped({"bot\x1b[2J.py": GOOD}), "", "invisible characters"),
    "a password": ("bot.zip", encrypted(), "", "is encrypted"),
    "many files": ("bot.zip", zipped({str(number): "" for number in range(2001)}), "", "more than 2000 files"),
    "deep": ("bot.zip", zipped({"d/" * 70 + "bot.py": GOOD}), "", "folders within each other"),
    "a bomb": ("bot.zip", zipped({"bot.py": "\0" * (81 << 20)}), "", "more than 2000 files or 80 MB"),
    "a bomb of overlaps": ("bot.zip", overlapping(), "", "more than 2000 files or 80 MB"),
    "a zip in it": ("bot.zip", zipped({"bot.py": GOOD, "data.zip": "PK"}), "", "is a zip, too"),
}


@pytest.mark.slow_but
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_at_once(anna: Author, what: str) -> None:
    file, data, name, reason = HOSTILE[what]
    with pytest.raises(KothError, match=reason) as told:
        uploads.receive(anna, file, data() if callable(data) else data, name)
    assert str(told.value).isprintable()
    assert len(str(told.value)) < 400
    assert not Version.objects.exists()


def test_an_author_sends_so_many_a_day_while_the_season_takes_bots(anna: Author) -> None:
    Policy.objects.create(uploads_a_day=2)
    for number in range(2):
        uploads.receive(anna, "fox.py", f"# {number}".encode())
    with pytest.raises(KothError, match="you have sent 2 bots in 24 hours"):
        uploads.receive(anna, "fox.py", b"#")
    freeze()
    with pytest.raises(KothError, match="no more bots are accepted"):
        uploads.receive(authors.invite("ben"), "fox.py", b"#")


def test_an_account_that_is_deleted_meanwhile_takes_nothing(anna: Author) -> None:
    """A request is admitted, and another one deletes the account before it is answered."""
    authors.delete(Author.objects.get(pk=anna.pk), Hill(Path("none"), "zombies"))
    with pytest.raises(KothError, match="suspended or deleted"):
        uploads.receive(anna, "fox.py", b"#")
    with pytest.raises(KothError, match="suspended or deleted"):
        tokens.make_token(anna, "ci")
    assert not Version.objects.exists()


def test_going_back_counts_as_sending(hill: Place, anna: Author) -> None:
    """Else an author keeps all runners at checking."""
    for number in range(2):
        hill.submit("fox", "anna", f"{GOOD}# {number}\n")
    Policy.objects.create(uploads_a_day=2)
    bot = Bot.objects.get()
    assert uploads.go_back(bot, 1).number == 3
    assert uploads.go_back(bot, 2).number == 4
    with pytest.raises(KothError, match="you have sent 2 bots in 24 hours"):
        uploads.go_back(bot, 1)
    assert Version.objects.count() == 4


def noise(number: int) -> str:
    """A bot of some 20 kB, 10 kB packed."""
    return f"{GOOD}# {random.Random(number).randbytes(10_000).hex()}\n"


def test_an_author_fills_no_disk(hill: Place, anna: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest sources go, of versions that play no more; bots that play never lose theirs."""
    monkeypatch.setattr("koth_hill.checks.find_problem", lambda *_: "")
    Policy.objects.create(kept_bytes=65_000)
    for number, name in enumerate(("fox", "fox", "fox", "hen", "owl")):
        uploads.receive(anna, f"{name}.py", noise(number).encode())
        hill("run", *RUN)
    kept = [(version.bot.name, bool(version.archive)) for version in Version.objects.exclude(bot=None)]
    assert kept == [("anna/fox", False), ("anna/fox", False), ("anna/fox", True), ("anna/hen", True)]
    assert Version.objects.latest("pk").reason.endswith("the most are 65,000: withdraw one that plays")


def test_uploads_that_wait_have_an_end(anna: Author) -> None:
    Policy.objects.create(kept_bytes=25_000)
    uploads.receive(anna, "fox.py", noise(1).encode())
    with pytest.raises(KothError, match=r"20,1\d\d bytes of yours wait to be read; the limit is 25,000"):
        uploads.receive(anna, "fox.py", noise(2).encode())


def test_authors_are_served_in_turn_whatever_they_wait_for(anna: Author) -> None:
    ben = authors.invite("ben")
    for author in (anna, anna, ben, anna):
        uploads.receive(author, "fox.py", b"#")
    tries.ask(load("zombies"), ben, "fox", [("fox.py", "#")], Try.Kind.MATCH, (), Policy())
    order = [claim() for _ in range(5)]
    assert order == [("anna", Version), ("ben", Try), ("anna", Version), ("ben", Version), ("anna", Version)]


def claim() -> tuple[str, type] | None:
    request = claims.claim_request()
    return None if request is None else (request.author.name, type(request))


def test_what_a_killed_runner_was_checking_is_checked_by_the_next_one_thrice(hill: Place, anna: Author) -> None:
    for number, (tried, state) in enumerate(((0, "playing"), (2, "refused"))):
        version = uploads.receive(anna, "fox.py", f"{GOOD}# {number}".encode())
        Version.objects.filter(pk=version.pk).update(state="checking", tries=tried)
        hill("run", *RUN)
        version.refresh_from_db()
        assert (version.state, version.tries) == (state, tried + 1)
    assert version.reason.startswith("3 runners of the hill ended while they checked this")
