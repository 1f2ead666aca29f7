"""The last steps before a program of the levels `partial` and `limits` begins: it limits itself, then becomes it.

    python -I -S enter.py ORDERS PROGRAM [ARGUMENT]...

ORDERS is JSON: `rlimits` by name, `reads`, `lists` and `writes` (paths; with them Landlock is asked for), `filter` (a
system call filter in hexadecimal), `user` (become this user), `status` (a descriptor for `{"exit-code": 0}`, written
when all is done). It imports nothing of koth.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys

TYPE_CHECKING = False  # the module `typing` takes half as long to import as Python takes to start
if TYPE_CHECKING:
    from typing import Any

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 22, 24, 38
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
EVERYTHING = (1 << 16) - 1
READING = EXECUTE | READ_FILE | READ_DIR
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15
OLDEST = 6
"""The version of Landlock from which on signals and abstract sockets are kept in."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def landlock_version(libc: Any) -> int:
    """The kernel's version of Landlock; 0 without it."""
    return max(0, int(libc.syscall(CREATE_RULESET, None, 0, 1)))


def lock(libc: Any, reads: list[str], lists: list[str], writes: list[str]) -> None:
    """Leave this process the use of these paths and of nothing else, nor of any network. Raises OSError."""
    attributes = struct.pack("=QQQ", EVERYTHING, 3, 3)
    ruleset = _checked(libc.syscall(CREATE_RULESET, attributes, len(attributes), 0))
    for path in reads:
        _allow(libc, ruleset, path, READING)
    for path in lists:
        _allow(libc, ruleset, path, READ_DIR)
    for path in writes:
        _allow(libc, ruleset, path, EVERYTHING)
    for path in DEVICES:
        _allow(libc, ruleset, path, READ_FILE | WRITE_FILE | 1 << 15)
    _allow(libc, ruleset, f"/proc/{os.getpid()}", READING | WRITE_FILE)
    _checked(libc.syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(libc: Any, ruleset: int, path: str, access: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        access &= ON_FILES
    _checked(libc.syscall(ADD_RULE, ruleset, 1, struct.pack("=Qi", access, fd), 0))
    os.close(fd)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def load_filter(libc: Any, program: bytes) -> None:
    """Have the kernel filter all further system calls. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _checked(libc.prctl(PR_SET_SECCOMP, 2, head, 0, 0))


def become(libc: Any, user: int) -> None:
    """Give up all that root may do; and to be root, for a user's number that is not 0."""
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.setgroups([])
    if user:
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


def limit(resource: Any, rlimits: dict[str, int]) -> None:
    """Set limits; a limit is never raised."""
    for name, value in rlimits.items():
        which = getattr(resource, name, None)
        if which is not None:
            hard = resource.getrlimit(which)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(which, (value, value))


def main() -> None:
    orders = json.loads(sys.argv[1])
    argv = sys.argv[2:]
    try:
        import resource

        if sys.platform == "linux":
            libc = ctypes.CDLL(None, use_errno=True)
            if "user" in orders:
                become(libc, orders["user"])
            libc.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)
            _checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
            if "reads" in orders:
                lock(libc, orders["reads"], orders["lists"], orders["writes"])
            if "filter" in orders:
                load_filter(libc, bytes.fromhex(orders["filter"]))
        limit(resource, orders["rlimits"])
    except (ImportError, OSError, ValueError) as error:
        os.write(orders["status"], json.dumps({"failed": str(error)}).encode())
        sys.exit(125)
    os.write(orders["status"], b'{"exit-code": 0}')
    os.close(orders["status"])
    try:
        os.execv(argv[0], argv)
    except OSError as error:
        sys.stderr.write(f"{argv[0]} could not be started: {error.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main()
