"""The person's page over HTTP: messages from a real server, and what happens when the page is closed."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from koth.games import load
from koth.replay.reader import Replay
from koth.sandbox.isolation import PLAIN
from koth.session.local import InlineBot
from koth.viewer.person import Person
from koth.viewer.play import PersonMatch, PersonSession, make_play_app


@pytest.fixture
def table(request: pytest.FixtureRequest, tmp_path: Path) -> PersonMatch:
    """A match of zombies with a person whose page may be closed for a moment, or for so many seconds."""
    game = load("zombies")
    settings = next(iter(game.rulesets.values()))
    person = Person(
        "Ann", game.protocols["json"](settings, 2), game.frame_spec, patience=getattr(request, "param", 0.05)
    )
    other = InlineBot("other", lambda observations, match_info: {})
    return PersonMatch(game, settings, "published", [person, other], person, 3, tmp_path / "match.koth.gz", PLAIN)


@pytest.fixture
def address(table: PersonMatch) -> Iterator[str]:
    """The match, served."""
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    app = make_play_app(PersonSession(lambda number: table))
    config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([door],))
    thread.start()
    yield f"http://127.0.0.1:{door.getsockname()[1]}"
    server.should_exit = True
    thread.join()
    door.close()


def say(address: str, message: dict[str, object]) -> int:
    headers = {"origin": address, "content-type": "application/json"}
    return httpx.post(f"{address}/play/say", headers=headers, content=json.dumps(message), timeout=300).status_code


def messages(address: str, after: str = "0") -> list[dict[str, Any]]:
    """The match's messages from this number on."""
    found: list[dict[str, Any]] = httpx.get(f"{address}/play/messages?after={after}", timeout=300).json()
    return found


def heard(address: str, key: str) -> Any:
    """The content of the first message with this key, as soon as it is there."""
    while True:
        for message in messages(address):
            if key in message:
                return message[key]
        time.sleep(0.01)


def test_who_closes_the_page_for_too_long_is_gone_and_the_match_is_played_to_its_end(
    table: PersonMatch, address: str
) -> None:
    table.start()
    assert heard(address, "hello")["names"] == ["Ann", "other"]
    assert say(address, {"ready": True}) == 200
    assert heard(address, "ask") == 1
    table.wait()
    assert table.result is not None
    assert table.result.records["Ann"].faults == {"closed": 1}
    result = Replay(table.replay).result
    assert result is not None
    assert result["scores"] == table.result.scores
    assert httpx.get(f"{address}/matches.json", timeout=300).json()["matches"][0]["name"] == "match"


@pytest.mark.parametrize("table", [1000], indirect=True)
def test_a_page_goes_on_after_the_last_message_it_has_read(table: PersonMatch, address: str) -> None:
    """No request waits: without news the answer is an empty list."""
    table.start()
    heard(address, "hello")
    found = messages(address)
    assert "hello" in found[-1]
    expected = [found[1:], found[-1:], [], [], found, found]
    assert [messages(address, k) for k in ("1", f"{len(found) - 1}", f"{len(found)}", "99", "-1 a", "")] == expected
    table.interrupt()
    assert table.result is None
    assert not table.replay.exists()


def test_a_failure_of_the_arena_is_sent_to_the_page(table: PersonMatch, address: str) -> None:
    table.replay = Path("/proc/nowhere/match.koth.gz")
    table.start()
    table.wait()
    assert "nowhere" in table.failure
    assert "nowhere" in heard(address, "failed")
