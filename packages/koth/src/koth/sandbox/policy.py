"""The limits of a program that runs for koth."""

from __future__ import annotations

from dataclasses import dataclass, replace

from koth.sandbox.seccomp import SENDER

MEGABYTE = 1 << 20

TEMPORARY = ".koth-tmp"
"""The folder, in a program's own folder, that a program with write access sees as /tmp."""

TEMPORARY_BYTES, TEMPORARY_FILES = 16 * MEGABYTE, 1000
"""The size in bytes of a bot's own /tmp, and the largest number of files and folders in it."""

STACK = 64 * MEGABYTE
"""The largest main stack of a program in bytes: the kernel does not count the stack as memory."""

SIGNALS = 1024
"""The largest number of pending signals and timers, which take kernel memory."""

FILES, MOST_FILES = 64, 128
"""The largest number of open files of a bot, and of a bot whose class path has many jars: a jar takes a file.

The kernel's own memory for pipes, sockets and epoll's watches is not counted, and watches grow with the third power
of this limit: watches take 10 MB at 64 files, 90 MB at 128."""

NO_CORE = 1
"""The largest core dump, in bytes. With a limit of 0 the kernel would still start the program to which its
`core_pattern` pipes dumps, as root, for each crash; at a limit of 1 the kernel starts no program and writes no file.
"""


@dataclass(frozen=True)
class SandboxPolicy:
    """The limits of one bot, or of one step of a bot's build.

    `memory` is in bytes, for all processes of the program together, shared memory included; `tasks` counts threads
    and processes; `seconds` is the CPU time of each process, more than any honest match takes.
    """

    memory: int = 512 * MEGABYTE
    tasks: int = 64
    open_files: int = FILES
    seconds: int = 6 * 3600
    processes: bool = False
    """True if the program may start other programs."""
    writable: bool = False
    """True if the program may write to its own folder, /tmp included."""
    own_copy: bool = False
    """True if the program runs in a copy of its folder in its own /tmp, where it may write."""
    file_size: int = 0
    """The largest file that the program may write, in bytes."""
    temporary: int = TEMPORARY_BYTES
    """Bytes of the program's own /tmp, at levels at which sandboxes have mounts; 0 for none."""

    def for_building(self) -> SandboxPolicy:
        """Return the policy for a step of a bot's build, which may start compilers and write to the bot's copy."""
        return replace(
            self,
            memory=max(self.memory, 2048 * MEGABYTE),
            tasks=256,
            open_files=SENDER,
            seconds=600,
            processes=True,
            writable=True,
            own_copy=False,
            file_size=256 * MEGABYTE,
            temporary=0,
        )

    def rlimits(self) -> dict[str, int]:
        """Return the resource limits of each process by name, as in `resource`, except the number of tasks."""
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
    """Return an error message for the memory that a manifest requests; empty if the memory is in range."""
    if megabytes in MEMORY:
        return ""
    return f"`memory` must be in {MEMORY.start}..{MEMORY.stop - 1} MB, not {megabytes}"


FOR_BOTS = SandboxPolicy()
"""The policy of a bot whose manifest requests nothing."""

FOR_BUILDING = FOR_BOTS.for_building()
"""The policy of compilers."""
