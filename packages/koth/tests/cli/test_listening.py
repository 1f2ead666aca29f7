"""Every command that opens a port listens at the address that it is given, and on loopback by default.

Each is run as a program; all sockets on which it or a process of its is ever seen to listen are looked at.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import click
import pytest

from koth.cli import cli
from koth.cli.commands.packages import load_command
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.match import Hosting, play
from koth.session.local import InlineBot
from tests.cli.program import SMALL, bot_file
from tests.contest.folders import wait_until
from tests.session.arena import GAME, SEED, SETTINGS
from tests.sockets import Listener, listeners

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="sockets are read from /proc")

ROOT = Path(__file__).resolve().parents[4]
OPENS_A_PORT = {"port", "host", "address", "listen", "bind", "interface", "cluster", "url", "server", "serve", "open"}
OPENS_A_PORT |= {"dashboard", "view"}
"""Words in the name, the flags or the metavar of a parameter with which a command listens or connects."""
COVERED = {
    "view": {"port"},
    "play": {"port"},
    "dev": {"port"},
    "run": {"view", "cluster"},
    "resume": {"view", "cluster"},
    "worker": {"address"},
    "hill serve": {"url", "host", "port", "proxy"},
}
"""The parameters that the tests of this module use, by command; `resume` plays by the functions of `run`."""
PAGES: dict[str, tuple[list[str], str]] = {
    "view": (["view", "match.koth.gz", "--port", "PORT"], "http://127.0.0.1:PORT/  (Ctrl-C ends it)"),
    "play": (
        ["play", "zombies", "@runner", *SMALL, "--isolation", "none", "--port", "PORT"],
        "http://127.0.0.1:PORT/play  (Ctrl-C ends it)",
    ),
    "dev": (
        ["dev", "good.py", "--game", "zombies", *SMALL, "--isolation", "none", "--port", "PORT"],
        " round 1\n",
    ),
    "run": (
        ["run", "zombies", "@runner", "@coward", *SMALL, "--matches", "2", "--isolation", "none", "--view"],
        " stays open until Ctrl-C",
    ),
}
"""By command that serves a page: its words, and what it prints when it is at work."""


@dataclass
class Programs:
    """Programs in one folder, what they print, and the sockets on which each was seen to listen."""

    folder: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    seen: dict[str, set[Listener]] = field(default_factory=dict)

    def begin(self, name: str, *words: str, stdin: int = subprocess.DEVNULL) -> None:
        with (self.folder / f"{name}.txt").open("wb") as out:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=self.folder,
                stdin=stdin,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.seen[name] = set()

    def printed(self, name: str) -> str:
        return (self.folder / f"{name}.txt").read_text(errors="replace")

    def until(self, ready: Callable[[], bool]) -> None:
        """Look at all sockets again and again until something is true, and once more then."""

        def look() -> bool:
            is_ready = ready()
            for name, process in self.running.items():
                self.seen[name] |= listeners(process.pid)
            ended = [name for name, process in self.running.items() if process.poll()]
            assert not ended, [self.printed(name) for name in ended]
            return is_ready

        wait_until(look)

    def end(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
        for process in self.running.values():
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    made = Programs(tmp_path)
    yield made
    made.end()


@pytest.fixture
def port() -> int:
    """A port that nobody uses."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


def opens_a_port(parameter: click.Parameter) -> bool:
    """Return whether a command listens or connects somewhere for this parameter, by its words."""
    texts = [parameter.name or "", *parameter.opts, str(parameter.metavar or "")]
    return bool(OPENS_A_PORT & set(re.split(r"[\W_]+", " ".join(texts).lower())))


def test_every_command_that_opens_a_port_is_covered() -> None:
    hill, worker = load_command("hill"), load_command("worker")
    assert isinstance(hill, click.Group)
    assert worker is not None
    declared = {
        name: {str(parameter.name) for parameter in command.params if opens_a_port(parameter)}
        for name, command in {**cli.commands, "hill serve": hill.commands["serve"], "worker": worker}.items()
    }
    assert {name: found for name, found in declared.items() if found} == COVERED


