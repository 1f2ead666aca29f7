"""Cgroups, as far as this machine has them: a bot is in its own from its first instruction on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from koth.sandbox import cgroup, levels
from koth.sandbox.cgroup import Cgroup
from koth.sandbox.isolation import Isolation, SandboxError
from koth.sandbox.policy import SandboxPolicy
from tests.contest.folders import wait_until
from tests.sandbox.zoo import isolation


@pytest.fixture
def folder() -> Iterator[Path]:
    """A cgroup of ours, with or without controllers."""
    mount = cgroup._find_mount()
    place = None if mount is None else mount / f"koth-test-{os.getpid()}"
    try:
        if place is None:
            raise OSError
        place.mkdir()
    except OSError:
        pytest.skip("no cgroup v2 that may be written")
    yield place
    Cgroup(place).remove()
    assert not place.exists()


@pytest.mark.parametrize("place", ["/tmp/a\r/b", "/tmp/a\x0bcgroup /fake cgroup2 rw", "/tmp/\u2028", "/tmp/\udcff"])
def test_no_mount_of_another_user_changes_where_cgroups_are(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Users mount what they like below their folders; the kernel escapes spaces and line feeds of the paths."""
    escaped = os.fsencode(place).replace(b" ", b"\\040")
    mounts = b"fuse %s fuse rw 0 0\nnone /sys/fs/a\\040b cgroup2 rw 0 0\n" % escaped
    monkeypatch.setattr(Path, "read_bytes", lambda self: mounts)
    assert cgroup._find_mount() == Path("/sys/fs/a b")


def test_the_bot_is_in_it_and_dies_with_it(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    strong = isolation("strong")
    monkeypatch.setattr(Cgroup, "make", lambda parent, policy: Cgroup(parent))
    argv = [sys.executable, "-S", "-c", "print(open('/proc/self/cgroup').read(), flush=True); input()"]
    chosen = replace(strong, cgroups=str(folder))
    child = chosen.start(argv, tmp_path, {}, SandboxPolicy(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert b"0::/\n" in child.stdout.readline() + child.stdout.read(4096), "it does not see the name of its cgroup"
    assert (folder / "cgroup.procs").read_text().split() == [str(child.program_pid())]
    Cgroup(folder).kill()
    assert child.wait(10) == -9
    child.cgroup = None
    child.close()


KILLED = """
import os, signal, subprocess, sys
from pathlib import Path
from koth.sandbox.command import Command, spawn
from koth.sandbox.isolation import Isolation, SandboxError
child = spawn(Command((sys.executable, "-S", "-c", "input()"), Path("/")), Isolation("limits"))
while not child.pids(): pass
print(child.cgroup.folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_none_is_left_when_koth_is_killed() -> None:
    if cgroup.cpu_cgroup_parent() is None:
        pytest.skip("koth may make no cgroup here")
    killed = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True, check=False)
    made = Path(killed.stdout.strip())
    assert made.name.startswith("koth-")
    wait_until(lambda: not made.exists(), 30)


def test_where_there_is_no_cgroup_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_find_mount", lambda: None)
    assert cgroup.cpu_cgroup_parent.__wrapped__() is None
    monkeypatch.setattr("koth.sandbox.isolation.cpu_cgroup_parent", lambda: None)
    assert not Isolation("strong").charges_children()
    assert Isolation("strong+cgroup", cgroups="/sys").charges_children()


def test_without_its_controllers_it_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_find_mount", lambda: None)
    assert cgroup.prepare() == (None, "this machine has no cgroup v2")
    monkeypatch.setattr(cgroup, "_find_mount", lambda: tmp_path)
    found, why = cgroup.prepare()
    assert found is None
    assert "koth can't change its cgroup" in why or "no cgroup" in why


def test_its_limits_are_written(tmp_path: Path) -> None:
    """On a folder that stands for a cgroup: the files are the kernel's to make."""
    made = Cgroup.make(tmp_path, SandboxPolicy(memory=99, tasks=7))
    assert (made.folder / "memory.max").read_text() == "99"
    assert (made.folder / "pids.max").read_text() == "7"
    assert not made.ran_out_of_memory()
    (made.folder / "memory.events").write_text("low 0\noom 1\noom_kill 0\n")
    assert not made.ran_out_of_memory()
    (made.folder / "memory.events").write_text("low 0\noom 1\noom_kill 2\n")
    assert made.ran_out_of_memory()


def test_moving_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """koth moves into a cgroup beside those of its bots, once."""
    own = next(
        line[3:].strip("/") for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")
    )
    base = tmp_path / own if own else tmp_path
    base.mkdir(parents=True, exist_ok=True)
    (base / "cgroup.controllers").write_text("cpu memory pids")
    monkeypatch.setattr(cgroup, "_find_mount", lambda: tmp_path)
    found, why = cgroup.prepare()
    assert (found, why) == (base, "")
    assert (base / "cgroup.subtree_control").read_text() == "+memory +pids"
    if own:
        assert (base / "koth-host" / "cgroup.procs").read_text() == str(os.getpid())


@pytest.fixture
def its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for a cgroup of koth's own."""
    base = tmp_path / "scope"
    base.mkdir()
    (base / "cgroup.controllers").write_text("cpu memory pids")
    monkeypatch.setattr(cgroup, "_find_mount", lambda: tmp_path)
    monkeypatch.setattr(cgroup, "_find_own", lambda: base)
    return base


def test_koth_moves_back_where_other_processes_share_its_cgroup(its_own: Path) -> None:
    (its_own / "cgroup.subtree_control").mkdir()  # it can't be written
    found, why = cgroup.prepare()
    assert found is None
    assert why.startswith("koth can't change its cgroup")
    assert (its_own / "koth-host" / "cgroup.procs").read_text() == str(os.getpid())
    assert (its_own / "cgroup.procs").read_text() == str(os.getpid()), "the last move is back"


@pytest.mark.needs("bwrap")
def test_koth_moves_back_where_the_level_can_not_be_had(its_own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Isolation) -> dict[str, bool]:
        assert not (its_own / "cgroup.procs").exists()
        raise SandboxError("no")

    monkeypatch.setattr(levels, "_run_probes", fails)
    trial = levels.try_level.__wrapped__("strong+cgroup")
    assert trial.why == "no"
    assert (its_own / "cgroup.procs").read_text() == str(os.getpid())
    assert (its_own / "cgroup.subtree_control").read_text() == "-memory -pids"
