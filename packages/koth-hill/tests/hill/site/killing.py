"""A site that is killed at random moments while bots are sent to it, for a test and for `make torture`."""

from __future__ import annotations

import http.client
import random
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from koth_hill.connection import open_hill
from tests.cli.program import SMALL, finished, program

SENDERS = 4
"""Bots that are sent at the same time."""
LONGEST = 0.5
"""Most seconds from the first bot that a site confirms to its end."""


class Sender(threading.Thread):
    """An author's program that sends one bot after another until the site is gone."""

    def __init__(self, address: str, token: str) -> None:
        super().__init__()
        self.address, self.token = urlsplit(address).netloc, token
        self.confirmed: dict[str, bytes] = {}
        """What was sent and confirmed, by the name of its file."""

    def run(self) -> None:
        """Send bots."""
        while True:
            name, data = f"{secrets.token_hex(8)}.py", secrets.token_bytes(2_000)
            try:
                status = self._send(name, data)
            except (OSError, http.client.HTTPException):
                return
            assert status == 201
            self.confirmed[name] = data

    def _send(self, name: str, data: bytes) -> int:
        mark = secrets.token_hex(16)
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{mark}--\r\n".encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": f"multipart/form-data; boundary={mark}"}
        with closing(http.client.HTTPConnection(self.address, timeout=60)) as connection:
            connection.request("POST", "/api/versions", body, headers)
            return connection.getresponse().status


def kill_site(count: int, dice: random.Random, folder: Path, tell: Callable[[str], None]) -> int:
    """Kill a site so many times; return how many uploads it had confirmed. Raises AssertionError if one is lost."""
    hill = folder / "hill"
    done = finished(program("hill", "init", "zombies", hill, *SMALL, cwd=folder))
    assert done.code == 0, done.err
    with open_hill(hill):
        from koth_hill.models import Author, Policy
        from koth_hill.tokens import make_token

        Policy.objects.create(uploads_a_day=10**6)
        authors = [Author.objects.create(name=f"author {number}", password="!") for number in range(SENDERS)]
        tokens = [make_token(author, "torture") for author in authors]
    confirmed: dict[str, bytes] = {}
    for number in range(count):
        site = program("hill", "serve", hill, cwd=folder)
        assert site.stdout is not None
        address = site.stdout.readline().split()[0]
        senders = [Sender(address, token) for token in tokens]
        for sender in senders:
            sender.start()
        while not any(sender.confirmed for sender in senders) and site.poll() is None:
            time.sleep(0.001)
        time.sleep(dice.uniform(0, LONGEST))
        site.kill()
        site.communicate()
        for sender in senders:
            sender.join()
            confirmed |= sender.confirmed
        with closing(sqlite3.connect(hill / "hill.sqlite")) as database:
            kept = dict(database.execute("SELECT sent, archive FROM hill_version"))
        lost = [name for name, data in confirmed.items() if kept.get(name) != data]
        assert not lost, f"kill {number}: of {len(confirmed)} confirmed uploads {len(lost)} are lost ({hill})"
        tell(f"{number + 1} of {count} kills of a site")
    return len(confirmed)
