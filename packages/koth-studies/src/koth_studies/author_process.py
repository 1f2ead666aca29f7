"""The process of an author's command: started with or without isolation, watched, and ended at a limit.

With isolation a command runs in a `koth_studies.workspace`; without isolation it can access other authors and the
host. All processes that a command has started end with the command, or with koth.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Literal

from koth.compile.code_cache import code_folder
from koth.errors import KothError, visible
from koth.files.folders import CopyError, FolderLimits, walk
from koth.sandbox.command import describe_exit
from koth.sandbox.copies import DEPTH
from koth.sandbox.environment import PYTHON
from koth.sandbox.isolation import PLAIN, SandboxError
from koth.sandbox.policy import FOR_BOTS
from koth.sandbox.supervised_process import SupervisedProcess
from koth.session.cpu_clock import NANO, CpuClock, Stopwatch
from koth_studies import turn_limits, workspace
from koth_studies.turn_limits import AuthorCommand, TurnLimits, TurnPlace
from koth_studies.usage_report import read_usage
from koth_studies.workspace import Workspace

LOOK_SECONDS = 0.2
"""Seconds between checks of a command's limits."""
NOTE_SECONDS = 1.0
"""Seconds between notes of a command's costs, which a koth that is killed leaves behind."""
PIECE_BYTES = 1 << 16
"""The number of bytes to read from a command's output at a time."""
QUOTED_CHARACTERS = 200
"""The most characters of a log's last line that a problem quotes."""
LEAST_PAUSE, PAUSE_FACTOR = 1.0, 20
"""The least seconds between two measurements of a folder, and the least pause in durations of a measurement."""
FIND = 'command -v "$0"'
HOST_VARIABLES = ("HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR")
"""The host's variables that a command without isolation also gets, if set."""

Kind = Literal["done", "failed", "spent", "excessive"]


@dataclass(frozen=True)
class CommandEnd:
    """The end of a command: the problem ("" for none), the kind of problem, and the CPU time.

    `failed`: the command ended with an error; `spent`: time or a reported quantity reached a limit; `excessive`: the
    command printed or wrote too much.
    """

    problem: str = ""
    kind: Kind = "done"
    cpu_seconds: float = 0.0


def check_command(author: AuthorCommand, limits: TurnLimits, hidden: Path) -> None:
    """Try an author's isolation, and find the program. Raises KothError, SandboxError and OSError."""
    program = workspace.first_program(author.command)
    if limits.author_isolation == "namespaces":
        workspace.probe_workspace(_make_workspace(author, limits, hidden), hidden, program)
    elif subprocess.run(
        ["/bin/sh", "-c", FIND, program], env={"PATH": _host_path()}, stdout=subprocess.DEVNULL
    ).returncode:
        raise KothError(f"{program}: there is no such program")


def _host_path() -> str:
    return f"{os.path.dirname(PYTHON)}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def environment_of_author(author: AuthorCommand) -> dict[str, str]:
    """Return the environment variables listed for an author. Raises KothError for a variable that is not set."""
    for name in author.variables:
        if name not in os.environ:
            raise KothError(f"the environment variable {visible(name)}, which an author gets, is not set here")
    return {name: os.environ[name] for name in author.variables}


def run_command(
    author: AuthorCommand, limits: TurnLimits, place: TurnPlace, is_ended: Event, note: Callable[[float], None]
) -> CommandEnd:
    """Run an author's command in the author's folder; append output to a log. Raises OSError and KothError.

    `note` gets the seconds of CPU time so far, every `NOTE_SECONDS`.
    """
    given = measure_folder(place.folder)
    if limits.author_isolation == "namespaces":  # the compiled rules will be there, too
        files, size = measure_folder(code_folder())
        given = given[0] + files, given[1] + size
    child = _start_command(author, limits, place)
    try:
        with open(place.log, "ab", buffering=0) as file:
            process = AuthorProcess(child, limits, place.folder, given)
            try:
                problem, kind = process.attend(file.fileno(), is_ended, note)
            finally:
                child.end()
                process.log_output(file.fileno(), 0.0)
                cpu_seconds = process.cpu_seconds()
                process.close()
    finally:
        child.close()
    if child.sandbox_failed():
        raise SandboxError(f"the isolation of an author could not be made; {place.log} says why")
    if kind == "done" and child.returncode:
        problem, kind = f"its command failed: {describe_exit(child.returncode)}{_last_line(place.log)}", "failed"
    return CommandEnd(problem, kind, cpu_seconds)


def _last_line(log: Path) -> str:
    """Return a colon and a log's last line, shortened; "" for an empty log."""
    with log.open("rb") as file:
        file.seek(-min(PIECE_BYTES, log.stat().st_size), os.SEEK_END)
        lines = file.read().decode(errors="replace").rstrip().splitlines()
    return f": {visible(lines[-1])[:QUOTED_CHARACTERS]}" if lines else ""


