"""A hill in PostgreSQL, on a server of the test's own: several runners, and no match twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from koth.errors import KothError
from koth.replay.reader import Replay
from koth_hill import claims, registry, tokens, uploads
from koth_hill.connection import open_hill
from koth_hill.models import Bot, Match, Policy, Runner, Seat, Version
from tests.cli.program import SMALL, Koth, finished, program
from tests.contest.folders import wait_until
from tests.hill.conftest import Place
from tests.hill.process import forget_hill

pytestmark = pytest.mark.needs("initdb", "postgres")
USER = "nobody"
"""Who the server runs as where the tests are root's: it refuses that."""


class Server:
    """A server that listens on a socket in a folder of its own only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"postgresql://koth@/postgres?host={folder}"
        self._user = USER if os.getuid() == 0 else None
        if self._user:
            shutil.chown(folder, self._user)
        folder.chmod(0o755)
        words = ["initdb", "-D", str(folder / "data"), "-U", "koth", "-A", "trust", "--no-sync"]
        subprocess.run(words, check=True, user=self._user, stdout=subprocess.DEVNULL, cwd="/", extra_groups=[])
        self.start()

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        with open(self.folder / "log", "wb") as log:
            words = ["postgres", "-D", str(self.folder / "data"), "-k", str(self.folder), "-c", "listen_addresses="]
            self._running = subprocess.Popen(words, user=self._user, stdout=log, stderr=log, cwd="/", extra_groups=[])
        wait_until(lambda: b"ready to accept" in (self.folder / "log").read_bytes(), 120)

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Send it a signal, and wait for its end."""
        self._running.send_signal(how)
        self._running.wait(60)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server for the tests of this module."""
    with tempfile.TemporaryDirectory(prefix="koth-pg-", ignore_cleanup_errors=True) as name:
        server = Server(Path(name))
        yield server
        server.end()


@pytest.fixture
def hill(koth: Koth, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A hill in the server, on which four bots play; its tables go with the test."""
    words = "--seats", 2, "--rank-by", "rating", "--database", server.url
    done = koth("hill", "init", "zombies", tmp_path / "hill", *words, *SMALL)
    assert done.code == 0, done.err
    place = Place(koth, tmp_path / "hill")
    for name in ("fox", "hen", "owl", "cat"):
        place.submit(name, name)
    with open_hill(place.folder):
        Version.objects.update(state="playing")
    yield place
    from django.db import connection

    forget_hill(monkeypatch)
    with open_hill(place.folder), connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")


def test_a_killed_runner_loses_nothing_and_a_second_one_is_refused(hill: Place, tmp_path: Path) -> None:
    words = ("hill", "run", hill.folder, "--isolation", "none")
    running = program(*words, cwd=tmp_path)
    with open_hill(hill.folder):
        wait_until(lambda: Match.objects.filter(state="playing").exists())
        assert "another koth is running" in hill.refused("run")
        elsewhere = hill.folder.with_name("elsewhere")
        shutil.copytree(hill.folder, elsewhere, ignore=shutil.ignore_patterns(".lock"))
        done = finished(program("hill", "run", elsewhere, "--isolation", "none", cwd=tmp_path))
        assert (done.code, "another runner works on this hill's database" in done.err) == (2, True), done.err
        running.kill()
        finished(running)
    done = finished(program(*words, "--matches", 6, cwd=tmp_path))
    assert done.code == 0, done.err
    with open_hill(hill.folder):
        assert not Match.objects.exclude(state="played").exists()
        assert not Runner.objects.filter(ended__isnull=True).exists()
        assert Seat.objects.filter(score__isnull=False).count() == 2 * Match.objects.count()
        assert not Match.objects.filter(has_key=False).exists()


@pytest.mark.slow
def test_a_server_that_is_killed_loses_nothing_that_was_told(hill: Place, server: Server, tmp_path: Path) -> None:
    told: dict[int, str] = {}
    for played in (1, 4):
        running = program("hill", "run", hill.folder, "--isolation", "none", cwd=tmp_path)
        with open_hill(hill.folder):
            wait_until(lambda least=played: Match.objects.filter(state="played").count() >= least)
            told |= dict(Match.objects.filter(state="played").values_list("pk", "digest"))
        server.end(signal.SIGKILL)
        done = finished(running)
        assert done.code == 2, done.err
        assert "koth: postgresql:///postgres: " in done.err
        assert "Traceback" not in done.err
        server.start()
        with open_hill(hill.folder):
            there = dict(Match.objects.filter(state="played").values_list("pk", "digest"))
            assert told.items() <= there.items()
    assert hill("run", "--matches", 2, "--isolation", "none") == {"matches": 2}
    with open_hill(hill.folder):
        assert not Match.objects.exclude(state="played").exists()
        assert Seat.objects.filter(score__isnull=False).count() == 2 * Match.objects.count()
        for number in Match.objects.values_list("pk", flat=True):
            assert Replay(hill.folder / "replays" / f"match-{number:04d}.koth.gz").key is not None


