"""The sandbox of authors' programs: a cheat finds nothing there, and what agents need works."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from koth.errors import KothError
from koth.games import load
from koth.sandbox.child_setup import OLDEST_LANDLOCK, landlock_version
from koth.sandbox.isolation import PLAIN, SandboxError
from koth.sandbox.levels import LevelTrial
from koth.sandbox.mounts import Mount
from koth.sandbox.policy import FOR_BOTS
from koth.sandbox.supervised_process import SupervisedProcess
from koth.warmup import compile_once
from koth_studies import workspace
from tests.sandbox.zoo import isolation

CHEAT = Path(__file__).parent / "cheat.py"
SECRET = "no author may see this"


@pytest.fixture
def hill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder like a hill's, with the folders of two authors and a socket; another process has a secret, too."""
    isolation("strong")
    monkeypatch.setenv("SECRET_API_KEY", SECRET)
    for name in ("ann", "ben"):
        (tmp_path / "rounds" / "authors" / name / "bot").mkdir(parents=True)
    (tmp_path / "rounds" / "authors" / "ben" / "bot" / "bot.py").write_text(SECRET)
    (tmp_path / "hill.sqlite").write_text(SECRET)
    other = subprocess.Popen(["/bin/sh", "-c", "read end"], stdin=subprocess.PIPE)
    with other, socket.socket(socket.AF_UNIX) as listener, open(tmp_path / "hill.sqlite", "rb"):
        previous = os.getcwd()
        os.chdir(tmp_path)  # paths of sockets are short
        try:
            listener.bind("socket")
        finally:
            os.chdir(previous)
        listener.listen()
        with socket.socket(socket.AF_UNIX) as abstract:
            abstract.bind(f"\0{tmp_path}")
            abstract.listen()
            yield tmp_path


def ran(hill: Path, command: str, *, reads: tuple[Path, ...] = (), network: bool = False) -> str:
    """Run a line of the shell as the author ann; return what it prints."""
    space = workspace.make_workspace(command, reads, hill, network=network)
    variables = {"PATH": space.path(os.environ["PATH"]), "HOME": "/tmp"}
    return said(space.start(["/bin/sh", "-c", command], ann(hill), variables, 1 << 30))


def said(child: SupervisedProcess) -> str:
    try:
        output, _ = child.communicate(30)
    finally:
        child.end()
        child.close()
    return output.decode()


def ann(hill: Path) -> Path:
    return hill / "rounds" / "authors" / "ann"


def cheat(hill: Path, port: int, before: str = "") -> str:
    """Return the line of the shell for the cheat, started by a command where that works."""
    words = shlex.join([sys.executable, str(CHEAT), str(hill), str(os.getpid()), str(port)])
    return f"{before} true 2> /dev/null || exec {words}; exec {before} {words}"


@pytest.mark.parametrize(("before", "network"), [("", False), ("unshare -Urm", False), ("", True)])
def test_a_cheat_finds_nothing_of_others(before: str, network: bool, hill: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        said = ran(hill, cheat(hill, server.getsockname()[1], before), network=network)
    found = json.loads(said.splitlines()[-1])
    assert len(found) == 14
    given = {"the network"} if network else set()
    if network and landlock_version() < OLDEST_LANDLOCK:
        given.add("an abstract socket")
    assert {attempt for attempt, is_successful in found.items() if is_successful} == given


def test_the_cheat_succeeds_where_nothing_confines_it(hill: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = json.loads(unconfined(hill, cheat(hill, server.getsockname()[1])))
    assert {attempt for attempt, is_successful in found.items() if not is_successful} <= {"tracing koth"}, "Yama"


def test_keys_of_the_host_are_not_in_reach(hill: Path) -> None:
    number = {"x86_64": 250, "aarch64": 219}[platform.machine()]
    keyring = f"python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall({number}, 0, -3, 0))'"
    assert unconfined(hill, keyring) == unconfined(hill, keyring) != ran(hill, keyring)


NEEDS = """
set -e
koth --version
echo content > bot/new; echo more > /tmp/scratch; echo settings > $HOME/.agent
python3 -c 'import ssl; assert ssl.create_default_context().get_ca_certs()'
python3 -c 'import multiprocessing; multiprocessing.Lock()'
git init -q . && getent hosts localhost > /dev/null
(setsid sleep 1000 &)
echo all of it
"""


def test_what_agents_need_works_and_nothing_outlives_them(hill: Path) -> None:
    if not (shutil.which("git") and os.path.isdir("/etc/ssl/certs")):
        pytest.skip("git and certificates are not installed")
    assert ran(hill, NEEDS).endswith("all of it\n")
    assert (ann(hill) / "bot" / "new").read_text() == "content\n"


def test_rules_are_compiled_there_and_what_an_author_writes_over_them_is_gone(hill: Path) -> None:
    compile_once(load("zombies"))
    found = "from koth.games import load; from koth.warmup import has_started; print(has_started(load('zombies')))"
    spoil = "find /tmp/.cache/koth/kernels-* -type f -exec sh -c 'echo spoilt > $0' {} \\;"
    assert ran(hill, f'python -c "{found}"; {spoil}') == "True\n"
    assert ran(hill, f'python -c "{found}"; grep -rl spoilt /tmp/.cache') == "True\n"


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("agent --print 'Read it'", "agent"),
        ("A=1 B=2 agent; true", "agent"),
        ("/opt/agent x", "/opt/agent"),
        ('"$KOTH_STUDY/author.sh"', "true"),
        ("bot/build.sh", "true"),
        ("(cd bot && make)", "true"),
        ("", "true"),
        ("agent 'open", "agent"),
    ],
)
def test_the_first_program_of_a_command(command: str, program: str) -> None:
    assert workspace.first_program(command) == program


