"""A season read as a run is: from the folder, through the API, and as the public, an author and the host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from koth.contest.reading import HOST, PUBLIC, MatchReader
from koth.errors import KothError
from koth.remote.season import RemoteSeason
from koth.services.export import export_site
from koth.services.opening import find_page
from koth.services.standings import report_standings
from koth.services.verify import verify
from koth.services.why import explain_faults
from koth_hill import tokens
from koth_hill.connection import open_hill
from koth_hill.models import Author, Match, Season
from koth_hill.season_reader import SeasonReader, audience_of
from koth_hill.site.api import api
from tests.cli.program import GOOD
from tests.hill.conftest import Place
from tests.hill.site.conftest import LOCAL, visitor
from tests.hill.site.test_safety import SEEN, address, things

OWN_WORDS = ("STDERR-WORD", "FAULT-WORD", "NOTE-WORD")
"""What anna's bot leaves for its author: on stderr, in a message that is garbage, in a note."""
TALKER = "from koth.adapter.kit import debug\n" + GOOD.replace(
    "return",
    "import sys; print('STDERR-WORD', file=sys.stderr); debug.note('NOTE-WORD')\n"
    "        if context.game_clock == 2: raise ValueError('FAULT-WORD')\n"
    "        return",
)


@pytest.fixture
def told(site: Place, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The rows of anna's of a hill in which her bot leaves words for her."""
    monkeypatch.setattr("koth_hill.checks.find_problem", lambda *_: "")
    visitor("anna")
    visitor("ben")
    site.submit("anna_bot", "anna", TALKER)
    site.submit("ben_bot", "ben", GOOD)
    return things(site, submits=False)


class _Program:
    """A client of the API in this process, as `koth.remote.site.Site` is of one behind an address."""

    def __init__(self, token: str = "") -> None:
        self.name, self.token = "https://koth.example.org", token
        self._client: Any = Client(
            headers={"host": LOCAL[0], **({"authorization": f"Bearer {token}"} if token else {})}
        )

    def get(self, path: str, **query: object) -> Any:
        answer = self._client.get(f"/api/{path}", {key: value for key, value in query.items() if value is not None})
        if answer.status_code != 200:
            raise KothError(f"{self.name}: {answer.json()['detail']}")
        return json.loads(answer.content)

    def fetch_replay(self, match: int) -> bytes:
        content: bytes = self._client.get(f"/api/matches/{match}/replay").content
        return content


def remote(folder: Path, author: str | None = None) -> RemoteSeason:
    """Return the season as the site shows it to an author's program, or to the public."""
    token = "" if author is None else tokens.make_token(Author.objects.get(name=author), f"laptop of {folder.name}")
    folder.mkdir()
    return RemoteSeason(_Program(token), None, folder)  # type: ignore[arg-type]


def texts(reader: MatchReader) -> str:
    """Return all that a reader answers about its matches, as text."""
    rows = reader.matches()
    found: list[Any] = [
        reader.plan(),
        reader.counts(),
        rows,
        reader.faults(),
        reader.fault_reasons(),
        reader.secrets(),
    ]
    for row in rows:
        found += [reader.digests(row), *(reader.logs(row.number, bot) for bot in row.scores)]
    return repr(found)


def test_every_door_gives_the_same_and_each_audience_what_is_its_own(
    site: Place, told: dict[str, Any], tmp_path: Path
) -> None:
    with open_hill(site.folder) as hill:
        season = Season.objects.get()
        audiences = {
            name: audience_of(Author.objects.filter(name=name).first()) for name in ("", "ben", "anna", "hanna")
        }
        assert (audiences[""], audiences["hanna"]) == (PUBLIC, HOST)
        readers: dict[str, list[MatchReader]] = {
            name: [SeasonReader(hill, season, audience), remote(tmp_path / (name or "public"), name or None)]
            for name, audience in audiences.items()
        }
        for name, (here, there) in readers.items():
            assert there.matches()[0].scores == here.matches()[0].scores
            assert [row.number for row in there.matches()] == [row.number for row in here.matches()] == [1, 2]
            assert [(f.bot, f.kind, f.count, f.text, f.said) for f in there.faults()] == [
                (f.bot, f.kind, f.count, f.text, f.said) for f in here.faults()
            ]
            assert there.scores().score.tolist() == here.scores().score.tolist()
            for reader in (here, there):
                shown = [word for word in OWN_WORDS if word in texts(reader)]
                assert shown == (list(OWN_WORDS) if name in ("anna", "hanna") else []), (name, reader)
                assert season.secret not in texts(reader)
                assert (reader.secrets() != [None]) == (name == "hanna" and reader is here)
            report = report_standings(there)
            assert report.standings.as_json({}) == report_standings(here).standings.as_json({})
            assert report.faults == report_standings(here).faults
            assert report.faults["anna_bot"]
        assert verify(readers["hanna"][0]).ok
        assert verify(readers[""][1]) == verify(readers[""][0])
        for reader in readers["anna"]:
            found = explain_faults(reader, "anna_bot")
            assert "FAULT-WORD" in found.causes[0].first.text
            assert "FAULT-WORD" in "\n".join(found.lines(reader)).partition("the end of its stderr")[2]
            assert found.endings
        played = Match.objects.get(pk=1)
        assert readers[""][0].key(played.pk) == readers[""][1].key(played.pk)


def test_a_wrong_digest_and_a_wrong_score_are_found(site: Place, told: dict[str, Any]) -> None:
    with open_hill(site.folder) as hill:
        reader = SeasonReader(hill, Season.objects.get(), HOST)
        Match.objects.filter(pk=1).update(digest="0" * 32)
        told["match"].seats.model.objects.filter(match=2, place=0).update(score=7.5)
        found = {part.what: part.difference for part in verify(reader).differences}
        assert set(found) == {"match 1", "match 2"}
        assert "the scores on record" in found["match 2"]
        Season.objects.update(secret="f" * 32)
        first, *_ = verify(SeasonReader(hill, Season.objects.get(), HOST)).differences
        assert (first.what, first.difference[:28]) == ("the secret", "the commitment of the secret")


def test_private_words_leave_by_no_address_no_api_and_no_export(
    site: Place, told: dict[str, Any], tmp_path: Path
) -> None:
    secret = Season.objects.get().secret
    words = (*OWN_WORDS, secret)
    ben = tokens.make_token(Author.objects.get(name="ben"), "laptop")
    for role in (None, "ben"):
        client = visitor(role)
        for name in SEEN:
            content = client.get(address(name, told), follow=False).getvalue().decode("utf-8", "replace")
            assert not [word for word in words if word in content], (role, name)
    for headers in ({}, {"authorization": f"Bearer {ben}"}):
        program: Any = Client(headers={"host": LOCAL[0], **headers})
        paths = [
            path for path, methods in api.get_openapi_schema(path_prefix="/api/")["paths"].items() if "get" in methods
        ]
        assert len(paths) >= 9
        for path in paths:
            for number in ("1", "2"):
                place = path.replace("{number}", number)
                content = program.get(place).getvalue().decode("utf-8", "replace")
                assert not [word for word in words if word in content], (headers, place)
    with open_hill(site.folder) as hill:
        export_site(SeasonReader(hill, Season.objects.get(), PUBLIC), tmp_path / "out")
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert len(files) >= 7
    for file in files:
        content = file.read_text(encoding="utf-8")
        assert not [word for word in words if word in content], file


def test_matches_of_older_versions_are_on_record_and_do_not_count(site: Place, told: dict[str, Any]) -> None:
    site.submit("ben_bot", "ben", GOOD + "# mended\n")
    site("run", "--matches", 2, "--isolation", "none")
    with open_hill(site.folder) as hill:
        reader = SeasonReader(hill, Season.objects.get(), HOST)
        assert (len(reader.matches()), reader.uncounted_matches()) == (4, {1, 2})
        assert reader.counts().done == len(reader.scores()) == 2
        assert verify(reader).matches == 4
        assert {fault.match for fault in reader.faults("anna_bot")} >= {1, 2}, "her version is the newest"


def test_pages_of_a_hill_are_named_as_on_its_site(hill: Place) -> None:
    where = str(hill.folder)
    for place in (where, "https://koth.example.org"):
        for word, season, match in (
            (place, None, None),
            (f"{place}/seasons/2", 2, None),
            (f"{place}/matches/7/", None, 7),
        ):
            page = find_page(word)
            assert page is not None
            assert (page.hill, page.season, page.match) == (place, season, match)
    assert find_page(f"{where}/hill.json") is None
    assert find_page("nowhere/seasons/2") is None
    assert "name the hill" in hill.koth.refused("standings", f"{where}/matches/7")
    assert "name a match, such as" in hill.koth.refused("debug", where, "--bot", "fox", "--turn", 1)
    assert "has no season 9" in hill.koth.refused("why", f"{where}/seasons/9")