def _start_command(author: AuthorCommand, limits: TurnLimits, place: TurnPlace) -> SupervisedProcess:
    argv = ["/bin/sh", "-c", author.command]
    own = {**place.variables, **environment_of_author(author)}
    if limits.author_isolation == "none":
        host = {name: os.environ[name] for name in HOST_VARIABLES if name in os.environ}
        variables = {"LANG": "C.UTF-8", "PATH": _host_path(), **host, **own}
        pipe, same = subprocess.PIPE, subprocess.STDOUT
        return PLAIN.start(argv, place.folder, variables, FOR_BOTS, charged=True, stdout=pipe, stderr=same)
    space = _make_workspace(author, limits, place.hidden)
    variables = {"LANG": "C.UTF-8", "PATH": space.path(_host_path()), "HOME": "/tmp", "SHELL": "/bin/sh", **own}
    return space.start(argv, place.folder, variables, limits.folder.bytes)


def _make_workspace(author: AuthorCommand, limits: TurnLimits, hidden: Path) -> Workspace:
    return workspace.make_workspace(
        author.command, [Path(path) for path in author.reads], hidden, network=limits.network
    )


class AuthorProcess:
    """An author's running command, with limits.

    `given` are the numbers of files and bytes in the author's folder before the turn.
    """

    def __init__(self, child: SupervisedProcess, limits: TurnLimits, folder: Path, given: tuple[int, int]) -> None:
        self._child, self._limits, self._folder = child, limits, folder
        self._measured = self._noted = time.monotonic()
        self._clock = CpuClock.of_child(child)
        self._stopwatch = Stopwatch(self._clock)
        self._pause = LEAST_PAUSE
        self._room = turn_limits.LOG_MB << 20
        self._files, self._size = given
        assert child.stdout is not None
        self._output = child.stdout
        os.set_blocking(self._output.fileno(), False)
        self._selector = selectors.PollSelector()
        self._selector.register(self._output, selectors.EVENT_READ)

    def attend(self, log: int, is_ended: Event, note: Callable[[float], None]) -> tuple[str, Kind]:
        """Log the output until the command ends or reaches a limit; return the problem and its kind."""
        limits = self._limits
        self._room -= os.fstat(log).st_size
        while self._child.poll() is None and not is_ended.is_set():
            self.log_output(log, LOOK_SECONDS)
            if time.monotonic() - self._noted > NOTE_SECONDS:
                note(self.cpu_seconds())
                self._noted = time.monotonic()
            if self._room < 0:
                return f"its command printed more than {turn_limits.LOG_MB} MB", "excessive"
            if self._stopwatch.is_over(limits.timeout):
                return f"its command was not done after {limits.timeout:g} s", "spent"
            if limits.cpu_time is not None and self.cpu_seconds() > limits.cpu_time:
                return f"its command used more than {limits.cpu_time:g} s of CPU time", "spent"
            usage = read_usage(self._folder)[0] if limits.reported else {}
            for name, most in limits.reported.items():
                if usage.get(name, 0.0) > most:
                    return f"its command reported more than {most:g} {name}", "spent"
            if problem := self._excess():
                return problem, "excessive"
        return "", "done"

    def log_output(self, log: int, wait: float) -> None:
        """Wait for output, up to `wait` seconds, and write it to the log, within the log's limit."""
        if not self._selector.get_map():  # it has closed its output and runs on
            if wait:
                self._wait_for_end(wait)
            return
        if not self._selector.select(wait):
            return
        while self._room >= 0 and (piece := self._piece()):
            os.write(log, piece[: self._room])
            self._room -= len(piece)

    def _piece(self) -> bytes:
        try:
            piece = os.read(self._output.fileno(), PIECE_BYTES)
        except BlockingIOError:
            return b""
        if not piece:
            self._selector.unregister(self._output)
        return piece

    def _wait_for_end(self, seconds: float) -> None:
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return

    def cpu_seconds(self) -> float:
        """Return the CPU time of all the command's processes so far, in seconds."""
        return self._clock.read() / NANO

    def _excess(self) -> str:
        """Return the limit that the author's folder exceeds, as text, or ""; use at most a twentieth of the time.

        Files from before the turn do not count.
        """
        begin, most = time.monotonic(), self._limits.folder
        if begin - self._measured < self._pause:
            return ""
        try:
            files, size = measure_folder(self._folder)
        except (CopyError, OSError) as error:
            why = str(error) if isinstance(error, CopyError) else f"{error.filename}: {error.strerror}"
            return f"its folder can't be kept: {why.removeprefix(f'{self._folder}: ')}"
        self._measured = time.monotonic()
        self._pause = max(LEAST_PAUSE, PAUSE_FACTOR * (self._measured - begin))
        if files - self._files > most.files or size - self._size > most.bytes:
            return f"its folder can't be kept: {str(most.too_much(self._folder)).removeprefix(f'{self._folder}: ')}"
        return ""

    def close(self) -> None:
        """Close the selector and clock."""
        self._selector.close()
        self._clock.close()


def measure_folder(folder: Path) -> tuple[int, int]:
    """Return the number of files and folders in an author's folder, and their bytes; zeros if the folder is gone.

    A file counts with its length or its blocks, whichever is more. Raises OSError for a folder that can't be read,
    and CopyError if folders are nested too deep.
    """
    files = size = 0
    if os.path.lexists(folder):
        for entry in walk(folder, FolderLimits(sys.maxsize, sys.maxsize, DEPTH), skips_odd=True):
            files += 1
            size += max(entry.stat.st_size, entry.stat.st_blocks * 512)
    return files, size
