"""The viewer's server: who may ask, what is answered, and what is never served."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from koth.errors import KothError
from koth.games import GAMES
from koth.replay.reader import Replay, ReplayError
from koth.viewer.server import HEADERS, WatchedReplays, is_local, make_app, picture_of, serve, static_files
from koth.viewer.summary import MatchSummary, find_matches
from tests.viewer.conftest import HOSTILE


class Client:
    """Observations an application without a network."""

    def __init__(self, path: Path) -> None:
        self.app = make_app(path)

    def get(self, path: str, headers: Mapping[str, str] | None = None, method: str = "GET") -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(ask())


@pytest.fixture(scope="module")
def client(run: Path) -> Client:
    return Client(run)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:81", "localhost", "localhost:8123"])
def test_this_machine_is_answered(client: Client, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost:x", "", "127.0.0.2"])
@pytest.mark.parametrize("path", ["/", "/matches.json", "/replays/match-0", "/static/main.js"])
def test_other_names_are_refused(client: Client, host: str, path: str) -> None:
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 421
    assert "koth" not in answer.text


def test_a_port_must_be_a_number() -> None:
    assert is_local("localhost:80")
    assert not is_local("localhost:80:80")


@pytest.mark.parametrize("path", ["/", "/matches.json", "/replays/match-0", "/nothing", "/static/style.css"])
def test_every_answer_has_the_policy(client: Client, path: str) -> None:
    headers = client.get(path).headers
    for name, value in HEADERS.items():
        assert headers[name] == value
    assert "unsafe" not in headers["Content-Security-Policy"]


def test_the_page_has_no_inline_code_and_names_no_other_place() -> None:
    for name, file in static_files().items():
        text = file.read_text()
        if name.endswith((".html", ".css", ".js")):
            assert "http://" not in text.replace("http://www.w3.org/", "")
            banner = "/*! https://github.com/leeoniya/uPlot (" if name == "uplot.js" else ""  # a remark: who made it
            assert text.count("https://") == text.count(banner) * bool(banner)
            assert "innerHTML" not in text
            assert "insertAdjacentHTML" not in text
        if name.endswith(".html"):
            assert "<style" not in text
            assert " style=" not in text
            assert " onclick" not in text
            assert "<script>" not in text


def test_matches_are_listed_with_their_details(client: Client, run: Path) -> None:
    found = client.get("/matches.json").json()
    assert found["entrants"] == ["Runner", HOSTILE, "Coward"]
    matches = found["matches"]
    assert [match["name"] for match in matches] == ["match-0", "match-1"]
    assert matches[1] == {
        "name": "match-1",
        "url": "replays/match-1",
        "game": "zombies",
        "places": [0, 1, 2],
        "turns": 40,
        "scores": list((Replay(run / "replays" / "match-1.koth.gz").result or {})["scores"].values()),
        "more": {},
        "details": False,
    }


def test_a_replay_is_served_in_ranges(client: Client, replay: Path) -> None:
    data = replay.read_bytes()
    whole = client.get("/replays/match-0")
    assert (whole.status_code, whole.content) == (200, data)
    part = client.get("/replays/match-0", headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, data[100:200])
    rest = client.get("/replays/match-0", headers={"Range": f"bytes={len(data) - 7}-"})
    assert (rest.status_code, rest.content) == (206, data[-7:])
    assert client.get("/replays/match-0", headers={"Range": f"bytes={len(data)}-"}).status_code == 416
    assert client.get("/replays/match-0", method="HEAD").headers["Content-Length"] == str(len(data))


@pytest.mark.parametrize(
    "path",
    [
        "/static/nothing.js",
        "/static/..%2fserver.py",
        "/static/%2e%2e/server.py",
        "/replays/match-9",
        "/replays/..%2f..%2fetc%2fpasswd",
        "/replays//etc/passwd",
        "/games/nothing/draw.js",
        "/games/..%2fviewer/draw.js",
        "/games/zombies/rules.py",
    ],
)
def test_nothing_else_is_served(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_picture(client: Client, game: str) -> None:
    answer = client.get(f"/games/{game}/draw.js")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/javascript")
    file = picture_of(game)
    assert file is not None
    assert answer.content == file.read_bytes()


def test_a_match_being_played_is_found_under_its_later_name(replay: Path, tmp_path: Path) -> None:
    data = replay.read_bytes()
    part = tmp_path / "match-7.koth.gz.part"
    part.write_bytes(data[:3000])
    client = Client(tmp_path)
    (match,) = client.get("/matches.json").json()["matches"]
    assert (match["name"], match["turns"], match["scores"]) == ("match-7", None, None)
    assert client.get(match["url"]).content == data[:3000]
    part.write_bytes(data)
    part.rename(tmp_path / "match-7.koth.gz")
    assert client.get(match["url"]).content == data
    (match,) = client.get("/matches.json").json()["matches"]
    assert match["turns"] == 300


def test_matches_that_begin_later_are_listed_too(replay: Path, tmp_path: Path) -> None:
    (tmp_path / "match-9.koth.gz").write_bytes(replay.read_bytes())
    client = Client(tmp_path)
    for name in ("match-10", "match-10²3"):  # a digit to Python, and no number
        (tmp_path / f"{name}.koth.gz").write_bytes(replay.read_bytes())
    names = [match["name"] for match in client.get("/matches.json").json()["matches"]]
    assert names == ["match-9", "match-10", "match-10²3"]


def test_two_pages_ask_at_once(replay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "match-1.koth.gz").write_bytes(replay.read_bytes())
    watched = WatchedReplays(partial(find_matches, tmp_path))

    def ask_too(match: MatchSummary) -> bool:
        """Look from another page, once."""
        if not (tmp_path / "match-2.koth.gz").exists():
            (tmp_path / "match-2.koth.gz").write_bytes(replay.read_bytes())
            watched.look()
        return True

    monkeypatch.setattr(MatchSummary, "can_be_shown", property(ask_too))
    watched.look()
    assert [match.name for match in watched.look()] == ["match-1", "match-2"]


def test_one_broken_replay_does_not_hide_the_others(replay: Path, tmp_path: Path) -> None:
    (tmp_path / "good.koth.gz").write_bytes(replay.read_bytes())
    (tmp_path / "just-begun.koth.gz.part").write_bytes(b"")
    (tmp_path / "broken.koth.gz").write_bytes(b"no gzip at all")
    assert [match.name for match in find_matches(tmp_path)] == ["good"]


def test_nothing_to_watch_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="no replay"):
        find_matches(tmp_path)
    with pytest.raises(ReplayError, match="No such file"):
        find_matches(tmp_path / "gone.koth.gz")
    (tmp_path / "x.koth.gz").write_bytes(b"\x1f\x8b\x08\x00 something else entirely")
    with pytest.raises(ReplayError, match="not a replay of koth"):
        find_matches(tmp_path / "x.koth.gz")


def test_a_port_in_use_is_one_clear_line(replay: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(KothError, match=r"port \d+ can't be used"):
            serve(replay, port=taken.getsockname()[1])


SLOW = """
import asyncio
import signal
import socket
import subprocess
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from koth.viewer.server import serve_app

async def slow(request):
    print("asked", flush=True)
    await asyncio.sleep(60)
    return Response()

serve_app(Starlette(routes=[Route("/", slow)]), 0, lambda address: print(address, flush=True))
"""


@pytest.mark.slow
def test_ctrl_c_is_no_failure_with_open_requests() -> None:
    with subprocess.Popen([sys.executable, "-c", SLOW], stdout=-1, stderr=-1, text=True) as server:
        assert server.stdout is not None
        address = urlsplit(server.stdout.readline().strip())
        with socket.create_connection((address.hostname, address.port)) as observations:
            observations.sendall(f"GET / HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
            assert server.stdout.readline() == "asked\n"
            server.send_signal(signal.SIGINT)
            _, said = server.communicate(timeout=60)
    assert said == ""
