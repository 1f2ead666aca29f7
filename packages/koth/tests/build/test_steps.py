"""Build steps are held to their limits, and leave nothing that koth would follow."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import resource
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from koth.build import steps
from koth.build.steps import run_build_step
from koth.contest import preflight
from koth.files import folders
from koth.files.folders import remove
from koth.sandbox.command import Overloaded
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import Isolation
from koth.sandbox.policy import FOR_BUILDING, MEGABYTE
from koth.sandbox.supervised_process import SupervisedProcess
from koth.session.cpu_clock import NANO, CpuClock, Stopwatch
from tests.contest.folders import wait_until
from tests.sandbox.zoo import CONFINED, LEVELS, isolation
from tests.sandbox.zoo import program as bad_bot


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "copy").mkdir(mode=0o755)
    return tmp_path / "copy"


def shell(line: str) -> list[str]:
    return ["/bin/sh", "-c", line]


HOARDERS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        hoard = bytearray(60 << 20)
        time.sleep(60)
time.sleep(60)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_the_memory_of_all_its_programs_is_counted(level: str, copy: Path) -> None:
    policy = replace(FOR_BUILDING, memory=100 * MEGABYTE)
    done = run_build_step(["/usr/bin/python3", "-c", HOARDERS], copy, isolation(level), policy)
    assert done.problem.endswith("MB of memory; 100 are allowed"), done


HIDES = """
import mmap, os
mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1 << 20)
"""


@pytest.mark.parametrize("level", CONFINED)
def test_memory_can_not_be_hidden(level: str, copy: Path) -> None:
    """It could be filled, forgotten, and found again where nobody counts it."""
    done = run_build_step(["/usr/bin/python3", "-c", HIDES], copy, isolation(level))
    assert done.problem == "exit status 1"
    assert b"/dev/zero" in done.output
    anonymous = "import mmap; mmap.mmap(-1, 1 << 20)"
    assert b"PermissionError" in run_build_step(["/usr/bin/python3", "-c", anonymous], copy, isolation(level)).output


@pytest.mark.parametrize("level", CONFINED)
def test_what_is_only_for_a_while_counts_and_is_gone(level: str, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "BYTES", MEGABYTE)
    line = "head -c 3000000 /dev/urandom > ${TMPDIR:-/tmp}/koth-zoo; sleep 60"
    assert run_build_step(shell(line), copy, isolation(level)).problem == "more than 1 MB in the bot's folder"
    assert list(copy.iterdir()) == []
    files = "i=0; while [ $i -lt 400 ]; do : > $i; i=$((i + 1)); done; sleep 60"
    assert run_build_step(shell(files), copy, isolation(level)).problem == "more than 1 MB in the bot's folder", (
        "empty files count"
    )


@pytest.mark.parametrize("level", CONFINED)
def test_a_link_in_the_place_of_tmp_is_not_followed(level: str, copy: Path) -> None:
    chosen = isolation(level)
    (outside := copy.parent / "outside").mkdir()
    (outside / "secret").write_text("the host's")
    line = f"rm -rf .koth-tmp; ln -s {outside} .koth-tmp"
    run_build_step(shell(line), copy, chosen)
    os.symlink(outside, copy / ".koth-tmp")  # as if it had been left there
    done = run_build_step(shell("ls -a ${TMPDIR:-/tmp}; echo x > ${TMPDIR:-/tmp}/new"), copy, chosen)
    assert b"secret" not in done.output
    assert [path.name for path in outside.iterdir()] == ["secret"]


@pytest.mark.skipif(os.getuid() == 0, reason="root looks into every folder")
@pytest.mark.parametrize("level", LEVELS)
def test_a_folder_that_koth_can_not_look_into(level: str, copy: Path) -> None:
    done = run_build_step(shell("mkdir shut; chmod 300 shut; sleep 60"), copy, isolation(level))
    assert done.problem == f"{copy / 'shut'} can't be read"


def test_closed_folders_are_removed_too(copy: Path) -> None:
    (copy / "shut" / "inner").mkdir(parents=True)
    (copy / "shut" / "inner" / "file").write_text("")
    (copy / "away").symlink_to(copy.parent)
    (copy / "shut" / "inner").chmod(0)
    (copy / "shut").chmod(0)
    copy.chmod(0)
    remove(copy)
    assert not copy.exists()
    assert copy.parent.is_dir()


@pytest.mark.parametrize("level", ["none", *LEVELS])
def test_it_sees_an_environment_of_koths_making(level: str, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOTH_ZOO", "the host's")
    done = run_build_step(["/usr/bin/env"], copy, isolation(level), environment={"OWN": "yes"})
    names = {line.split("=")[0] for line in done.output.decode().splitlines()}
    assert {"OWN", "PATH", "HOME"} <= names
    assert not [name for name in names if name.startswith("KOTH")]


WORKS = """
import sys
from pathlib import Path
from koth.sandbox.levels import choose_level
from koth.build.steps import run_build_step
from koth.contest import preflight
run_build_step(["/bin/sh", "-c", "sleep 2718.28 & wait"], Path(sys.argv[2]), choose_level(sys.argv[1]))
"""


def sleepers() -> list[int]:
    """The processes that sleep for that long."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if file.read_bytes() == b"sleep\x002718.28\x00":
                found.append(int(file.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("level", ["none", *LEVELS])
def test_nothing_outlives_koth(level: str, copy: Path) -> None:
    """Not even what a compiler's script has started."""
    isolation(level)
    koth = subprocess.Popen([sys.executable, "-c", WORKS, level, copy])
    wait_until(sleepers)
    koth.kill()
    koth.wait()
    wait_until(lambda: not sleepers())


LEAVES = """
ln -s /etc away; ln -s inner.txt kept; echo x > inner.txt; mkfifo pipe; mkdir -m 2777 open; echo x > open/all
chmod 6777 open/all; mkdir -m %s shut
python3 -c 'import socket; socket.socketpair()' ; ln inner.txt twice
"""


@pytest.mark.parametrize("level", LEVELS)
def test_its_output_has_koths_owner_and_modes(level: str, copy: Path) -> None:
    done = run_build_step(shell(LEAVES % ("0" if os.getuid() == 0 else "700")), copy, isolation(level))
    assert done.problem == "", done
    left = {path.relative_to(copy).as_posix(): path.lstat() for path in copy.rglob("*")}
    assert sorted(left) == ["inner.txt", "kept", "open", "open/all", "shut", "twice"]
    assert {told.st_uid for told in left.values()} == {os.getuid()}
    modes = {name: stat.S_IMODE(told.st_mode) for name, told in left.items() if not stat.S_ISLNK(told.st_mode)}
    assert modes == {"inner.txt": 0o644, "twice": 0o644, "open": 0o755, "open/all": 0o755, "shut": 0o755}


DEEP = """
import os
import re
for _ in range(40):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
for n in range(3):
    with open(f"f{n}", "wb") as file: file.truncate(%d)
"""


@pytest.mark.parametrize("level", CONFINED)
def test_depth_hides_nothing(level: str, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is longer than any call takes."""
    monkeypatch.setattr(steps, "BYTES", 4 * MEGABYTE)
    done = run_build_step(["/usr/bin/python3", "-S", "-c", DEEP % (2 * MEGABYTE)], copy, isolation(level))
    assert done.problem == "more than 4 MB in the bot's folder"
    remove(copy)
    assert not copy.exists()


def test_all_lines_of_a_build_have_one_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SECONDS", 2.0)
    bot = bad_bot(tmp_path, "", manifest='build = ["sleep 1.5", "sleep 1.5", "touch never"]\n')
    _, problem = preflight.build(bot, tmp_path / "copies", isolation("none"))
    assert "not done after 2 s" in problem
    assert not (tmp_path / "copies" / bot.digest).exists(), "nothing is left of it"


def test_a_step_that_leaves_what_koth_can_not_tidy_has_taken_its_time(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("koth.session.cpu_clock.draw_look", lambda: 10**12)  # a look would stand for most of the time
    nests = "sleep 0.3; i=0; while [ $i -lt 80 ]; do mkdir d; cd d; i=$((i + 1)); done"
    done = run_build_step(shell(nests), copy, isolation("none"))
    assert done.problem
    assert done.seconds > 0.2


def test_a_build_is_not_late_because_the_machine_is_busy(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until others have held the cores for most of three times its time."""
    monkeypatch.setattr(CpuClock, "is_asleep", lambda clock: False)
    monkeypatch.setattr("koth.session.cpu_clock.draw_look", lambda: NANO // 4)  # as many looks in every run
    monkeypatch.setattr("koth.session.cpu_clock.LOOK_SECONDS", 1.0)
    with pytest.raises(Overloaded, match=r"waited [\d.]+ of [\d.]+ s for other processes of this machine") as told:
        run_build_step(shell("sleep 60"), copy, isolation("none"), seconds=1)
    waited, wall = map(float, re.findall(r"[\d.]+", str(told.value))[:2])
    assert waited > 1.4
    assert wall >= 3


def test_a_delayed_build_names_its_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stopwatch, "is_over", lambda stopwatch, limit: True)
    monkeypatch.setattr(Stopwatch, "waited", 60.5)
    monkeypatch.setattr(Stopwatch, "wall", 61.0)
    bot = bad_bot(tmp_path, "", manifest='build = ["sleep 60"]\n')
    with pytest.raises(Overloaded) as told:
        preflight.build(bot, tmp_path / "copies", isolation("none"), seconds=2)
    delay = "waited 60.5 of 61.0 s for other processes of this machine"
    assert (told.value.name, str(told.value)) == (bot.name, f"{bot.name} {delay}, while it was built")


KEEPS_SIZE = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
file = os.open("small", os.O_RDWR | os.O_CREAT)
for mode in (1, 0):
    if libc.fallocate(file, mode, ctypes.c_long(0), ctypes.c_long(8 << 20)):
        print(mode, os.strerror(ctypes.get_errno()), flush=True)
time.sleep(0 if os.fstat(file).st_blocks == 0 else 60)
os.posix_fallocate(file, 0, 100_000)
print(os.fstat(file).st_blocks * 512 >= 100_000)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_blocks_beyond_the_end_of_a_file_count(level: str, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the filter none can be reserved, and the C library writes them instead."""
    monkeypatch.setattr(steps, "BYTES", 4 * MEGABYTE)
    done = run_build_step(["/usr/bin/python3", "-c", KEEPS_SIZE], copy, isolation(level))
    if level in CONFINED:
        lines = ["1 Operation not supported", "0 Operation not supported", "True"]
        assert (done.problem, done.output.decode().splitlines()) == ("", lines)
    else:
        assert done.problem == "more than 4 MB in the bot's folder"


HOLDS = """
import ctypes, mmap, os, shutil, subprocess, sys, threading, time

def deleted(name):
    file = os.open(name, os.O_RDWR | os.O_CREAT)
    os.unlink(name)
    return file

def filled(file):
    os.write(file, os.urandom(3 << 20))
    return file

def held():
    return [filled(deleted(f"{place}/f")) for place in (".", os.environ.get("TMPDIR", "/tmp"))]

def never_named():
    return [filled(os.open(".", os.O_TMPFILE | os.O_RDWR)) for _ in range(2)]

def of_a_child():
    if os.fork() == 0:
        held()
        time.sleep(60)

def mapped():
    kept = []
    for number in range(2):
        file = filled(deleted(f"m{number}"))
        kept.append(mmap.mmap(file, 4096, mmap.MAP_PRIVATE))
        os.closerange(3, 64)  # the one that Python keeps, too
    return kept

def of_a_thread():
    def own():
        ctypes.CDLL(None).close_range(4000, 4000, 2)  # from here on it has a table of descriptors of its own
        held()
        time.sleep(60)
    threading.Thread(target=own, daemon=True).start()

def run():
    for name in ("a", "b"):
        shutil.copy("/usr/bin/sleep", name)
        with open(name, "ab") as file:
            file.write(bytes(3 << 20))
        subprocess.Popen([os.path.abspath(name), "60"])
        os.unlink(name)

kept = globals()[sys.argv[1]]()
time.sleep(60)
"""


@pytest.mark.parametrize("way", ["held", "never_named", "of_a_child", "mapped", "of_a_thread", "run"])
@pytest.mark.parametrize("level", CONFINED)
def test_files_without_a_name_count(level: str, way: str, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "BYTES", 5 * MEGABYTE)
    policy = replace(FOR_BUILDING, file_size=4 * MEGABYTE)
    done = run_build_step(["/usr/bin/python3", "-c", HOLDS, way], copy, isolation(level), policy)
    assert done.problem == "more than 5 MB in the bot's folder and in open deleted files", done.output


PASSES = """
import array, socket, sys
one, other = socket.socketpair(socket.AF_UNIX, getattr(socket, sys.argv[1]))
one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
"""


@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_SEQPACKET"])
@pytest.mark.parametrize("level", CONFINED)
def test_no_descriptor_is_on_its_way(level: str, kind: str, copy: Path) -> None:
    """Its file could not be counted."""
    done = run_build_step(["/usr/bin/python3", "-c", PASSES, kind], copy, isolation(level))
    assert b"line 4" in done.output
    assert b"PermissionError" in done.output


SHUTS = """
import os, shutil
shutil.copy("/usr/bin/sleep", "sleep")
os.chmod("sleep", 0o111)
os.execv("./sleep", ["./sleep", "60"])
"""


@pytest.mark.skipif(os.getuid() == 0, reason="root looks into every process")
@pytest.mark.parametrize("level", CONFINED)
def test_a_process_that_koth_can_not_look_into(level: str, copy: Path) -> None:
    done = run_build_step(["/usr/bin/python3", "-c", SHUTS], copy, isolation(level))
    assert done.problem.endswith("of the build can't be inspected")


def test_the_log_of_a_build_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "OUTPUT", 1000)
    bot = bad_bot(tmp_path, "", manifest=f"build = {['head -c 700 /dev/zero'] * 5}\n")
    _, problem = preflight.build(bot, tmp_path / "copies", isolation("none"))
    assert problem == ""
    lines = 5 * len("$ head -c 700 /dev/zero\n")
    assert (tmp_path / "copies" / f"{bot.digest}.log").stat().st_size <= 1000 + lines


# -- what is not the bot's doing


def no_room(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "somewhere")


@pytest.mark.parametrize("part", ["change_owner", "normalize"])
def test_a_full_disk_is_no_bots_problem(part: str, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if part == "change_owner":
        monkeypatch.setattr(steps.os, "getuid", lambda: 0)
    monkeypatch.setattr(steps, part, no_room)
    with pytest.raises(ArenaError, match="No space left on device"):
        run_build_step(shell("true"), copy, isolation("strong"))


def test_who_may_not_change_owners_blames_no_bot(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root of a container that lacks the capability."""

    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(copy))

    monkeypatch.setattr(steps.os, "getuid", lambda: 0)
    monkeypatch.setattr(steps, "change_owner", refused)
    with pytest.raises(ArenaError, match="Operation not permitted"):
        run_build_step(shell("true"), copy, isolation("strong"))


def test_a_machine_without_descriptors_is_no_bots_problem(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(Isolation, "start", exhausted)
    with pytest.raises(ArenaError, match="Too many open files"):
        run_build_step(shell("true"), copy, isolation("none"))


def test_an_unreadable_cgroup_is_no_bots_problem(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is ended, too."""
    started = []

    def unreadable(child: SupervisedProcess, *_: object, **__: object) -> None:
        child.wait_for_start()
        started.append(child.program_pid())
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), "cpu.stat")

    monkeypatch.setattr(CpuClock, "of_child", unreadable)
    with pytest.raises(ArenaError, match=r"the cgroup of a build could not be read: .*cpu\.stat"):
        run_build_step(["/bin/sleep", "60"], copy, isolation("none"))
    wait_until(lambda: not Path(f"/proc/{started[0]}").exists())


def test_a_program_that_can_not_be_started_is_the_bots_problem(copy: Path) -> None:
    assert run_build_step(["/bin/none-such"], copy, isolation("none")).problem == "No such file or directory"


def test_a_copy_that_does_not_fit_is_no_bots_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = bad_bot(tmp_path, "")
    monkeypatch.setattr(folders, "copy_open_file", no_room)
    with pytest.raises(ArenaError, match="No space left on device"):
        preflight.build(bot, tmp_path / "copies", isolation("none"))


def test_descriptors_of_any_number_are_waited_for(copy: Path) -> None:
    """As in a host that has more than a thousand files open."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < 2000:
        pytest.skip(f"a process may have {hard} files here")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with contextlib.ExitStack() as files:
        files.callback(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        while (file := files.enter_context(open(os.devnull))).fileno() < 1100:
            pass
        done = run_build_step(shell("echo built"), copy, isolation("none"))
    assert (done.problem, done.output, file.closed) == ("", b"built\n", True)
