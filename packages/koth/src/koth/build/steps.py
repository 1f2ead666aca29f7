"""Build steps: a bot's build and compilers, run in a sandbox like the bot's own.

Compilers can run code of their sources, so compilers have the same limits as other build steps: a step may start
programs and write to a copy of the bot, without a network, for a limited time.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from koth.files.folders import CopyError, remove
from koth.sandbox.command import Overloaded, describe_exit
from koth.sandbox.copies import change_owner, folder_size, normalize
from koth.sandbox.environment import environment_of
from koth.sandbox.failures import ArenaError, check_shortage
from koth.sandbox.isolation import Isolation, SandboxError
from koth.sandbox.mounts import BOT
from koth.sandbox.policy import FOR_BUILDING, MEGABYTE, TEMPORARY, SandboxPolicy
from koth.sandbox.supervised_process import END_TIMEOUT, SupervisedProcess
from koth.sandbox.unnamed import UnnamedFiles
from koth.sandbox.usage import Usage
from koth.sandbox.users import ONE
from koth.session.cpu_clock import CpuClock, Stopwatch

SECONDS = 300.0
"""Seconds for all build steps of a bot together, except seconds in which other processes held the cores."""
OUTPUT = 1 << 22
"""The most bytes that are kept of a step's output, and of the output of all steps of a build."""
BYTES = 1 << 30
"""The largest size of a folder after a build, in bytes."""
MEASURE_EVERY = 0.2
"""Seconds between two measurements of usage."""


@dataclass(frozen=True)
class BuildResult:
    """The result of a build step: the problem (empty if there is none), the output, and the seconds it took."""

    problem: str
    output: bytes
    seconds: float = 0.0


def run_build_step(
    argv: Sequence[str],
    folder: Path,
    isolation: Isolation,
    policy: SandboxPolicy = FOR_BUILDING,
    environment: Mapping[str, str] | None = None,
    reads: Sequence[Path] = (),
    seconds: float | None = None,
) -> BuildResult:
    """Run a program on a copy of a bot, until all its processes have ended.

    The program runs in `folder`; `reads` lists paths outside that the program needs; `seconds` limits the time (None:
    all the time of a build): wall time less time kept waiting for a core (`Stopwatch`). The folder's files
    get koth's owner and modes; links that lead outside are removed. Raises SandboxError, ArenaError if this machine
    fails, and Overloaded if other processes took the cores for too long.
    """
    try:
        own = _make_temporary(folder, isolation, policy)
        if isolation.is_at_least("strong") and os.getuid() == 0 and policy.writable:
            change_owner(folder, ONE)
    except OSError as error:  # the bot can't be the cause: none of its code has run
        raise ArenaError(f"{error.filename or folder}: {error.strerror}") from None
    variables = {**environment_of(argv[0]), **own, **(environment or {})}
    pipe, same = subprocess.PIPE, subprocess.STDOUT
    step: _RunningStep | None = None
    try:
        child = isolation.start(argv, folder, variables, policy, reads, stdout=pipe, stderr=same)
        step = _RunningStep(child, folder, isolation, policy)
        done = step.run_to_end(SECONDS if seconds is None else seconds)
        if policy.writable:
            remove(folder / TEMPORARY)
            normalize(folder)
        return done
    except CopyError as error:
        problem = str(error)
    except OSError as error:
        check_shortage(error)
        problem = error.strerror or str(error)
    except ValueError as error:  # the command has a null byte
        problem = str(error)
    return BuildResult(problem, b"", step.seconds if step is not None else 0.0)


def _make_temporary(folder: Path, isolation: Isolation, policy: SandboxPolicy) -> dict[str, str]:
    """Make the folder for temporary files, and return the environment variables that name it.

    The folder is in the copy, so that its size counts. Files that an earlier program has put at its path are removed.
    """
    if not policy.writable:
        return {}
    remove(folder / TEMPORARY)
    (folder / TEMPORARY).mkdir()
    temporary = str(folder / TEMPORARY)
    return {} if isolation.is_at_least("strong") else {"TMPDIR": temporary, "HOME": temporary}


class _RunningStep:
    """The running program of a build step, with the measurement of its usage.

    Raises ArenaError, after ending the program, if the program's cgroup can't be read.
    """

    def __init__(self, child: SupervisedProcess, folder: Path, isolation: Isolation, policy: SandboxPolicy) -> None:
        self.child, self.folder, self.isolation, self.policy = child, folder, isolation, policy
        try:
            self.clock = CpuClock.of_child(child)
        except OSError as error:
            child.close()
            raise ArenaError(f"the cgroup of a build could not be read: {error}") from None
        self.seconds = 0.0
        """The time that the step has taken, less the time kept waiting for a core."""
        inside = (BOT, "/tmp") if isolation.is_at_least("strong") else (os.path.realpath(folder),)
        self.unnamed = UnnamedFiles(child, [f"{place}/" for place in inside], policy.file_size)

    def run_to_end(self, seconds: float) -> BuildResult:
        """Wait for the end of all processes. Raises SandboxError."""
        child, output = self.child, bytearray()
        assert child.stdout is not None
        try:
            problem = self._wait(child.stdout, output, seconds)
            if child.sandbox_failed():
                words = output.decode(errors="replace").strip()[-500:]
                raise SandboxError(f"no sandbox of level {self.isolation.level} could be made:\n{words}")
        finally:
            try:
                child.end()  # with all descendants, so that none can interfere with koth's next steps
            except subprocess.TimeoutExpired:
                raise SandboxError(f"the processes of a build did not end within {END_TIMEOUT:g} s") from None
            finally:
                self.clock.close()
                child.close()
        if call := child.forbidden_call():
            problem = f"made the system call {call}, which no build may make"
        problem = problem or (describe_exit(child.returncode) if child.returncode else "")
        return BuildResult(problem, bytes(output), self.seconds)

    def _wait(self, stdout: FileIO, output: bytearray, seconds: float) -> str:
        """Wait for the program's end and keep the output; return the reason if the program had to be ended."""
        os.set_blocking(stdout.fileno(), False)
        self.child.wait_for_start()
        stopwatch, measured = Stopwatch(self.clock), 0.0
        with selectors.PollSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while True:
                ended = self.child.poll() is not None
                ready = selector.select(0 if ended else 0.05)
                data = os.read(stdout.fileno(), 1 << 16) if ready else b""
                output += data[: OUTPUT - len(output)]
                if ended and data:
                    continue
                is_over = not ended and stopwatch.is_over(seconds)
                if ended or is_over or stopwatch.wall > measured + MEASURE_EVERY:
                    measured, self.seconds = stopwatch.wall, stopwatch.seconds
                    if is_over and stopwatch.is_overloaded:
                        raise Overloaded(stopwatch.describe_wait(), 0, turn=None)
                    problem = f"not done after {seconds:.3g} s" if is_over else self._find_excess()
                    if ended or problem:
                        return problem
                if ready and not data:
                    time.sleep(0.01)  # the program has closed its output and runs on

    def _find_excess(self) -> str:
        ended = self.isolation.level == "none" or self.child.poll() is not None
        if self.policy.writable:
            try:
                named = folder_size(self.folder, BYTES)
                if named > BYTES:
                    return f"more than {BYTES // MEGABYTE} MB in the bot's folder"
                if not ended and named + self.unnamed.size() > BYTES:
                    return f"more than {BYTES // MEGABYTE} MB in the bot's folder and in open deleted files"
            except CopyError as error:
                return str(error)
        if ended:
            return ""
        with contextlib.closing(Usage(self.child, self.policy, has_family=True)) as usage:
            return usage.find_excess()
