"""Requests that no browser sends, and replays that no koth wrote: the server answers in one line, or hangs up."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from koth.replay.gzip_members import write_member
from koth.replay.writer import to_json

NAMED = b"Host: 127.0.0.1\r\nConnection: close\r\n"
GET = b"GET / HTTP/1.1\r\n" + NAMED
SOCKET = b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
STRANGE = {
    "a match with a number of 5,000 digits": (GET.replace(b"/", b"/details/match-" + b"1" * 5000, 1), b"404"),
    "a match with a number of 25 digits": (GET.replace(b"/", b"/details/match-" + b"1" * 25, 1), b"404"),
    "a head without an end": (GET + b"X: " + b"x" * (1 << 20), b"400"),
    "ten thousand heads": (GET + b"".join(b"X%d: %s\r\n" % (n, b"x" * 90) for n in range(10000)), b"400"),
    "no line at all": (b"\x00\xff\x00\r\n", b"400"),
    "a length that is none": (GET + b"Content-Length: \xb2\r\n", b"400"),
    "two hosts": (GET + b"Host: evil.example\r\n", b"400"),
    "a path with NUL": (GET.replace(b"/", b"/games/%00/draw.js", 1), b"404"),
    "a game with dots": (GET.replace(b"/", b"/games/../draw.js", 1), b"404"),
    "thousands of ranges": (
        GET.replace(b"/", b"/static/main.js", 1) + b"Range: bytes=" + b"0-0," * 5000 + b"1-1\r\n",
        b"",
    ),
    "another protocol": (GET.replace(b"close", b"Upgrade") + SOCKET, b""),
}
"""Requests, and the status that they get; whatever it is where none is named."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """A viewer of a folder with one strange replay: its port, and its process."""
    folder = tmp_path_factory.mktemp("strange")
    header = {"koth": 4, "game": "zombies", "version": 1, "ruleset": "", "settings": {}, "match": 1, "bots": []}
    with open(folder / "match-0001.koth.gz", "w+b") as file:
        write_member(file, to_json(header))
        write_member(file, b'{"turn":0}\n')
        write_member(file, to_json({"result": {"turns": []}}))
    words = [sys.executable, "-m", "koth", "view", str(folder)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield int(process.stdout.readline().split(":")[2].split("/")[0]), process
    process.kill()
    _, errors = process.communicate()
    assert "Traceback" not in errors


def said(port: int, data: bytes) -> bytes:
    """Return the server's response until it hangs up, or has answered."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        answer = b""
        try:
            link.sendall(data + b"\r\n")
            while part := link.recv(1 << 16):
                answer += part
        except ConnectionError:
            pass  # it has hung up in the middle
        return answer


@pytest.mark.slow_but
@pytest.mark.parametrize("name", STRANGE)
def test_a_request(name: str, server: tuple[int, subprocess.Popen[str]]) -> None:
    data, status = STRANGE[name]
    answer = said(server[0], data)
    assert not answer or answer.startswith(b"HTTP/1.1 " + status), answer[:200]
    assert b" 500 " not in answer[:20]
    assert b" 200 " in said(server[0], b"GET /matches.json HTTP/1.1\r\n" + NAMED)[:20], "it goes on"
