"""The filter of system calls, run here as the kernel runs it, for both machines it is written for."""

from __future__ import annotations

import errno
import struct

import pytest

from koth.bots.sandbox import seccomp

ALLOWED = 0x7FFF0000
KILLED = 0x80000000
MACHINES = tuple(seccomp.COLUMN)
READ = {"x86_64": 0, "aarch64": 63}


def answer(machine: str, number: int, *arguments: int, processes: bool = False, arch: int | None = None) -> int:
    """What the filter answers to a call."""
    code = seccomp.program(processes=processes, machine=machine)
    steps = [struct.unpack_from("<HBBI", code, at) for at in range(0, len(code), 8)]
    arch = seccomp.AUDIT_ARCH[machine] if arch is None else arch
    data = struct.pack("<IIQ6Q", number, arch, 0, *(arguments + (0,) * 6)[:6])
    value = at = 0
    while True:
        kind, true, false, operand = steps[at]
        at += 1
        if kind == 0x20:
            (value,) = struct.unpack_from("<I", data, operand)
        elif kind == 0x15:
            at += true if value == operand else false
        elif kind == 0x45:
            at += true if value & operand else false
        else:
            assert kind == 0x06
            return int(operand)


def refused(number: int) -> int:
    return 0x00050000 | number


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_refused(machine: str) -> None:
    for name, numbers in seccomp.DENIED.items():
        number = numbers[seccomp.COLUMN[machine]]
        if number is not None:
            assert answer(machine, number) == refused(errno.EPERM), name
            assert answer(machine, number, processes=True) == refused(errno.EPERM), name


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_no_call_s_twice(machine: str) -> None:
    column = seccomp.COLUMN[machine]
    special = (seccomp.CLONE, seccomp.CLONE3, seccomp.PRCTL, seccomp.IOCTL)
    every = [n[column] for n in (*seccomp.DENIED.values(), *seccomp.CHILDREN.values(), *special)]
    numbers = [number for number in every if number is not None]
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("machine", MACHINES)
def test_the_rest_is_allowed(machine: str) -> None:
    assert answer(machine, READ[machine]) == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_is_the_end(machine: str) -> None:
    assert answer(machine, READ[machine], arch=0x40000003) == KILLED


def test_x32() -> None:
    assert answer("x86_64", seccomp.X32 | 41) == refused(errno.ENOSYS)


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_and_children(machine: str) -> None:
    number = seccomp.CLONE[seccomp.COLUMN[machine]]
    thread = seccomp.CLONE_THREAD | 0x3D0F00
    assert answer(machine, number, thread) == ALLOWED
    assert answer(machine, number, 17) == refused(errno.EPERM)
    assert answer(machine, number, 17, processes=True) == ALLOWED
    for bit in (17, 25, 26, 27, 28, 29, 30):
        for flags in (thread | 1 << bit, 17 | 1 << bit):
            assert answer(machine, number, flags, processes=True) == refused(errno.EPERM), bit
    assert answer(machine, seccomp.CLONE3[0]) == refused(errno.ENOSYS)


@pytest.mark.parametrize("machine", MACHINES)
def test_whom_it_dies_with(machine: str) -> None:
    number = seccomp.PRCTL[seccomp.COLUMN[machine]]
    assert answer(machine, number, 1, 9) == ALLOWED
    assert answer(machine, number, 1, 0) == refused(errno.EPERM)
    assert answer(machine, number, 1, 15) == refused(errno.EPERM)
    assert answer(machine, number, 15, 0) == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_terminals(machine: str) -> None:
    number = seccomp.IOCTL[seccomp.COLUMN[machine]]
    for request, expected in ((0x5412, errno.EPERM), (0x541C, errno.EPERM), (0x5401, 0), (0, 0)):
        assert answer(machine, number, 0, request) == (refused(expected) if expected else ALLOWED)