def test_files_that_the_host_names_are_seen(hill: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("named", "given", "other"):
        (elsewhere / name).mkdir()
        (elsewhere / name / "file").write_text(name)
    command = f"cat {elsewhere}/named/file; cat {elsewhere}/g*/file; ls {elsewhere}"
    assert ran(hill, command, reads=(elsewhere / "given",)) == "namedgivengiven\nnamed\n"


def test_a_program_in_a_home_is_found(
    hill: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path_factory.mktemp("home") / ".local"
    for place in (home / "bin", home / "share" / "agent" / "versions"):
        place.mkdir(parents=True)
    (home / "share" / "agent" / "versions" / "1.0").write_text("#!/bin/sh\necho it works")
    (home / "share" / "agent" / "versions" / "1.0").chmod(0o755)
    (home / "bin" / "agent").symlink_to(home / "share" / "agent" / "versions" / "1.0")
    (home / "bin" / "other").touch()
    monkeypatch.setenv("PATH", f"{home / 'bin'}:{os.environ['PATH']}")
    assert ran(hill, f"KEY=1 agent --print; ls {home}/bin") == "it works\nagent\n"


def test_paths_that_would_show_the_hill_are_refused(hill: Path) -> None:
    for path in (hill, hill.parent, hill / "rounds" / "authors" / "ben"):
        with pytest.raises(KothError, match=f"^{path}: an author would see {hill} there; move"):
            workspace.make_workspace("true", [path], hill, network=True)
    with pytest.raises(KothError, match=r"hill\.sqlite: an author would see"):
        workspace.make_workspace(f"cat {hill}/hill.sqlite", [], hill, network=True)
    with pytest.raises(KothError, match="missing: no such file or folder for an author to read"):
        workspace.make_workspace("true", [hill / "missing"], hill, network=True)


def test_a_workspace_is_tried_before_it_is_trusted(hill: Path) -> None:
    space = workspace.make_workspace("true", [], hill, network=True)
    workspace.probe_workspace(space, hill, "koth")
    with pytest.raises(KothError, match=r"^an-agent: there is no such program in the author's sandbox$"):
        workspace.probe_workspace(space, hill, "an-agent")
    leaky = workspace.Workspace(isolation("strong").bwrap, (Mount(str(hill), str(hill)),), False)
    with pytest.raises(SandboxError, match=r"^authors can't be isolated here: the probe failed$"):
        workspace.probe_workspace(leaky, hill, "true")
    assert sorted(path.name for path in hill.iterdir()) == ["hill.sqlite", "rounds", "socket"]


def test_a_machine_without_namespaces_is_told(hill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = LevelTrial("strong", {}, "bubblewrap is not installed", "Install it: apt install bubblewrap")
    monkeypatch.setattr(workspace, "try_level", lambda level: trial)
    with pytest.raises(SandboxError) as raised:
        workspace.make_workspace("true", [], hill, network=True)
    assert str(raised.value) == (
        "authors can't be isolated here: bubblewrap is not installed; without isolation they have your rights\n"
        "Install it: apt install bubblewrap"
    )


def unconfined(hill: Path, command: str) -> str:
    """Run a line of the shell as the author ann, without isolation."""
    pipe, same = subprocess.PIPE, subprocess.STDOUT
    return said(PLAIN.start(["/bin/sh", "-c", command], ann(hill), os.environ, FOR_BOTS, stdout=pipe, stderr=same))
