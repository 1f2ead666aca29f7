"""The filter of system calls, run here as the kernel runs it, for both machines it is written for."""

from __future__ import annotations

import errno
import struct

import pytest

from koth.sandbox import seccomp
from koth.sandbox.policy import FOR_BUILDING

ALLOWED, ASKED, KILLED = 0x7FFF0000, 0x7FC00000, 0x80000000
MACHINES = tuple(seccomp.COLUMN)
VERDICTS = {"allow", "some", "ask", "processes", "files", "build", "refuse", "pretend", "end"}


def answer(
    machine: str, call: str | int, *arguments: int, processes: bool = False, writable: bool = False, arch: int = 0
) -> int:
    """Return the filter's action for a call."""
    code = seccomp.build_filter(processes=processes, writable=writable, machine=machine)
    steps = [struct.unpack_from("<HBBI", code, at) for at in range(0, len(code), 8)]
    number = seccomp.read_calls(machine)[call][0] if isinstance(call, str) else call
    arch = arch or seccomp.AUDIT_ARCH[machine]
    data = struct.pack("<IIQ6Q", number, arch, 0, *(arguments + (0,) * 6)[:6])
    value = at = 0
    while True:
        kind, true, false, operand = steps[at]
        at += 1
        if kind == 0x20:
            (value,) = struct.unpack_from("<I", data, operand)
        elif kind == 0x15:
            at += true if value == operand else false
        elif kind == 0x35:
            at += true if value >= operand else false
        elif kind == 0x45:
            at += true if value & operand else false
        else:
            assert kind == 0x06
            return int(operand)


def refused(number: int) -> int:
    return 0x00050000 | number


@pytest.mark.parametrize("machine", MACHINES)
def test_the_list(machine: str) -> None:
    """Each call has one number and one verdict, and is answered by it."""
    table = seccomp.read_calls(machine)
    numbers = [number for number, _, _ in table.values()]
    assert len(numbers) == len(set(numbers))
    assert {verdict for _, verdict, _ in table.values()} <= VERDICTS
    for name, (_, verdict, error) in table.items():
        told = {answer(machine, name), answer(machine, name, processes=True, writable=True)}
        if verdict == "allow":
            assert told == {ALLOWED}, name
        elif verdict in ("ask", "end"):
            assert told == {ASKED}, name
        elif verdict == "refuse":
            assert told == {refused(getattr(errno, error))}, name
        elif verdict == "pretend":
            assert told == {refused(0)}, name
        elif verdict in ("processes", "files", "build"):
            assert told == {refused(getattr(errno, error) if error else 0), ALLOWED}, name


@pytest.mark.parametrize("machine", MACHINES)
def test_what_no_language_uses_is_on_no_list(machine: str) -> None:
    for name in ("mount", "bpf", "keyctl", "process_vm_readv", "kexec_load", "vmsplice", "userfaultfd", "seccomp"):
        assert answer(machine, name) == ASKED, name
        assert seccomp.notified_calls(machine)[str(seccomp.read_calls(machine)[name][0])] == name


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_kernels_to_come_are_not_there(machine: str) -> None:
    highest = max(number for number, _, _ in seccomp.read_calls(machine).values())
    for number in (highest + 1, 1000, 0x40000000 + 41, 0xFFFFFFFF):  # the third is x32's
        assert answer(machine, number) == refused(errno.ENOSYS)


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_is_the_end(machine: str) -> None:
    assert answer(machine, "read", arch=0x40000003) == KILLED


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_and_children(machine: str) -> None:
    thread = seccomp.CLONE_THREAD | 0x3D0F00
    assert answer(machine, "clone", thread) == ALLOWED
    assert answer(machine, "clone", 17) == refused(errno.EPERM)
    assert answer(machine, "clone", 17, processes=True) == ALLOWED
    for bit in (15, 17, 25, 26, 27, 28, 29, 30):  # the first makes somebody else's child
        for flags in (thread | 1 << bit, 17 | 1 << bit):
            assert answer(machine, "clone", flags, processes=True) == refused(errno.EPERM), bit


@pytest.mark.parametrize("machine", MACHINES)
def test_whom_it_dies_with(machine: str) -> None:
    assert answer(machine, "prctl", 1, 9) == ALLOWED
    assert answer(machine, "prctl", 1, 0) == refused(errno.EPERM)
    assert answer(machine, "prctl", 1, 15) == refused(errno.EPERM)
    assert answer(machine, "prctl", 15, 0) == ALLOWED
    for option in (4, 22, 28, 35, 36, 47, 1000):  # dumpable, seccomp, securebits, mm, subreaper, ambient
        assert answer(machine, "prctl", option) == refused(errno.EINVAL)


