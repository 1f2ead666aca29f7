"""A hill's disk: copies of what plays, nothing of what does not, and an author's share of it counts them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import pytest

from koth.files.cache import cache_folder
from koth_hill import authors, registry, uploads
from koth_hill.connection import open_hill
from koth_hill.models import Author, Policy, Version
from tests.cli.program import GOOD
from tests.hill.conftest import Place

RUN = ("--matches", 1, "--isolation", "none")


@pytest.fixture
def anna(hill: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Author]:
    """An author of an open hill, whose runner checks nothing."""
    monkeypatch.setattr("koth_hill.checks.find_problem", lambda *_: "")
    with open_hill(hill.folder):
        yield authors.invite("anna")


def bomb(text: str = GOOD, size: int = 5 << 20) -> bytes:
    """A zip of some kB that takes megabytes unpacked."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("fox/bot.py", text)
        archive.writestr("fox/zero", b"\0" * size)
    return data.getvalue()


def copies(hill: Place) -> list[str]:
    """The bots of which something lies there: a copy, or what its build left beside it."""
    folder = hill.folder / "bots"
    return sorted({path.name.partition(".")[0] for path in folder.iterdir()}) if folder.exists() else []


def test_only_the_version_that_plays_lies_unpacked(hill: Place, anna: Author) -> None:
    before = set(cache_folder("zips").iterdir())
    for number in range(3):
        uploads.receive(anna, "fox.zip", bomb(f"{GOOD}# {number}\n"))
        hill("run", *RUN)
        assert copies(hill) == [Version.objects.get(state="playing").digest]
    assert set(cache_folder("zips").iterdir()) == before
    assert 5 << 20 < uploads.size_of(anna) < 6 << 20, "what lies there is what is counted"
    registry.withdraw("anna/fox")
    hill("run", *RUN)
    assert copies(hill) == []
    assert uploads.size_of(anna) < 1 << 20


def test_what_is_refused_leaves_nothing(hill: Place, anna: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    uploads.receive(anna, "fox.zip", bomb("import nothing_of_this_name"))
    uploads.receive(anna, "hen.zip", bomb().replace(b"fox/bot.py", b"fox/bot.md"))
    monkeypatch.undo()
    hill("run", *RUN)
    assert [version.state for version in Version.objects.all()] == ["refused"] * 2
    assert copies(hill) == []


def test_unpacked_bytes_and_what_a_build_makes_are_an_authors_share(hill: Place, anna: Author) -> None:
    Policy.objects.create(kept_bytes=8 << 20)
    uploads.receive(anna, "fox.zip", bomb(size=5 << 20))
    hill("run", *RUN)
    uploads.receive(anna, "hen.zip", bomb(size=5 << 20), "hen")
    hill("run", *RUN)
    assert Version.objects.latest("pk").reason.endswith("withdraw one that plays")
    uploads.receive(anna, "fox.zip", bomb(f"{GOOD}# 2\n", size=6 << 20))
    hill("run", *RUN)
    assert Version.objects.get(number=2).state == "playing", "the new copy takes the place of the old one"
    assert copies(hill) == [Version.objects.get(number=2).digest]


def test_a_check_counts_what_a_build_makes(hill: Place, anna: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    Policy.objects.create(kept_bytes=8 << 20)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("owl/bot.py", GOOD)
        archive.writestr("owl/koth.toml", 'build = ["dd if=/dev/zero of=zero bs=1M count=9"]')
    uploads.receive(anna, "owl.zip", data.getvalue())
    hill("run", *RUN)
    owl = Version.objects.get()
    assert (owl.state, "the most are 8,388,608" in owl.reason) == ("refused", True)


def test_what_earlier_runners_have_left_goes_at_the_start(hill: Place, anna: Author) -> None:
    for name in ("0123", "koth-hill-x", "tries"):
        (hill.folder / "bots" / name / "deep").mkdir(parents=True)
    (hill.folder / "bots" / "0123.built").touch()
    hill("run", *RUN)
    assert copies(hill) == []
