"""A hill in PostgreSQL, on a server of the test's own: several runners, and no match twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from koth.errors import KothError
from koth.hill import claims, registry, tokens, uploads
from koth.hill.connection import open_hill
from koth.hill.models import Bot, Match, Policy, Runner, Seat, Version
from koth.hill.scheduler import PlannedTable
from koth.replay.reader import Replay
from tests.cli.program import SMALL, Koth, finished, forget_hill, program
from tests.contest.folders import wait_until
from tests.hill.conftest import Place

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

    def cut(self) -> None:
        """End every connection."""
        words = ["psql", "-h", str(self.folder), "-U", "koth", "postgres", "-c"]
        clients = "backend_type = 'client backend' AND pid <> pg_backend_pid()"
        cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {clients}"
        subprocess.run([*words, cut], check=True, stdout=subprocess.DEVNULL, cwd="/")

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


def test_several_runners_play_no_match_twice_and_take_over_from_the_dead(hill: Place, tmp_path: Path) -> None:
    words = ("hill", "run", hill.folder, "--isolation", "none")
    killed = program(*words, cwd=tmp_path)
    with open_hill(hill.folder):
        wait_until(lambda: Match.objects.filter(state="playing").exists())
        killed.kill()
        finished(killed)
        left = Match.objects.filter(state="playing").count()
    runners = [program(*words, "--matches", 6, cwd=tmp_path) for _ in range(2)]
    ended = [finished(runner) for runner in runners]
    assert [done.code for done in ended] == [0, 0], ended
    with open_hill(hill.folder):
        assert not Match.objects.exclude(state="played").exists()
        assert left <= 1
        counts = Counter(Match.objects.values_list("runner", flat=True))
        assert sorted(counts[runner.pk] for runner in Runner.objects.order_by("pk")[1:]) == [6, 6]
        assert not Runner.objects.filter(ended__isnull=True).exists()
        assert Seat.objects.filter(score__isnull=False).count() == 2 * Match.objects.count()
        assert not Match.objects.filter(has_key=False).exists()


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
    assert hill("backup", tmp_path / "saved")["files"] == 3
    with open_hill(hill.folder):
        Bot.objects.filter(name="fox").update(name="lost")
    shutil.rmtree(hill.folder)
    subprocess.run(["psql", "-q", *psql, "-f", str(dump)], check=True, cwd="/", stdout=subprocess.DEVNULL)
    assert hill.koth("hill", "restore", tmp_path / "saved", hill.folder).code == 0
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


def test_what_authors_do_at_once_keeps_every_limit(hill: Place) -> None:
    """Uploads, tokens and versions of one author, and claims of two runners."""
    from django.db import transaction

    with open_hill(hill.folder):
        fox = Bot.objects.select_related("author").get(name="fox")
        plays = Version.objects.get(bot__name="fox").pk
        Policy.objects.create(uploads_a_day=5)
        sent = at_once(lambda k: uploads.receive(fox.author, f"bot{k}.py", b"x = 1"), 8)
        assert sum(isinstance(one, Version) for one in sent) == Version.objects.exclude(sent="").count() == 5, sent
        made = at_once(lambda k: tokens.make_token(fox.author, f"t{k}"), tokens.MOST_TOKENS + 4)
        assert sum(isinstance(one, str) for one in made) == fox.author.tokens.count() == tokens.MOST_TOKENS, made
        runners = [Runner.objects.create(host="here", pid=k) for k in range(4)]
        claimed = at_once(lambda k: uploads.claim(runners[k]), 4)
        assert len({upload.pk for upload in claimed}) == 4
        Policy.objects.update(uploads_a_day=100)
        Version.objects.filter(pk=plays).update(state="withdrawn")
        back = at_once(lambda k: uploads.go_back(fox, 1), 4)
        assert sorted(one.number for one in back if isinstance(one, Version)) == [2], back

        def taken(number: int) -> int:
            with transaction.atomic():
                return registry._add_version(fox, f"{number:064x}", file="x", archive=b"zip", protocol="x").number

        assert sorted(at_once(taken, 8)) == [*range(3, 11)]


def test_no_table_becomes_visible_after_a_later_one(hill: Place) -> None:
    """A runner looks for tables after the last one that it has counted."""
    from django.db import OperationalError, connection, transaction

    added, over = threading.Event(), threading.Event()
    with open_hill(hill.folder):
        season, (fox, hen, *_) = registry.current_season(), Version.objects.values_list("pk", flat=True)
        table = PlannedTable((fox, hen), fox, "a test")

        def add() -> None:
            try:
                with transaction.atomic():
                    claims._add_table(season, table, 1)
                    added.set()
                    over.wait(60)
            finally:
                connection.close()

        other = threading.Thread(target=add)
        other.start()
        try:
            assert added.wait(60)
            connection.cursor().execute("SET lock_timeout = '50ms'")
            with pytest.raises(OperationalError, match="lock timeout"):
                claims._add_table(season, table, 1)
        finally:
            over.set()
            other.join(60)
        claims._add_table(season, table, 1)
        assert Match.objects.count() == 2


def test_texts_of_strangers_are_stored_and_looked_for(hill: Place) -> None:
    """PostgreSQL takes no NUL, which bots write to stderr and visitors ask for."""
    with open_hill(hill.folder):
        Version.objects.filter(bot__name="fox").update(reason="a\0b\ud800")
        assert Version.objects.get(bot__name="fox").reason == "a\\0b\\ud800"
        assert not Bot.objects.filter(name="\0").exists()