SHARED, PRIVATE, ANONYMOUS, DOWN, HUGE = 1, 2, 32, 0x100, 0x40000
SOME = [
    # (call, arguments, the error it is answered with: 0, it passes)
    *[("ioctl", (0, request), errno.ENOTTY) for request in (0x5412, 0x541C, 0x80086601, 0)],
    *[("ioctl", (0, request), 0) for request in (0x5401, 0x541B)],
    ("fcntl", (0, 2), 0),
    *[("fcntl", (0, command), errno.ENOLCK) for command in (5, 6, 7, 36, 37, 38)],
    *[("fcntl", (0, command), errno.EPERM) for command in (8, 10, 1024, 1026, 1031, 1033)],
    ("mmap", (0, 1, 3, PRIVATE | ANONYMOUS), 0),
    ("mmap", (0, 1, 1, SHARED), 0),
    ("mmap", (0, 1, 3, SHARED | ANONYMOUS), errno.EPERM),
    ("mmap", (0, 1, 1, SHARED | PRIVATE | ANONYMOUS), errno.EPERM),
    ("mmap", (0, 1, 3, PRIVATE | ANONYMOUS | HUGE), errno.ENOMEM),
    ("mmap", (0, 1, 3, PRIVATE | ANONYMOUS | DOWN), errno.ENOMEM),
    *[("madvise", (0, 1, advice), 0) for advice in (4, 8, 14, 15)],
    *[("madvise", (0, 1, advice), errno.EINVAL) for advice in (9, 12, 20, 21, 24, 100)],
    *[("socketpair", (1, kind), 0) for kind in (1, 1 | 0x80000, 1 | 0x800)],
    *[("socketpair", (1, kind), errno.EPERM) for kind in (2, 5, 3, 2 | 0x80000)],
    *[("socketpair", (family, 1), errno.EPERM) for family in (2, 16, 40)],
    ("sendto", (3, 0, 5, 0, 0, 0), 0),
    ("sendto", (3, 0, 5, 0, 1, 16), errno.EPERM),
    ("sendto", (3, 0, 5, 0, 1 << 40, 16), errno.EPERM),
    ("preadv2", (3, 0, 1, 0, 0, 0), 0),
    ("preadv2", (3, 0, 1, 0, 0, 8), errno.EOPNOTSUPP),
    ("prlimit64", (0, 7), 0),
    ("prlimit64", (0, 7, 1 << 40), 0),
    ("prlimit64", (1, 7), errno.EPERM),
    ("prlimit64", (0, 4, 0), 0),
    ("setrlimit", (7, 1), 0),
    ("msync", (1 << 40, 4096, 1), 0),
    ("msync", (1 << 40, 4096, 2), 0),
]


@pytest.mark.parametrize(("call", "arguments", "error"), SOME)
@pytest.mark.parametrize("machine", MACHINES)
def test_some_uses_pass(machine: str, call: str, arguments: tuple[int, ...], error: int) -> None:
    assert answer(machine, call, *arguments) == (refused(error) if error else ALLOWED)


@pytest.mark.parametrize("machine", MACHINES)
def test_only_who_starts_programs_may_pair_sockets_for_packets(machine: str) -> None:
    for kind in (5, 5 | 0x80000, 5 | 0x800, 5 | 0x80800):
        assert answer(machine, "socketpair", 1, kind) == refused(errno.EPERM)
        assert answer(machine, "socketpair", 1, kind, processes=True) == ALLOWED
    for family, kind in ((1, 2), (1, 3), (2, 5), (16, 5)):
        assert answer(machine, "socketpair", family, kind, processes=True) == refused(errno.EPERM)
    for call, arguments in (("sendmsg", (3, 0, 0)), ("sendto", (3, 0, 5, 0, 1, 16)), ("connect", ()), ("bind", ())):
        assert answer(machine, call, *arguments, processes=True) == refused(errno.EPERM), call


@pytest.mark.parametrize("machine", MACHINES)
def test_only_a_build_reaches_the_disk(machine: str) -> None:
    """A flush of a file that no bot has written would be one of the host's whole disk."""
    for call, arguments in {"fsync": (3,), "fdatasync": (3,), "msync": (1 << 40, 4096, 6)}.items():
        assert answer(machine, call, *arguments) == refused(0), call
        assert answer(machine, call, *arguments, writable=True) == ALLOWED, call
    for call in ("sync", "syncfs", "sync_file_range"):
        assert answer(machine, call, 3, writable=True) == refused(0), call


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_is_read_past_the_cache(machine: str) -> None:
    direct, folder = (0x4000, 0x10000) if machine == "x86_64" else (0x10000, 0x4000)
    calls = {"openat": (3, 1 << 40), "fcntl": (3, 4), **({"open": (1 << 40,)} if machine == "x86_64" else {})}
    for call, first in calls.items():
        assert answer(machine, call, *first, 0x80800) == ALLOWED, call
        assert answer(machine, call, *first, folder) == ALLOWED, call
        assert answer(machine, call, *first, direct | 0x80000) == refused(errno.EINVAL), call


@pytest.mark.parametrize("machine", MACHINES)
def test_the_limit_of_core_dumps_stays(machine: str) -> None:
    assert answer(machine, "setrlimit", 4, 1 << 40) == refused(0)
    for limit in (1, 1 << 40):  # a pointer, either half of which may be 0
        assert answer(machine, "prlimit64", 0, 4, limit) == refused(0)


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_is_held_that_is_not_counted(machine: str) -> None:
    """Blocks beyond a file's end, attributes, and descriptors on their way through a socket: with these a bot holds
    twice its limit of files, and so four times the watches.
    """
    for call in ("fallocate", "setxattr", "lsetxattr", "fsetxattr"):
        for writable in (False, True):
            assert answer(machine, call, 3, 0, writable=writable) == refused(errno.EOPNOTSUPP), call
    highest = FOR_BUILDING.open_files - 1
    for writable in (False, True):
        assert answer(machine, "sendmsg", highest, writable=writable) == refused(errno.EPERM)
        assert answer(machine, "sendmsg", seccomp.SENDER, writable=writable) == ALLOWED, "koth's own, at its start"


@pytest.mark.parametrize("machine", MACHINES)
def test_a_build_may_lock_its_files(machine: str) -> None:
    assert answer(machine, "fcntl", 0, 6, writable=True) == ALLOWED
    assert answer(machine, "flock", writable=True) == ALLOWED
    assert answer(machine, "fcntl", 0, 1026, writable=True) == refused(errno.EPERM)
