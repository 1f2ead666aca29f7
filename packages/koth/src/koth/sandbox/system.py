"""System calls of Linux that Python does not wrap.

Supervisors import this module: it imports only the standard library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
PR_SET_SECUREBITS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 28, 47, 2
NO_SETUID_FIXUP = 4
"""The securebit with which a process keeps its capabilities when its user changes."""
CAPABILITIES_3 = 0x20080522
LAST_CAPABILITY = 63

KEYCTL, JOIN_SESSION_KEYRING = {"x86_64": 250, "aarch64": 219}, 1
SECCOMP = {"x86_64": 317, "aarch64": 277}
SET_FILTER, NEW_LISTENER = 1, 8

USED = ("mount", "umount2", "setns", "unshare", "prctl", "capset", "syscall")
for _name in USED if libc is not None else ():
    getattr(libc, _name)  # looked up once for all supervisors


def call(name: str, *arguments: object) -> int:
    """Call a function of the C library. Raises OSError when it fails."""
    result = int(getattr(libc, name)(*arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def prctl(option: int, *arguments: int) -> None:
    """Change an attribute of this thread. Raises OSError."""
    call("prctl", option, *(ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]))


def enter_namespaces(process: int, kinds: int) -> None:
    """Enter namespaces of the process with this descriptor. Raises OSError."""
    call("setns", process, kinds)


def drop_bounding_set(capability: int | None) -> None:
    """Remove all capabilities but `capability` from the bounding set, for programs started later. Raises OSError."""
    for number in range(LAST_CAPABILITY + 1):
        if number != capability:
            assert libc is not None
            if libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) < 0 and ctypes.get_errno() == errno.EINVAL:
                return  # this kernel has no more of them


def set_capabilities(capability: int | None) -> None:
    """Drop all capabilities but `capability`, which programs started later keep. Raises OSError."""
    kept = 0 if capability is None else 1 << capability
    head = struct.pack("=Ii", CAPABILITIES_3, 0)
    low, high = kept & 0xFFFFFFFF, kept >> 32
    call("capset", head, struct.pack("=6I", low, low, low, high, high, high))
    if capability is not None:
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)


def leave_keyring() -> None:
    """Give this process a session keyring of its own: the inherited keyring has keys of the host.

    Raises OSError, also if a kernel or a container has no keyrings: then programs have no keyring either.
    """
    call("syscall", KEYCTL[os.uname().machine], JOIN_SESSION_KEYRING, None)


def load_filter(program: bytes) -> int:
    """Load a filter for all further system calls; return the descriptor of its listener. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    return call("syscall", SECCOMP[os.uname().machine], SET_FILTER, NEW_LISTENER, head)
