"""The filter of system calls, as the bytes of a classic BPF program; the kernel runs it at every call.

The filter allows only calls listed in `calls.txt`, which gives the action for each call. This module holds the rules
for calls that are allowed with some arguments only.
"""

from __future__ import annotations

import errno
import functools
import platform
import struct
from collections.abc import Collection
from pathlib import Path

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 1, "aarch64": 2}

KILL, REFUSE, ASK, ALLOW = 0x80000000, 0x00050000, 0x7FC00000, 0x7FFF0000
"""The actions of a filter. REFUSE is combined with an error number."""
PRETEND = REFUSE
"""The action with error number 0: the call is not made and succeeds."""
LOAD, JUMP_EQUAL, JUMP_FROM, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCH, ARGUMENTS = 0, 4, 16
"""Offsets of the call's number, the architecture and the arguments in the filter's input."""

CLONE_THREAD, CLONE_PARENT = 0x10000, 0x8000
CLONE_NEW = 0x7E020000
"""Every flag that makes a new namespace."""
PR_SET_PDEATHSIG, SIGKILL = 1, 9
PRCTL = (2, 3, 15, 16, 21, 23, 25, 29, 30, 38, 39, 41, 42)
"""Allowed options of prctl: queries about the process itself; its name, timer slack, no new privileges, no huge
pages.
"""
IOCTL = (0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
"""Allowed requests of ioctl: terminal tests, window size, readable bytes, non-blocking, close-on-exec."""
FCNTL = (0, 1, 2, 3, 1030, 1032)
"""Allowed commands of fcntl: copies, flags, and the size of a pipe (not: leases, signals, larger pipes)."""
F_SETFL = 4
O_DIRECT = {"x86_64": 0x4000, "aarch64": 0x10000}
"""The flag that bypasses the page cache: a bot could keep the disk busy by reading a system file."""
LOCKS = (5, 6, 7, 36, 37, 38)
"""Commands of fcntl for file locks, by which two bots that read the same file could communicate."""
MADVISE = (0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 25)
"""Allowed advice of madvise: on private memory (not: on memory of files, nor merging equal pages)."""
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB = 0x01, 0x20, 0x100, 0x40000
MS_SYNC = 4
RLIMIT_CORE = 4
SENDER = 1000
"""The descriptor through which the filter's listener leaves a sandbox: above every program's limit."""
UNIX = 1
STREAM, PACKETS = ((kind, kind | 0x800, kind | 0x80000, kind | 0x80800) for kind in (1, 5))
"""Types of socket pairs, with flags. Rust's library starts each program with a pair for packets."""

Instruction = tuple[int, int, int, int]


def is_supported() -> bool:
    """Return whether there is a filter for this machine's architecture."""
    return platform.machine() in COLUMN


@functools.cache
def read_calls(machine: str) -> dict[str, tuple[int, str, str]]:
    """Return every call of an architecture by name: number, action, and the error if the call is refused."""
    found = {}
    text = Path(__file__).with_name("calls.txt").read_text(encoding="ascii")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            words = line.split()
            if words[COLUMN[machine]] != "-":
                found[words[0]] = (int(words[COLUMN[machine]]), words[3], words[4] if len(words) > 4 else "")
    return found


def notified_calls(machine: str = "") -> dict[str, str]:
    """Return the calls that are passed to the supervisor: number (as text) and name."""
    table = read_calls(machine or platform.machine())
    return {str(number): name for name, (number, verdict, _) in table.items() if verdict in ("ask", "end")}


def exec_calls() -> list[int]:
    """Return the numbers of the calls by which a process executes another program."""
    return [number for number, verdict, _ in read_calls(platform.machine()).values() if verdict == "ask"]


def build_filter(*, processes: bool, files: bool = False, writable: bool = False, machine: str = "") -> bytes:
    """Return the filter for this machine, or for `machine`. Raises KeyError for a machine not in `calls.txt`."""
    machine = machine or platform.machine()
    table = read_calls(machine)
    granted = {"processes": processes, "files": files or writable, "build": writable}
    allowed = {"allow", *(verdict for verdict, is_granted in granted.items() if is_granted)}
    answers = {number: _action_of(verdict, error, allowed) for number, verdict, error in table.values()}
    code: list[Instruction] = [
        (LOAD, 0, 0, ARCH),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        _return(KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    for name, rule in _argument_rules(processes, writable, O_DIRECT[machine]).items():
        if name in table:
            code += [(JUMP_EQUAL, 0, len(rule), table[name][0]), *rule]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in [*code, *_ranges(answers)])


def _action_of(verdict: str, error: str, allowed: Collection[str]) -> int:
    if verdict == "pretend":
        return PRETEND
    if verdict in ("ask", "end"):
        return ASK
    if verdict in allowed:
        return ALLOW
    return _error(error) if error else PRETEND


def _ranges(answers: dict[int, int]) -> list[Instruction]:
    """Return a binary search for the range of calls with the same action, followed by the actions.

    A binary search keeps starts fast: at each start the kernel runs a new filter for every call number.
    """
    unnamed = REFUSE | errno.ENOSYS
    named = [answers.get(number, unnamed) for number in range(max(answers) + 1)] + [unnamed]
    rows = [at for at, answer in enumerate(named) if at == 0 or named[at - 1] != answer]
    distinct = sorted(set(named))
    search = _search(rows, [distinct.index(named[first]) for first in rows], 0)
    return [*search, *(_return(answer) for answer in distinct)]


def _search(rows: list[int], answers: list[int], after: int) -> list[Instruction]:
    """Return jumps to the action of one of these rows; `after` instructions separate search and actions."""
    if len(rows) == 1:
        return []
    half = len(rows) // 2
    upper = _search(rows[half:], answers[half:], after)
    lower = _search(rows[:half], answers[:half], after + len(upper))
    to_upper = len(lower) if upper else len(lower) + after + answers[half]
    to_lower = 0 if lower else len(upper) + after + answers[0]
    return [(JUMP_FROM, to_upper, to_lower, rows[half]), *lower, *upper]


def _argument_rules(processes: bool, writable: bool, direct: int) -> dict[str, list[Instruction]]:
    """Return the instructions for calls that are allowed with `some` arguments."""
    uncached = (JUMP_SET, 0, 1, direct), _return(_error("EINVAL")), _return(ALLOW)
    no_lock = [part for value in LOCKS for part in ((JUMP_EQUAL, 0, 1, value), _return(_error("ENOLCK")))]
    mapped = (JUMP_SET, 0, 3, MAP_ANONYMOUS), (JUMP_SET, 0, 2, MAP_SHARED), _return(_error("EPERM")), _return(ALLOW)
    return {
        "clone": _clone(processes),
        # A bot may ask to be killed with its parent, which it is anyway, but not to outlive it.
        "prctl": [
            _load_argument(0),
            (JUMP_EQUAL, 0, 4, PR_SET_PDEATHSIG),
            _load_argument(1),
            (JUMP_EQUAL, 1, 0, SIGKILL),
            _return(_error("EPERM")),
            _return(ALLOW),
            *_allow_if_one_of(PRCTL, "EINVAL"),
        ],
        "ioctl": [_load_argument(1), *_allow_if_one_of(IOCTL, "ENOTTY")],
        "fcntl": [
            _load_argument(1),
            *([] if writable else no_lock),
            (JUMP_EQUAL, 0, 4, F_SETFL),
            _load_argument(2),
            *uncached,
            *_allow_if_one_of((*FCNTL, *(LOCKS if writable else ())), "EPERM"),
        ],
        "open": [_load_argument(1), *uncached],
        "openat": [_load_argument(2), *uncached],
        # A bot has written nothing that could be flushed, but the kernel would flush the whole disk.
        "msync": [_load_argument(2), (JUMP_SET, 0, 1, 0 if writable else MS_SYNC), _return(PRETEND), _return(ALLOW)],
        # Anonymous shared memory could be filled, unmapped and mapped again, where koth does not count it. The
        # kernel's memory limit counts neither stack-like mappings nor huge pages.
        "mmap": [
            _load_argument(3),
            (JUMP_SET, 0, 1, MAP_HUGETLB | MAP_GROWSDOWN),
            _return(_error("ENOMEM")),
            *mapped,
            _return(ALLOW),
        ],
        "madvise": [_load_argument(2), *_allow_if_one_of(MADVISE, "EINVAL")],
        "socketpair": [
            _load_argument(0),
            (JUMP_EQUAL, 1, 0, UNIX),
            _return(_error("EPERM")),
            _load_argument(1),
            *_allow_if_one_of((*STREAM, *(PACKETS if processes else ())), "EPERM"),
        ],
        # A descriptor in transit through a socket keeps a file open that no limit and no count includes.
        "sendmsg": [
            _load_argument(0),
            (JUMP_FROM, 1, 0, SENDER),
            _return(_error("EPERM")),
            _return(ALLOW),
        ],
        "sendto": [*_refuse_unless_zero(4), *_refuse_unless_zero(4, upper=True), _return(ALLOW)],
        "preadv2": [_load_argument(5), *_allow_if_one_of((0,), "EOPNOTSUPP")],
        "pwritev2": [_load_argument(5), *_allow_if_one_of((0,), "EOPNOTSUPP")],
        # With a lower limit of core dumps, a bot's crash could start a program of the host (see `policy.NO_CORE`).
        "setrlimit": [_load_argument(0), (JUMP_EQUAL, 0, 1, RLIMIT_CORE), _return(PRETEND), _return(ALLOW)],
        "prlimit64": [
            *_refuse_unless_zero(0),
            _load_argument(1),
            (JUMP_EQUAL, 0, 5, RLIMIT_CORE),
            _load_argument(2),  # the new limit, if any
            (JUMP_EQUAL, 0, 2, 0),
            _load_argument(2, upper=True),
            (JUMP_EQUAL, 1, 0, 0),
            _return(PRETEND),
            _return(ALLOW),
        ],
    }


def _clone(processes: bool) -> list[Instruction]:
    refused = [(JUMP_SET, 0, 1, CLONE_NEW | CLONE_PARENT), _return(_error("EPERM"))]
    if not processes:
        refused += [(JUMP_SET, 1, 0, CLONE_THREAD), _return(_error("EPERM"))]
    return [_load_argument(0), *refused, _return(ALLOW)]


def _allow_if_one_of(values: tuple[int, ...], error: str) -> list[Instruction]:
    tests = [(JUMP_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [*tests, _return(_error(error)), _return(ALLOW)]


def _refuse_unless_zero(index: int, *, upper: bool = False) -> list[Instruction]:
    return [_load_argument(index, upper=upper), (JUMP_EQUAL, 1, 0, 0), _return(_error("EPERM"))]


def _load_argument(index: int, *, upper: bool = False) -> Instruction:
    """Return the instruction that loads one half of an argument; of most, the kernel uses only the lower half."""
    return (LOAD, 0, 0, ARGUMENTS + 8 * index + 4 * upper)


def _error(name: str) -> int:
    return REFUSE | int(getattr(errno, name))


def _return(answer: int) -> Instruction:
    return (RETURN, 0, 0, answer)
