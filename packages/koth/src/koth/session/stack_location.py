"""The location of a silent or crashed program: a line of its author's code, parsed from its stderr.

koth's Python adapter prints the location on a signal (`koth.adapter.bot_adapter`), its JVM adapter when a question
takes too long. A bot can forge the location like all of its stderr, so only the bot's own author sees it.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import signal
from collections.abc import Sequence
from pathlib import Path

from koth.sandbox.mounts import BOT
from koth.sandbox.proc_status import read_status
from koth.sandbox.seccomp import is_supported, read_calls
from koth.sandbox.supervised_process import SupervisedProcess

SEARCHED_BYTES, SEARCHED_LINES = 1 << 14, 100
"""The most bytes and lines of stderr that are searched for an error."""
PYTHON = re.compile(rb'^  File "([^"\n]+)", line (\d{1,9}) in ([^\n]+)\n', re.MULTILINE)
TRACE_BEGIN = re.compile(rb"^(?:Stack|(?:Current t|T)hread [^\n]*) \(most recent call first\):\n", re.MULTILINE)
ADAPTERS_LINE = re.compile(rb"^no answer in time; the bot is at ([^\n]+)\n", re.MULTILINE)
"""The line that adapters print about a late bot if the adapter itself measures the time."""
LATE_TRACE = re.compile(ADAPTERS_LINE.pattern + rb"(?:\tat [^\n]+\n)*", re.MULTILINE)
"""The line that adapters print about a late bot, with the stack trace after the line."""


def request_location(process: SupervisedProcess) -> bool:
    """Send a program the signal to print its stack location, if the program catches the signal.

    The signal would kill a program that does not.
    """
    with contextlib.suppress(OSError, KeyError):
        caught = int(read_status(f"/proc/{process.program_pid()}")[b"SigCgt"], 16)
        if caught >> (signal.SIGUSR2 - 1) & 1:
            process.send_signal(signal.SIGUSR2)
            return True
    return False


def find_location(stderr: bytes, folder: Path) -> str:
    """Return the stack location that the bot printed last; empty if there is none."""
    asked = [found.end() for found in TRACE_BEGIN.finditer(stderr)]
    for frame in PYTHON.finditer(stderr, asked[-1]) if asked else ():
        file = _own_name(os.fsdecode(frame[1]), folder)
        if file:
            return f"{file}, line {int(frame[2])}, in {os.fsdecode(frame[3])}"
    printed = ADAPTERS_LINE.findall(stderr)
    words = printed[-1].decode("utf-8", "replace") if printed else ""
    return words.replace(f"{folder}/", "").replace(f"{BOT}/", "")


INPUT_CALLS = frozenset({"read", "readv", "poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait"})
"""System calls in which programs wait for input."""


def describe_activity(pid: int) -> str:
    """Return a description of a silent program's activity as seen from outside; empty if unknown."""
    try:
        tasks = [Path(task, "stat").read_bytes() for task in Path(f"/proc/{pid}/task").iterdir()]
        call = Path(f"/proc/{pid}/syscall").read_text(encoding="ascii").split()
    except OSError:
        return ""
    states = {stat.rpartition(b") ")[2][:1] for stat in tasks}
    if b"R" in states:
        return "the bot was computing"
    if states != {b"S"} or not call or not call[0].isdigit():
        return ""
    names = {number: name for name, (number, *_) in read_calls(platform.machine()).items()} if is_supported() else {}
    name = names.get(int(call[0]), call[0])
    if name in INPUT_CALLS:
        return "the bot was waiting for input: does it flush its output?"
    return f"the bot was waiting in the system call {name}"


ERROR = re.compile(r"(?:Uncaught )?[A-Za-z_][\w.]{0,100}(?::| \[|$)")
"""The beginning of a line with an exception."""
IN_PYTHON = re.compile(r'\s{0,8}File "([^"]{1,300})", line (\d+)')
IN_RUST = re.compile(r"thread '.{0,100}' (?:\(\d+\) )?panicked at (?:'(.*)', )?(.{1,300}?):(\d+):\d+:?$")
IN_GO = re.compile(r"\s{1,8}(/.{1,300}\.go):(\d+)(?: \+0x|$)")
IN_CPP = re.compile(r"terminate called after throwing an instance of '(.+)'$")
IN_NODE = re.compile(r"\s{0,8}at [^/]{0,300}(/[^:()]{1,300}):(\d+):\d+\)?$")
LONGEST_LINE = 400
"""The most characters of a line that are searched."""


def find_crash(stderr: bytes, folder: Path) -> str:
    """Return the exception or panic that ended a program, with the line of the author's code; empty if there is none.

    Only text at the very end of stderr counts.
    """
    lines = [
        line[:LONGEST_LINE]
        for line in stderr[-SEARCHED_BYTES:].decode("utf-8", "replace").rstrip().splitlines()[-SEARCHED_LINES:]
    ]
    if not lines:
        return ""
    if lines[-1].startswith("Node.js v"):
        errors = [at for at, line in enumerate(lines) if ERROR.match(line) and "Error" in line]
        return _format_crash(lines[errors[-1]], IN_NODE, lines[errors[-1] :], folder) if errors else ""
    if lines[-1].startswith("note: run with `RUST_BACKTRACE"):
        return _find_rust_panic(lines[:-1])
    begins = [at for at, line in enumerate(lines) if line.startswith(("panic: ", "fatal error: "))]
    if begins and any(line.startswith("goroutine ") for line in lines[begins[0] :]):
        return _format_crash(lines[begins[0]], IN_GO, lines[begins[0] + 1 :], folder) or lines[begins[0]]
    for thrown, line in zip(map(IN_CPP.match, lines[-2:]), [lines[-1], ""], strict=False):
        if thrown:
            message = line.removeprefix("  what():  ") if line.startswith("  what():") else ""
            return f"{thrown[1]}: {message}" if message else thrown[1]
    begin = max((at for at, line in enumerate(lines) if line.startswith("Traceback (")), default=0)
    return _format_crash(lines[-1], IN_PYTHON, lines[:begin:-1] + lines[:1], folder) if ERROR.match(lines[-1]) else ""


def _find_rust_panic(lines: Sequence[str]) -> str:
    """Return the last panic in a Rust program's output, with the line of code; empty if there is none."""
    found = [(at, match) for at, match in enumerate(map(IN_RUST.match, lines)) if match]
    if not found:
        return ""
    at, panic = found[-1]
    text = panic[1] or " ".join(lines[at + 1 :])
    return f"{text} ({panic[2].removeprefix(f'{BOT}/').removeprefix('./')}, line {panic[3]})"


def _format_crash(error: str, frame: re.Pattern[str], lines: Sequence[str], folder: Path) -> str:
    """Return an error with the author's first line of code among `lines`; empty if no line is a stack frame."""
    found = [match for match in map(frame.match, lines) if match]
    for match in found:
        if file := _own_name(match[1], folder):
            return f"{error.removeprefix('Uncaught ')} ({file}, line {match[2]})"
    return error if found else ""


def _own_name(name: str, folder: Path) -> str:
    for home in (f"{folder}/", f"{BOT}/"):
        if name.startswith(home):
            return name[len(home) :]
    return ""
