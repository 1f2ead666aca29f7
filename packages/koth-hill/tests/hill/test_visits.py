"""Visits: how many, how long, and what is left of them; the leaders are functions in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from koth.errors import KothError
from koth.games import load
from koth.sandbox.isolation import PLAIN
from koth.session.local import InlineBot
from koth_hill import visits
from koth_hill.visits import Leaders, Visits


class Clock:
    """A clock that stands until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hill(tmp_path: Path) -> Iterator[Visits]:
    """The visits of a hill of zombies whose leader stands still; every match is ended afterwards."""
    game = load("zombies")
    settings = next(iter(game.rulesets.values()))
    bot: Any = InlineBot("you", lambda observations, match_info: {})
    found = Visits(tmp_path, PLAIN, Clock())
    found.leaders = Leaders(game, "published", settings, [bot])
    yield found
    for visit in found.playing:
        visit.matches[-1].interrupt()


def visit_of(hill: Visits, word: str) -> Any:
    return hill._visits[word]


def leave(hill: Visits, word: str) -> None:
    """Have a visitor leave, and wait for the end of the match."""
    table = visit_of(hill, word).matches[-1]
    table.person.leave()
    table.wait()


def test_few_play_at_a_time_and_of_an_address_one(hill: Visits) -> None:
    words = [hill.begin([f"10.0.0.{k}", f"author {k}"]) for k in range(visits.MATCHES_AT_ONCE - 1)]
    with pytest.raises(KothError, match="of yours, or of somebody at your address"):
        hill.begin(["10.0.0.0"])
    with pytest.raises(KothError, match="of yours, or of somebody at your address"):
        hill.begin(["10.0.0.8", "author 1"])
    with pytest.raises(KothError, match="of yours, or of somebody at your address"):
        hill.begin(["10.0.0.1", "author 9"])
    hill.begin(["10.0.0.9"])
    with pytest.raises(KothError, match="3 visitors are playing, which is the limit"):
        hill.begin(["10.0.0.10"])
    leave(hill, words[0])
    hill.begin(["10.0.0.0"])
    assert len({*words}) == len(words)
    assert [entrant.name for entrant in visit_of(hill, words[0]).matches[0].entrants] == ["you 2", "you"]


def test_another_match_of_a_visit_needs_room_too(hill: Visits, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "MATCHES_OF_VISIT", 2)
    word = hill.begin(["one"])
    visit = visit_of(hill, word)
    leave(hill, word)
    others = [hill.begin([f"other {k}"]) for k in range(visits.MATCHES_AT_ONCE)]
    with pytest.raises(KothError, match="visitors are playing"):
        hill._make_match(visit, 2)
    leave(hill, others[0])
    hill._make_match(visit, 2).start()
    assert visit.is_playing
    leave(hill, word)
    with pytest.raises(KothError, match="you have played 2 matches"):
        hill._make_match(visit, 3)


@pytest.mark.parametrize("pass_by", ["IDLE_SECONDS", "LONGEST_MATCH"])
def test_a_match_ends_whose_visitor_is_idle_or_which_takes_too_long(hill: Visits, pass_by: str) -> None:
    word, clock = hill.begin(["one"]), hill.clock
    assert isinstance(clock, Clock)
    visit = visit_of(hill, word)
    clock.now = getattr(visits, pass_by)
    visit.matches[0].person.accepted += pass_by == "LONGEST_MATCH"
    hill.sweep()
    assert visit.is_playing
    clock.now += 1
    hill.sweep()
    visit.matches[0].wait()
    assert ("20 minutes" if pass_by == "LONGEST_MATCH" else "you did nothing") in visit.matches[0].failure
    assert not visit.matches[0].replay.exists()
    hill.begin(["one"])


def test_what_is_over_is_kept_for_some_minutes(hill: Visits, tmp_path: Path) -> None:
    word, clock = hill.begin(["one"]), hill.clock
    assert isinstance(clock, Clock)
    leave(hill, word)
    clock.now = visits.KEPT_SECONDS
    hill.sweep()
    assert visit_of(hill, word).matches[0].replay.is_file()
    clock.now += 1
    hill.sweep()
    assert list(tmp_path.iterdir()) == []
    assert hill.bots() == list(hill.leaders.bots if hill.leaders else ())


def test_a_match_that_does_not_end_has_the_process_replaced(hill: Visits) -> None:
    visit, clock = visit_of(hill, hill.begin(["one"])), hill.clock
    assert isinstance(clock, Clock)
    clock.now, visit.ended = visits.STUCK_SECONDS + 1, 0.0
    with pytest.raises(RuntimeError, match="visit 1 does not end"):
        hill.sweep()


def test_no_leaders_no_visit(hill: Visits) -> None:
    hill.leaders = None
    with pytest.raises(KothError, match="can't be played now"):
        hill.begin(["one"])


def test_a_page_is_found_by_its_word_alone(hill: Visits) -> None:
    async def visit() -> None:
        transport = httpx.ASGITransport(hill.make_app())
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            word = (await client.post("/", content="one")).json()["word"]
            assert (await client.post("/", content="one")).json()["problem"].startswith("a match of yours")
            assert (await client.get("/")).json() == {"leaders": ["you"], "free": visits.MATCHES_AT_ONCE - 1}
            assert (await client.get(f"/{word}/play")).status_code == 200
            assert (await client.get("/nothing/play")).status_code == 404
            assert (await client.get(f"/{word}/matches.json")).json()["matches"] == []
            said = await client.post(f"/{word}/play/say", json={"ready": True})
            assert said.status_code == 403, "another site's page"
            ours = {"origin": "http://127.0.0.1"}
            clock = hill.clock
            assert isinstance(clock, Clock)
            for now, sent, heard in (
                (100, {"ready": True}, 100),
                (150, {"ready": True}, 100),
                (150, {"ask": 7}, 100),
            ):
                clock.now = now
                assert (await client.post(f"/{word}/play/say", json=sent, headers=ours)).status_code == 200
                hill.sweep()
                assert visit_of(hill, word).heard == heard, "only what moves the match on is a sign of life"
            assert (await client.post(f"/{word}/play/leave", json={}, headers=ours)).status_code == 200
            visit_of(hill, word).matches[0].wait()
            (match,) = (await client.get(f"/{word}/matches.json")).json()["matches"]
            assert (await client.get(f"/{word}/{match['url']}")).content[:2] == b"\x1f\x8b"
            assert "end" in (await client.get(f"/{word}/play/messages")).json()[-1]

    asyncio.run(visit())
