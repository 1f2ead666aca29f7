"""The kernel's resources that no limit of memory counts: watches, flushes of the disk, core dumps."""

from __future__ import annotations

import errno
import resource
import selectors
from pathlib import Path

import pytest

from koth.build.steps import run_build_step
from tests.sandbox.zoo import CONFINED, LEVELS, PYTHON, isolation, outcomes

WATCHES = """
import os, resource, select
most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
spare, half, watches = most - 1, (most - 4) // 2, 0
polls = [select.epoll() for _ in range(half)]
files = [file for _ in range((most - 5 - half) // 2) for file in os.pipe()]
epolls = {poll.fileno(): poll for poll in polls}
for number in range(3, spare):
    if number in epolls:
        continue  # those would have to be moved away, for twice as many
    moved = number in files
    if moved:
        os.dup2(number, spare)
        files[files.index(number)] = spare
    for file in files:
        if file != number:
            os.dup2(file, number)
            for poll in polls:
                poll.register(number, 0)
                watches += 1
                if watches > 100_000:
                    os.write(1, b"100000")
                    os._exit(0)
            os.close(number)
    if moved:
        os.dup2(spare, number)
        files[files.index(spare)] = number
        os.close(spare)
print(watches)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_watches_are_few(level: str, tmp_path: Path) -> None:
    """Each takes 200 bytes of the kernel, and a share of a quota that all bots of a plain user have in common."""
    assert 10_000 < outcomes(level, tmp_path, WATCHES) < 60_000


FLUSHES = """
import ctypes, fcntl, json, os
libc = ctypes.CDLL(None, use_errno=True)
libc.msync.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
pipe, file = os.pipe()[0], os.open("/usr/bin/env", os.O_RDONLY)

def call(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")

def outcome(attempt):
    try:
        attempt()
        return 0
    except OSError as error:
        return error.errno

print(json.dumps({
    "fsync": outcome(lambda: os.fsync(pipe)),
    "fdatasync": outcome(lambda: os.fdatasync(pipe)),
    "msync": outcome(lambda: call(libc.msync(1 << 46, 4096, 4))),
    "msync that waits for nothing": outcome(lambda: call(libc.msync(1 << 46, 4096, 1))),
    "open": outcome(lambda: os.open("/usr/bin/env", os.O_RDONLY | os.O_DIRECT)),
    "change": outcome(lambda: fcntl.fcntl(file, fcntl.F_SETFL, os.O_DIRECT)),
    "not block": outcome(lambda: os.set_blocking(pipe, False)),
}))
"""


@pytest.mark.parametrize("level", CONFINED)
def test_the_disk_is_not_kept_busy(level: str, tmp_path: Path) -> None:
    """The kernel refuses to flush a pipe, or memory that is not mapped: success means that it was not asked."""
    found = outcomes(level, tmp_path, FLUSHES)
    assert found == {
        **dict.fromkeys(["fsync", "fdatasync", "msync", "not block"], 0),
        **dict.fromkeys(["open", "change"], errno.EINVAL),
        "msync that waits for nothing": errno.ENOMEM,
    }


@pytest.mark.parametrize("level", CONFINED)
def test_a_build_flushes_its_files(level: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    source = "import os\ntry:\n    os.fsync(os.pipe()[0])\nexcept OSError as error:\n    print(error.errno)\n"
    done = run_build_step([*PYTHON, source], tmp_path, isolation(level))
    assert (done.problem, int(done.output)) == ("", errno.EINVAL)


CORE = """
import ctypes, json, resource
limits = [resource.getrlimit(resource.RLIMIT_CORE)]
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
limits.append(resource.getrlimit(resource.RLIMIT_CORE))
ctypes.CDLL(None).syscall(160, resource.RLIMIT_CORE, bytes(16))  # on x86_64 the same by its older call
limits.append(resource.getrlimit(resource.RLIMIT_CORE))
print(json.dumps(limits))
"""


@pytest.mark.parametrize("level", CONFINED)
def test_a_crash_starts_no_program_of_the_host(level: str, tmp_path: Path) -> None:
    """A limit of 1 alone keeps the kernel from piping a core dump to the program that core_pattern names."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    most = 1 if hard == resource.RLIM_INFINITY else min(1, hard)
    assert outcomes(level, tmp_path, CORE) == [[most, most]] * 3


def test_koth_itself_watches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots of the same user may have used up the quota of watches."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if hasattr(selectors, "EpollSelector"):
        monkeypatch.setattr(selectors.EpollSelector, "register", refuse)
    assert outcomes("limits", tmp_path, "print(1)") == 1
    assert run_build_step([*PYTHON, "print(2)"], tmp_path, isolation("limits")).output == b"2\n"