def test_every_open_socket_of_a_process_and_its_children_is_seen() -> None:
    code = """if True:
        import socket, sys
        told = [("tcp", "127.0.0.1"), ("tcp", "0.0.0.0"), ("udp", "0.0.0.0"), ("tcp", "::1"), ("udp", "::")]
        kept = []
        for kind, host in told:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            try:
                made = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
                made.bind((host, 0))
            except OSError:
                assert ":" in host
                continue
            if kind == "tcp":
                made.listen()
            kept.append(made)
            print(kind, host, made.getsockname()[1])
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))
        away = socket.create_connection(kept[0].getsockname())
        print("", flush=True)
        sys.stdin.read()
    """
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    with subprocess.Popen([sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = [line.decode().split() for line in iter(process.stdout.readline, b"\n")]
        assert len(told) >= 3
        assert listeners(process.pid) == {Listener(kind, host, int(port)) for kind, host, port in told}
        process.communicate()
    assert process.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", PAGES)
def test_a_page_is_served_to_this_machine_only(command: str, programs: Programs, port: int, tmp_path: Path) -> None:
    bots = [
        load_bot(GAME, bot_file(tmp_path, "good"), Interpreters()),
        InlineBot("still", lambda observations, match_info: {}),
    ]
    play(GAME, SETTINGS, bots, SEED, Hosting(ruleset="published", replay=tmp_path / "match.koth.gz"))
    words, ready = PAGES[command]
    words, ready = [word.replace("PORT", str(port)) for word in words], ready.replace("PORT", str(port))
    programs.begin("koth", "koth", *words)
    programs.until(lambda: ready in programs.printed("koth"))
    (door,) = programs.seen["koth"]
    assert (door.kind, door.host) == ("tcp", "127.0.0.1")
    assert door.port == port or "--port" not in words
    assert f"http://127.0.0.1:{door.port}/" in programs.printed("koth")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2"])
def test_a_site_listens_where_it_is_told(host: str, programs: Programs, port: int) -> None:
    pytest.importorskip("koth_hill")
    subprocess.run(
        [sys.executable, "-m", "koth", "hill", "init", "zombies", "hill"],
        cwd=programs.folder,
        check=True,
        capture_output=True,
    )
    told = [] if host == "127.0.0.1" else ["--host", host, "--url", f"http://{host}:{port}"]
    programs.begin("serve", "koth", "hill", "serve", "hill", "--port", str(port), *told)
    programs.until(lambda: f"http://{host}:{port}" in programs.printed("serve"))
    assert programs.seen["serve"] == {Listener("tcp", host, port)}


def documented() -> list[list[str]]:
    """The blocks of commands of the page on clusters that start a scheduler, one command a line."""
    lines = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    blocks = [list(block) for is_code, block in groupby(lines, lambda line: line.startswith("    ")) if is_code]
    return [block for block in blocks if any("dask scheduler" in line for line in block)]


def test_every_documented_scheduler_is_covered() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = [line for page in pages for line in re.findall(r"^ *dask .*", page.read_text(encoding="utf-8"), re.M)]
    assert len(found) == len(documented()) == 2


def begin_as_documented(block: list[str], host: str, port: int, programs: Programs) -> None:
    """Begin the commands of a block in its order, with this address of a scheduler; files are made first."""
    (programs.folder / "bots").mkdir()
    for name in ("one", "two"):
        bot_file(programs.folder / "bots", name)
    more = {
        "dask scheduler": ["--port", str(port)],
        "koth worker": ["--isolation", "none"],
        "koth run": [*SMALL, "--matches", "2", "--isolation", "none"],
    }
    for line in block:
        words = shlex.split(line.replace("HOST", host).replace("8786", str(port)))
        name = " ".join(words[:2])
        if name in more:
            programs.begin(name, *words, *more[name])
        else:
            subprocess.run(words, cwd=programs.folder, check=True, capture_output=True)


@pytest.mark.slow
def test_a_cluster_without_tls_listens_on_loopback_only(programs: Programs, port: int) -> None:
    pytest.importorskip("distributed")
    begin_as_documented(documented()[0], "", port, programs)
    programs.until(lambda: programs.running["koth run"].poll() == 0 and len(programs.seen["koth worker"]) >= 4)
    scheduler, worker = programs.seen["dask scheduler"], programs.seen["koth worker"]
    assert {(door.kind, door.host) for door in scheduler | worker} == {("tcp", "127.0.0.1")}
    assert Listener("tcp", "127.0.0.1", port) in scheduler
    assert (len(scheduler), len(worker)) == (2, 4)  # with an HTTP server for each process
    assert programs.seen["koth run"] == set()
    assert "without TLS every user of this machine can run programs as you" in programs.printed("koth worker")


@pytest.mark.slow
@pytest.mark.needs("openssl")
def test_a_cluster_with_tls_listens_where_it_is_told(
    programs: Programs, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several addresses of the loopback device: workers reach the scheduler at one from another."""
    pytest.importorskip("distributed")
    _, _, rest = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8").partition("```yaml\n")
    (programs.folder / "tls.yaml").write_text(rest.partition("```")[0], encoding="utf-8")
    monkeypatch.setenv("DASK_CONFIG", str(programs.folder / "tls.yaml"))
    begin_as_documented(documented()[1], "127.0.0.2", port, programs)
    programs.until(lambda: programs.running["koth run"].poll() == 0 and len(programs.seen["koth worker"]) >= 4)
    places = {name: sorted((door.kind, door.host) for door in doors) for name, doors in programs.seen.items()}
    http = ("tcp", "127.0.0.1")
    assert places == {
        "dask scheduler": [http, ("tcp", "127.0.0.2")],
        "koth worker": [http] * 4,
        "koth run": [],
    }
    assert Listener("tcp", "127.0.0.2", port) in programs.seen["dask scheduler"]
    assert "without TLS" not in programs.printed("koth worker")
