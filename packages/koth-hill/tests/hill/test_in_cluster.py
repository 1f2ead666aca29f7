"""A hill's matches played by a cluster: each once on record, with its replay; a lost cluster ends in words."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from koth.replay.reader import Replay
from koth_hill.models import Match, Version
from tests.cli.program import finished, program
from tests.contest.folders import wait_until
from tests.hill.conftest import Place

test_cluster = pytest.importorskip("tests.cluster.test_cluster")
net = test_cluster.net


@pytest.fixture
def cluster_hill(hill: Place) -> Place:
    """A hill on which two bots play."""
    for name in ("fox", "hen"):
        hill.submit(name, name)
    Version.objects.update(state="playing")
    return hill


@pytest.mark.slow
def test_a_cluster_plays_and_what_a_lost_worker_had_is_played_elsewhere(
    cluster_hill: Place, net: test_cluster.Net, tmp_path: Path
) -> None:
    net.scheduler()
    first = net.worker()
    words = ("hill", "run", cluster_hill.folder, "--cluster", net.address, "--isolation", "none", "--matches", 12)
    running = program(*words, cwd=tmp_path)
    wait_until(lambda: Match.objects.filter(state="played").count() >= 2)
    net.worker()
    test_cluster.kill(first, signal.SIGKILL)
    done = finished(running)
    assert (done.code, "12 matches played" in done.out) == (0, True), done.err
    assert not Match.objects.exclude(state="played").exists()
    for match in Match.objects.all():
        replay = Replay(cluster_hill.folder / "replays" / f"match-{match.pk:04d}.koth.gz")
        assert replay.key is not None


@pytest.mark.slow
def test_a_cluster_that_is_lost_ends_in_words_and_the_hill_goes_on(
    cluster_hill: Place, net: test_cluster.Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_cluster.cluster, "SCHEDULER_PATIENCE", 1.0)
    net.scheduler()
    net.worker()

    def end_it() -> None:
        with closing(sqlite3.connect(cluster_hill.folder / "hill.sqlite")) as database:
            query = "SELECT count(*) FROM hill_match WHERE state = 'played'"
            wait_until(lambda: database.execute(query).fetchone()[0])
        net.end()

    Thread(target=end_it).start()
    words = ("hill", "run", cluster_hill.folder, "--isolation", "none")
    done = cluster_hill.koth(*words, "--cluster", net.address)
    assert done.code == 3
    assert f"koth: no scheduler answers at {net.address}" in done.err
    assert not Match.objects.filter(state="playing").exists()
    assert cluster_hill("run", "--matches", 1, "--isolation", "none")["matches"] == 1
