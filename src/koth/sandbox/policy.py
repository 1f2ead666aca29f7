"""The limits of a program that runs for koth."""

from __future__ import annotations

from dataclasses import dataclass, replace

from koth.sandbox.seccomp import SENDER

MEGABYTE = 1 << 20

TEMPORARY = ".koth-tmp"
"""The folder that a program sees as /tmp, in its own folder, if it may write there."""

TEMPORARY_BYTES, TEMPORARY_FILES = 16 * MEGABYTE, 1000
"""The bytes, and the number of files and folders, that a bot's own /tmp holds, if it has one."""

STACK = 64 * MEGABYTE
"""The largest main stack of a program in bytes: the kernel does not count it as memory."""

SIGNALS = 1024
"""The largest number of pending signals and timers: each takes kernel memory."""

FILES, MOST_FILES = 64, 128
"""The number of open files of a bot, and of one whose class path has many jars: each jar takes one.

The kernel's own memory for pipes, sockets and epoll's watches is not counted, and watches grow with the third power
of this limit: they take 10 MB with 64, 90 MB with 128."""

NO_CORE = 1
"""The largest core dump, in bytes. With a limit of 0 the kernel would still start the program to which its
`core_pattern` pipes dumps, as root, for each crash; 1 is the one limit at which it starts none, and too small for a
file.
"""


@dataclass(frozen=True)
class SandboxPolicy:
    """The limits of one bot, or of one step of a bot's build.

    `memory` is in bytes and holds for all its processes together, shared memory included; `tasks` counts threads and
    processes; `seconds` is the CPU time of each process, more than any honest match takes.
    """

    memory: int = 512 * MEGABYTE
    tasks: int = 64
    open_files: int = FILES
    seconds: int = 6 * 3600
    processes: bool = False
    """True if it may start other programs."""
    writable: bool = False
    """True if it may write to its own folder, /tmp included."""
    file_size: int = 0
    """The largest file that it may write, in bytes."""
    temporary: int = TEMPORARY_BYTES
    """Bytes of its own /tmp, at levels at which its sandbox has mounts; 0 for none."""

    def for_building(self) -> SandboxPolicy:
        """Return the policy for a step of a bot's build: it may start compilers and write to the bot's copy."""
        return replace(
            self,
            memory=max(self.memory, 2048 * MEGABYTE),
            tasks=256,
            open_files=SENDER,
            seconds=600,
            processes=True,
            writable=True,
            file_size=256 * MEGABYTE,
            temporary=0,
        )

    def rlimits(self) -> dict[str, int]:
        """Return the resource limits of each process by their names in `resource`, except the number of tasks."""
        return {
            "RLIMIT_DATA": self.memory,
            "RLIMIT_STACK": STACK,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_FSIZE": self.file_size,
            "RLIMIT_CORE": NO_CORE,
            "RLIMIT_MEMLOCK": 0,
            "RLIMIT_MSGQUEUE": 0,
            "RLIMIT_CPU": self.seconds,
            "RLIMIT_SIGPENDING": SIGNALS,
        }


MEMORY = range(16, 4097)
"""The range of megabytes that a bot's manifest may request."""


def memory_problem(megabytes: int) -> str:
    """Return the error in the memory that a manifest asks for, as text; empty if there is none."""
    if megabytes in MEMORY:
        return ""
    return f"memory must be in {MEMORY.start}..{MEMORY.stop - 1} MB, not {megabytes}"


FOR_BOTS = SandboxPolicy()
"""The policy of a bot whose manifest requests nothing."""

FOR_BUILDING = FOR_BOTS.for_building()
"""The policy of compilers."""
