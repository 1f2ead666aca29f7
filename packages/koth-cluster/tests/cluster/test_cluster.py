"""A contest played by a cluster: every match once on record, as on one machine, whatever is killed or cut off.

The scheduler and the workers are processes of their own, each worker with a home and a cache of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from koth.compile.code_cache import code_folder
from koth.contest.bundle import Bundle
from koth.contest.contest import Contest
from koth.contest.job import BotRef, ClusterLost, ProgressEvent
from koth.contest.preflight import COPIES, build
from koth.contest.run import Callbacks, Outcome, run
from koth.contest.store import Store
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.game import TimeControl
from koth.games import load as load_game
from koth.sandbox.isolation import PLAIN
from koth.session.local import InlineBot
from koth_cluster.addresses import scheduler_address
from tests.cli.conftest import koth as koth
from tests.cli.program import Koth, bot_file
from tests.contest.folders import SLOW_BOT, replays, rows, wait_until
from tests.contest.small import SETTINGS, small_contest

dask = pytest.importorskip("dask")
cluster = pytest.importorskip("koth_cluster.executor")
cluster_runner = pytest.importorskip("koth_cluster.worker")

SLOW = SLOW_BOT.format(seconds=0.01)
ENDS_WITH_PYTEST = ("setpriv", "--pdeathsig", "KILL")
"""Before a command: the system ends it when pytest is killed, which then ends nothing itself."""
HTTP = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")


@dataclass
class Net:
    """A scheduler at an address of this machine, and workers that join it."""

    folder: Path
    kind: str = "tcp"
    tls: str = ""
    """A file of Dask's configuration."""
    host: str = "127.0.0.1"
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"{self.kind}://{self.host}:{self.port}"

    def begin(self, *words: str, inside: tuple[str, ...] = (), **environment: str) -> subprocess.Popen[bytes]:
        argv = [*ENDS_WITH_PYTEST, *inside, sys.executable, "-m", *words]
        process = subprocess.Popen(
            argv,
            env={**os.environ, "DASK_CONFIG": self.tls, **environment},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def scheduler(self) -> subprocess.Popen[bytes]:
        words = ["--host", f"{self.kind}://{self.host}", "--port", str(self.port)]
        return self.begin("distributed.cli.dask_scheduler", *words, *HTTP)

    def worker(self, inside: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        """One with a home and a cache of its own: kernels that are compiled already are given along."""
        home = self.folder / f"home-{len(self.processes)}"
        shutil.copytree(code_folder(), home / "cache" / code_folder().name, copy_function=_link)
        words = ["koth", "worker", self.address, "--isolation", "none"]
        (home / "tmp").mkdir()
        return self.begin(
            *words, inside=inside, TMPDIR=str(home / "tmp"), HOME=str(home), KOTH_CACHE_DIR=str(home / "cache")
        )

    def end(self) -> None:
        for process in self.processes:
            kill(process, signal.SIGKILL)
            process.wait()


def _link(source: str, to: str) -> None:
    try:
        os.link(source, to)
    except OSError:
        shutil.copy2(source, to)


def kill(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """The worker with all of its processes, as if its machine were gone, or its cable."""
    if process.poll() is None:
        os.killpg(process.pid, how)


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Net]:
    made = Net(tmp_path)
    yield made
    made.end()


PATIENT = TimeControl(question=60.0)
"""A worker is stopped for some seconds here, with all of its processes: its bots must not be late for that."""


def contest_of(folder: Path, out: Path, matches: int, **more: Any) -> Contest:
    bots = []
    for name in ("a", "b"):
        bot = load_bot(load_game("zombies"), bot_file(folder, name, SLOW), Interpreters())
        built, problem = build(bot, out / COPIES)
        assert not problem
        bots.append(built)
    return small_contest(bots, matches, time_control=PATIENT, **more)


@dataclass
class Played:
    """A contest that runs in a thread of its own, and what was said of its workers."""

    contest: Contest
    store: Path
    make_executor: Callable[..., Any]
    said: list[str] = field(default_factory=list)
    events: list[ProgressEvent] = field(default_factory=list)
    done: int = 0
    end: Any = None

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        with closing(Store(self.store)) as store:
            progress = Callbacks(self._count, self.events.append)
            try:
                self.end = run(
                    self.contest, store, progress=progress, make_executor=self.make_executor(self.said.append)
                )
            except KothError as error:
                self.end = error

    def _count(self, row: Any) -> None:
        self.done += 1

    def result(self) -> Outcome:
        self.thread.join(300)
        assert isinstance(self.end, Outcome), (self.end, self.said)
        return self.end


def in_net(net: Net, say: Callable[[str], None]) -> Any:
    scheduler = scheduler_address(net.address)
    return partial(cluster.in_cluster, scheduler, cluster.make_security(scheduler), say)


@pytest.mark.slow
def test_whatever_is_lost_is_played_elsewhere_once(net: Net, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is killed in mid-match, one is cut off and comes back, one joins late, the scheduler starts anew."""
    monkeypatch.setattr(cluster, "SILENCE_LIMIT", 4)
    matches = 16
    alone = contest_of(tmp_path, tmp_path / "alone", matches)
    with closing(Store(tmp_path / "alone")) as store:
        run(alone, store)
    scheduler = net.scheduler()
    doomed, cut = net.worker(), net.worker()
    played = Played(contest_of(tmp_path, tmp_path / "net", matches), tmp_path / "net", lambda s: in_net(net, s))
    wait_until(lambda: sum("joins" in text for text in played.said) == 2 and played.done >= 1 and played.events)
    kill(cut, signal.SIGSTOP)
    kill(doomed, signal.SIGKILL)
    wait_until(lambda: any("is gone" in text for text in played.said))
    wait_until(lambda: any("silent" in text for text in played.said))
    at = played.done
    net.worker()
    wait_until(lambda: played.done >= at + 3)
    kill(cut, signal.SIGCONT)
    wait_until(lambda: played.done >= at + 5)
    assert played.end is None
    kill(scheduler, signal.SIGKILL)
    wait_until(lambda: any("is lost" in text for text in played.said))
    net.scheduler()
    end = played.result()
    assert end.missing == 0
    assert end.unplayed == []
    assert end.alarms == []
    assert rows(tmp_path / "net") == rows(tmp_path / "alone")
    assert rows(tmp_path / "net")["faults"]
    assert replays(tmp_path / "net") == replays(tmp_path / "alone")


@pytest.mark.slow
def test_who_is_refused(net: Net, tmp_path: Path) -> None:
    """Another koth, another game, weaker isolation: said in words, and never asked.

    A worker that is told to end leaves nothing behind.
    """
    net.scheduler()
    worker = net.worker()
    net.begin("distributed.cli.dask_worker", net.address, "--host", "127.0.0.1", *HTTP, "--no-nanny")
    contest = contest_of(tmp_path, tmp_path / "out", 1)
    requirements = contest.requirements
    cases = {
        "the contest's is 0.0.9": replace(requirements, koth="0.0.9"),
        "zombies is version": replace(requirements, version=99),
        "isolation is none there": replace(requirements, level="strong"),
        "it was not started by koth": requirements,
    }
    for words, asked in cases.items():
        said: list[str] = []
        scheduler = scheduler_address(net.address)
        trusted = cluster.make_security(scheduler)
        there = cluster.ClusterPool(scheduler, trusted, said.append, asked, lambda events: None)
        wait_until(lambda said=said, words=words: any("refused" in text and words in text for text in said))
        there.shutdown()
    with closing(Store(tmp_path / "out")) as store:
        strangers = replace(contest, bots=[InlineBot("a", lambda observations, match_info: {}), *contest.bots[1:]])
        end = run(strangers, store, make_executor=in_net(net, said.append))
        assert "a is a function: it can't play in a cluster" in end.unplayed[0].reason
    assert list(tmp_path.glob("home-*/tmp/koth-worker-*"))
    worker.terminate()
    assert worker.wait(120) == 130
    assert not list(tmp_path.glob("home-*/tmp/koth-worker-*"))


def certified(folder: Path) -> str:
    """Have Dask use a certificate that is its own authority; return the file of its configuration."""
    words = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem")
    subprocess.run(["openssl", *words, "-days", "2", "-subj", "/CN=a"], cwd=folder, check=True, capture_output=True)
    cert, key = str(folder / "cert.pem"), str(folder / "key.pem")
    own = {"cert": cert, "key": key}
    tls = {"ca-file": cert, "scheduler": own, "worker": own, "client": own}
    (folder / "dask.json").write_text(json.dumps({"distributed": {"comm": {"tls": tls}}}), encoding="utf-8")
    given = {f"{who}.{part}": file for who in ("scheduler", "worker", "client") for part, file in own.items()}
    dask.config.set({f"distributed.comm.tls.{name}": value for name, value in {"ca-file": cert, **given}.items()})
    return str(folder / "dask.json")


@dataclass(frozen=True)
class Cable:
    """A namespace of its own for the network, and the cable that leads there."""

    number: int

    @property
    def name(self) -> str:
        return f"koth{os.getpid() % 100000}x{self.number}"

    def lay(self) -> None:
        """Raises CalledProcessError where one may not."""
        here, there = f"10.213.{self.number}.1", f"10.213.{self.number}.2"
        ip("netns", "add", self.name)
        ip("link", "add", self.name, "type", "veth", "peer", "name", "there", "netns", self.name)
        ip("address", "add", f"{here}/24", "dev", self.name)
        ip("link", "set", self.name, "up")
        ip("-n", self.name, "address", "add", f"{there}/24", "dev", "there")
        for device in ("there", "lo"):
            ip("-n", self.name, "link", "set", device, "up")
        ip("-n", self.name, "route", "add", "default", "via", here)

    def cut(self, how: str = "down") -> None:
        ip("link", "set", self.name, how)

    def take_away(self) -> None:
        subprocess.run(["ip", "netns", "delete", self.name], capture_output=True)
        subprocess.run(["ip", "link", "delete", self.name], capture_output=True)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def cables() -> Iterator[list[Cable]]:
    """Two, where one may lay them."""
    laid = [Cable(0), Cable(1)]
    try:
        for cable in laid:
            cable.lay()
        yield laid
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no namespaces of networks may be made here: {error.stderr.decode().strip()}")
    finally:
        for cable in laid:
            cable.take_away()


@pytest.mark.slow
@pytest.mark.needs("ip", "openssl")
def test_a_cable_is_cut() -> None:
    """Workers in networks of their own: one is cut off in mid-match, and the other plays what it had.

    Beside a network of its own for the test, too: a browser drops what it loads when addresses of its machine change.
    """
    test = f"{__file__}::{played_with_cables.__name__}"
    run = f"{shlex.quote(sys.executable)} -m pytest -rs -p no:xdist -o python_functions=played_* {shlex.quote(test)}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    apart = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "sh", "-c"]
    own = "mkdir -p /run/netns && mount -t tmpfs none /run/netns && ip link set lo up"
    words = [*ENDS_WITH_PYTEST, *apart, f"{own} && exec {run}"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if "Operation not permitted" in done.stderr or "1 skipped" in done.stdout:
        pytest.skip(done.stderr or done.stdout)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def played_with_cables(cables: list[Cable], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "SILENCE_LIMIT", 4)
    matches = 6
    with closing(Store(tmp_path / "alone")) as store:
        run(contest_of(tmp_path, tmp_path / "alone", matches), store)
    net = Net(tmp_path, "tls", certified(tmp_path), "10.213.0.1")
    try:
        net.scheduler()
        for cable in cables:
            net.worker(("ip", "netns", "exec", cable.name))
        contest = contest_of(tmp_path, tmp_path / "net", matches)
        played = Played(contest, tmp_path / "net", lambda s: in_net(net, s))
        wait_until(lambda: sum("joins" in text for text in played.said) == 2 and played.events)
        cables[1].cut()
        end = played.result()
        assert any("10.213.1.2" in text and ("silent" in text or "gone" in text) for text in played.said)
        assert (end.missing, end.unplayed, end.alarms) == (0, [], [])
        assert rows(tmp_path / "net") == rows(tmp_path / "alone")
        assert replays(tmp_path / "net") == replays(tmp_path / "alone")
    finally:
        net.end()


@pytest.mark.slow
def test_a_worker_that_a_deployer_of_dasks_starts(net: Net, tmp_path: Path) -> None:
    """It prepares itself, as it does for SLURM or Kubernetes; with several threads it is not taken on."""
    net.scheduler()
    words = ["distributed.cli.dask_worker", net.address, "--host", "127.0.0.1", *HTTP]
    words += ["--preload", "koth_cluster.worker"]
    net.begin(*words, "--no-nanny", "--nthreads", "2", "--local-directory", str(tmp_path / "two"))
    played = Played(contest_of(tmp_path, tmp_path / "out", 2), tmp_path / "out", lambda say: in_net(net, say))
    wait_until(lambda: any("refused: it is not a `koth worker`" in text for text in played.said))
    net.begin(*words, "--nthreads", "1", "--local-directory", str(tmp_path / "one"))
    end = played.result()
    assert end.missing == 0
    assert len(rows(tmp_path / "out")["matches"]) == 2


@pytest.mark.slow
def test_a_deployers_worker_that_other_machines_reach_ends_at_once(net: Net, tmp_path: Path) -> None:
    """Dask's default for a worker is all addresses of its machine."""
    net.scheduler()
    words = ["-m", "distributed.cli.dask_worker", net.address, "--no-nanny", "--nthreads", "1", *HTTP]
    words += ["--preload", "koth_cluster.worker", "--local-directory", str(tmp_path)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1
    assert re.search(r"^koth: tcp://0\.0\.0\.0:\d+: any machine may connect to this worker", done.stderr, re.M)


@pytest.mark.parametrize("nanny", ["tcp://10.0.0.5:40000", "ws://127.0.0.1:40000"])
def test_a_nanny_that_other_machines_reach_ends_its_worker(nanny: str) -> None:
    listener = SimpleNamespace(listen_address="tcp://127.0.0.1:40001")
    with pytest.raises(SystemExit, match=f"koth: {nanny}: any machine may connect"):
        cluster_runner.dask_setup(SimpleNamespace(listeners=[listener], nanny=nanny))


def test_a_scheduler_that_other_machines_reach_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked at a loopback address, and gives another one as its own."""
    closed: list[bool] = []

    class Client:
        def __init__(self, *_: object, **__: object) -> None:
            self.scheduler_info = lambda: {"address": "tcp://10.0.0.5:8786"}
            self.close = lambda: closed.append(True)

    monkeypatch.setattr(cluster, "Client", Client)
    net = Net(tmp_path)
    with (
        closing(Store(tmp_path / "out")) as store,
        pytest.raises(ClusterLost, match=r"the scheduler also listens on tcp://10\.0\.0\.5:8786"),
    ):
        run(contest_of(tmp_path, tmp_path / "out", 1), store, make_executor=in_net(net, print))
    assert closed


def test_a_worker_waits_for_an_address_of_its_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when its cable is cut: the way to the scheduler is gone for a while."""
    hosts = [KothError("no way"), KothError("no way"), "127.0.0.1"]

    def listening_host(*_: object) -> str:
        host = hosts.pop(0)
        if isinstance(host, KothError):
            raise host
        return host

    monkeypatch.setattr(cluster_runner, "listening_host", listening_host)
    monkeypatch.setattr(cluster_runner, "RESTART_PAUSE", 0)
    connection = cluster_runner.WorkerConnection(scheduler_address("tcp://127.0.0.1:1"), cluster.Security())
    assert asyncio.run(cluster_runner._host(connection)) == "127.0.0.1"
    assert hosts == []


def test_equal_bots_in_folders_of_other_names_are_both_sent(tmp_path: Path) -> None:
    bots = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        file = bot_file(tmp_path / name, "bot")
        bots.append(load_bot(load_game("zombies"), file.parent, Interpreters()))
    refs, game = [BotRef.of(bot) for bot in bots], load_game("zombies")
    runner = cluster_runner.ClusterRunner(PLAIN, Interpreters(), tmp_path / "worker")
    assert runner.entrants(game, refs, []).files == ((bots[0].content, "a"), (bots[0].content, "b"))
    found = runner.entrants(game, refs, [Bundle.of(bot.path, bot.content) for bot in bots])
    assert [bot.name for bot in found] == ["a", "b"]


@pytest.mark.slow
@pytest.mark.needs("openssl")
def test_beyond_this_machine_it_is_tls(tmp_path: Path) -> None:
    with pytest.raises(KothError, match="Dask's configuration of its TLS has to name the certificates"):
        cluster.make_security(scheduler_address("tls://10.0.0.1:8786"))
    net = Net(tmp_path, "tls", certified(tmp_path))
    try:
        net.scheduler()
        net.worker()
        said: list[str] = []
        with closing(Store(tmp_path / "out")) as store:
            end = run(contest_of(tmp_path, tmp_path / "out", 2), store, make_executor=in_net(net, said.append))
            assert (end.missing, len(end.rows)) == (0, 2), said
            assert any("tls://" in text and "joins" in text for text in said)
            assert list(store.machines().values()) == [2]
    finally:
        net.end()


@pytest.mark.slow
def test_a_scheduler_that_is_not_there(net: Net, koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and once there is somebody to play it goes on."""
    monkeypatch.setattr(cluster, "SCHEDULER_PATIENCE", 0.1)
    bots = [bot_file(tmp_path, "a"), bot_file(tmp_path, "b")]
    small = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
    words = ["run", "zombies", *bots, *small, "--matches", 2, "--out", tmp_path / "out", "--cluster", net.address]
    done = koth(*words, "--isolation", "none")
    assert done.code == 3
    last = done.err.splitlines()[-1]
    assert last.startswith(f"koth: no scheduler answers at {net.address}")
    assert "finished matches are on record, go on with: " in last
    assert last.endswith(f" resume {tmp_path / 'out'}")
    assert issubclass(ClusterLost, KothError)
    done = koth("resume", tmp_path / "out", "--isolation", "none")
    assert done.code == 0, done
    assert len(rows(tmp_path / "out")["matches"]) == 2