def test_a_backup_beside_a_dump_makes_a_hill_again(hill: Place, server: Server, tmp_path: Path) -> None:
    hill("run", "--matches", 2, "--isolation", "none")
    before, dump = hill.status(), tmp_path / "dump.sql"
    psql = ["-h", str(server.folder), "-U", "koth", "postgres"]
    subprocess.run(["pg_dump", "--clean", *psql, "-f", str(dump)], check=True, cwd="/")
    assert "saved: 3 files and" in hill("backup", tmp_path / "saved")
    with open_hill(hill.folder):
        Bot.objects.filter(name="fox").update(name="lost")
    shutil.rmtree(hill.folder)
    subprocess.run(["psql", "-q", *psql, "-f", str(dump)], check=True, cwd="/", stdout=subprocess.DEVNULL)
    shutil.copytree(tmp_path / "saved", hill.folder)
    assert hill.status() == before
    assert "verified, 2 matches" in hill.koth("verify", hill.folder).out


def test_what_is_wrong_with_a_database_is_told(koth: Koth, hill: Place, tmp_path: Path, server: Server) -> None:
    again = ("hill", "init", "zombies", tmp_path / "again", "--database")
    assert "already holds a hill" in koth.refused(*again, server.url)
    line = koth.refused(*again, "postgresql://koth:geheim@/postgres?host=/nowhere")
    assert "geheim" not in line
    assert "No such file or directory" in line
    assert "use postgresql://" in koth.refused(*again, "mysql://koth@/postgres")
    assert not (tmp_path / "again" / "hill.json").exists()


def at_once(act: Callable[[int], Any], times: int) -> list[Any]:
    """Do something so many times at once, each with a connection of its own; return what came of it or the error."""
    from django.db import connection

    barrier = threading.Barrier(times)

    def done(number: int) -> Any:
        barrier.wait(60)
        try:
            return act(number)
        except KothError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(done, range(times)))


@pytest.mark.slow
def test_what_authors_do_at_once_keeps_every_limit(hill: Place) -> None:
    """Files sent, tokens and versions of one author."""
    from django.db import transaction

    with open_hill(hill.folder):
        fox = Bot.objects.select_related("author").get(name="fox")
        plays = Version.objects.get(bot__name="fox").pk
        Policy.objects.create(uploads_a_day=5)
        sent = at_once(lambda k: uploads.receive(fox.author, f"bot{k}.py", b"x = 1"), 8)
        assert sum(isinstance(one, Version) for one in sent) == Version.objects.exclude(sent="").count() == 5, sent
        made = at_once(lambda k: tokens.make_token(fox.author, f"t{k}"), tokens.MOST_TOKENS + 4)
        assert sum(isinstance(one, str) for one in made) == fox.author.tokens.count() == tokens.MOST_TOKENS, made
        claimed = [claims.claim_request() for _ in range(6)]
        assert len({request.pk for request in claimed if request}) == 5
        Policy.objects.update(uploads_a_day=100)
        Version.objects.filter(pk=plays).update(state="withdrawn")
        back = at_once(lambda k: uploads.go_back(Bot.objects.get(pk=fox.pk), 1), 4)
        assert sorted(one.number for one in back if isinstance(one, Version)) == [2], back

        def taken(number: int) -> int:
            with transaction.atomic():
                version = Version(author=fox.author, digest=f"{number:064x}", file="x", archive=b"zip")
                registry._add_version(fox, version)
                return int(version.number or 0)

        assert sorted(at_once(taken, 8)) == [*range(3, 11)]


@pytest.mark.slow
def test_texts_of_strangers_are_stored_and_looked_for(hill: Place) -> None:
    """PostgreSQL takes no NUL, which bots write to stderr and visitors ask for."""
    with open_hill(hill.folder):
        Version.objects.filter(bot__name="fox").update(reason="a\0b\ud800")
        assert Version.objects.get(bot__name="fox").reason == "a\\0b\\ud800"
        assert not Bot.objects.filter(name="\0").exists()
