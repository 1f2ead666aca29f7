"""The last steps of a process before it executes a program: limits, privileges, filter, exec.

A supervisor's child runs the steps; this module imports only the standard library and the modules of supervisors.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import struct
import sys

from koth.sandbox import system
from koth.sandbox.start_request import ShownPaths, StartRequest
from koth.sandbox.users import OWN

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ABSTRACT_SOCKETS = 1
"""The scope of Landlock for abstract sockets."""
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
EVERYTHING = (1 << 16) - 1
READING = EXECUTE | READ_FILE | READ_DIR
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15
OLDEST_LANDLOCK = 6
"""The oldest version of Landlock that confines signals and abstract sockets."""
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
"""Readable device files. Not /dev/zero: mapping it makes shared memory that no limit counts."""
CAP_DAC_READ_SEARCH = 2
STACK_SIZE = 8 << 20
"""The size of a program's main stack in bytes; other threads get the same unless the program sets another."""


def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if the kernel has none."""
    return max(0, int(system.libc.syscall(CREATE_RULESET, None, 0, 1))) if system.libc is not None else 0


def restrict_paths(paths: ShownPaths) -> None:
    """Restrict this process to these paths, without any network. Raises OSError."""
    attributes = struct.pack("=QQQ", EVERYTHING, 3, 3)
    ruleset = system.call("syscall", CREATE_RULESET, attributes, len(attributes), 0)
    for path in paths.reads:
        _allow(ruleset, path, READING)
    for path in paths.lists:
        _allow(ruleset, path, READ_DIR)
    for path in paths.writes:
        _allow(ruleset, path, EVERYTHING)
    for path in DEVICES:
        _allow(ruleset, path, READ_FILE | WRITE_FILE | 1 << 15)
    _allow(ruleset, f"/proc/{os.getpid()}", READING)  # not writing: a bot could lower its own priority
    system.call("syscall", RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def restrict_abstract_sockets() -> None:
    """Keep this process from abstract sockets of processes outside, which no mount hides. Raises OSError.

    Landlock supports this from Linux 6.12 on; before, nothing happens.
    """
    if landlock_version() >= OLDEST_LANDLOCK:
        attributes = struct.pack("=QQQ", 0, 0, ABSTRACT_SOCKETS)
        ruleset = system.call("syscall", CREATE_RULESET, attributes, len(attributes), 0)
        system.call("syscall", RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        access &= ON_FILES
    system.call("syscall", ADD_RULE, ruleset, 1, struct.pack("=Qi", access, fd), 0)
    os.close(fd)


def drop_privileges(user: int, *, reads_all: bool) -> None:
    """Drop all of root's capabilities, and change to `user` if it is not 0. Raises OSError.

    With `reads_all` the process keeps the capability to read other users' files.
    """
    left = CAP_DAC_READ_SEARCH if reads_all else None
    os.setgroups([])
    system.drop_bounding_set(left)
    if user:
        if reads_all:
            system.prctl(system.PR_SET_SECUREBITS, system.NO_SETUID_FIXUP)
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    system.set_capabilities(left)


def set_limits(rlimits: dict[str, int]) -> None:
    """Set resource limits; a limit is never raised."""
    for name, value in rlimits.items():
        which = getattr(resource, name, None)
        if which is not None:
            hard = resource.getrlimit(which)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            soft = min(value, STACK_SIZE) if name == "RLIMIT_STACK" else value
            resource.setrlimit(which, (soft, value))


def reset_signals() -> None:
    """Reset all signals, which Python has changed, and whoever started koth: handlers, ignored and blocked ones."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def confine(request: StartRequest, link: socket.socket) -> None:
    """Confine this process as requested, and send the supervisor the filter's listener. Raises OSError."""
    sender = _move_above_limit(link, request.filter.sender) if request.filter is not None else None
    set_limits(request.rlimits)
    if sys.platform != "linux" or request.level == "none":
        return
    if request.user is not None:
        drop_privileges(request.user, reads_all=request.reads_all)
        if request.user >= OWN:
            set_limits({"RLIMIT_NPROC": request.tasks})
    elif request.namespaces is not None:
        system.drop_bounding_set(None)
        system.set_capabilities(None)
    if request.forked is not None:
        system.prctl(system.PR_SET_DUMPABLE, 1)  # a program owns its files in /proc, as after exec
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if request.subreaper:
        system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    if (
        request.filter is None and request.namespaces is not None
    ):  # the filter would refuse all calls that use keys and sockets
        with contextlib.suppress(OSError):
            system.leave_keyring()
        restrict_abstract_sockets()
    if request.paths is not None:
        restrict_paths(request.paths)
    if request.filter is not None and sender is not None:
        listener = system.load_filter(bytes.fromhex(request.filter.program))
        socket.send_fds(sender, [b"f"], [listener])
        os.close(listener)
        sender.close()


def _move_above_limit(link: socket.socket, number: int) -> socket.socket:
    """Return the socket as a descriptor above the limit that this process will have. Raises OSError."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return socket.socket(fileno=os.dup2(link.fileno(), number, inheritable=False))


def copy_folder(source: str, to: str) -> None:
    """Copy a folder's files, so that their owner may write to them. Raises OSError."""
    for folder, _, files in os.walk(source):
        here = to + folder[len(source) :]
        os.mkdir(here)
        for name in files:
            path, new = os.path.join(folder, name), os.path.join(here, name)
            if not os.path.isfile(path):  # a link that leads nowhere
                continue
            mode = os.stat(path).st_mode & 0o777 | 0o600
            with (
                open(path, "rb") as file,
                open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as copy,
            ):
                while data := file.read(1 << 20):
                    copy.write(data)


def execute(argv: list[str], environment: dict[str, str]) -> OSError:
    """Execute the program; return the error if execution fails."""
    places = [""] if "/" in argv[0] else environment.get("PATH", os.defpath).split(":")
    problem = OSError(0, "")
    for place in places:
        try:
            os.execve(os.path.join(place, argv[0]), argv, environment)
        except OSError as error:
            problem = error
    return problem
