"""The limits of a program that runs for koth."""

from __future__ import annotations

from dataclasses import dataclass, replace

from koth.sandbox.seccomp import SENDER

MEGABYTE = 1 << 20

TEMPORARY = ".koth-tmp"
"""A folder in the folder of a program that may write there: what the program knows as /tmp."""

STACK = 64 * MEGABYTE
"""What a program may let its first stack grow to: the kernel does not count it as memory."""

SIGNALS = 1024
"""Signals that may wait, and timers: each takes memory of the system's."""


@dataclass(frozen=True)
class Policy:
    """The limits of one bot, or of one line of a bot's build.

    `memory` is in bytes and holds for all its processes together, shared memory included; `tasks` counts
    threads and processes; `seconds` is each process's CPU time, more than any honest match takes.
    """

    memory: int = 512 * MEGABYTE
    tasks: int = 64
    open_files: int = 256
    seconds: int = 6 * 3600
    processes: bool = False
    """Whether it may start other programs."""
    writable: bool = False
    """Whether it may write to its own folder, /tmp included."""
    file_size: int = 0
    """The largest file that it may write, in bytes."""

    def for_building(self) -> Policy:
        """Return the policy for a line of a bot's build: it may start compilers and write to the bot's copy."""
        return replace(
            self,
            memory=max(self.memory, 2048 * MEGABYTE),
            tasks=256,
            open_files=SENDER,
            seconds=600,
            processes=True,
            writable=True,
            file_size=256 * MEGABYTE,
        )

    def rlimits(self) -> dict[str, int]:
        """Return the resource limits of each process by their names in `resource`, but for the number of tasks."""
        return {
            "RLIMIT_DATA": self.memory,
            "RLIMIT_STACK": STACK,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_FSIZE": self.file_size,
            "RLIMIT_CORE": 0,
            "RLIMIT_MEMLOCK": 0,
            "RLIMIT_MSGQUEUE": 0,
            "RLIMIT_CPU": self.seconds,
            "RLIMIT_SIGPENDING": SIGNALS,
        }


MEMORY = range(16, 4097)
"""Megabytes that a bot's manifest may ask for."""


def memory_problem(megabytes: int) -> str:
    """Return what is wrong with the memory that a manifest asks for, in words; empty if nothing."""
    if megabytes in MEMORY:
        return ""
    return f"memory must be in {MEMORY.start}..{MEMORY.stop - 1} MB, not {megabytes}"


FOR_BOTS = Policy()
"""What a bot may do that asks for nothing."""

FOR_BUILDING = FOR_BOTS.for_building()
"""What compilers may do."""
