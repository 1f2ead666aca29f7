"""Stdin, stdout and stderr of the program `koth`: closed files, full disks, pipes whose reader has ended.

The rules are in docs/commands.md. This module applies them where bytes are written, so commands need not.
"""

from __future__ import annotations

import io
import os
import select
import sys
from typing import Any

import click

STREAMS = ("stdin", "stdout", "stderr")
"""Standard streams, by file descriptor."""
STDERR = 2


class OutputError(click.ClickException):
    """Raised when koth can't write to stdout, so results are lost. An OSError would be about a command's file."""


class _StandardStream(io.FileIO):
    """Stdout or stderr; bytes are dropped once the reader is gone."""

    def write(self, data: Any) -> int:
        """Write bytes; wait while a non-blocking pipe is full. Raises OutputError, on stdout only."""
        try:
            while (written := super().write(data)) is None:
                select.select([], [self], [])
        except OSError as error:
            _open_nothing(self.fileno())
            if self.fileno() != STDERR and not isinstance(error, ConnectionError):
                raise OutputError(f"koth can't write its output: {error.strerror}") from None
            return memoryview(data).nbytes
        return written


def prepare_streams() -> None:
    """Open closed standard streams, and make open ones follow the rules for output."""
    for handle, name in enumerate(STREAMS):
        if getattr(sys, name) is None:  # closed: the next file that koth opens would be taken for it
            _open_nothing(handle)
            setattr(sys, name, os.fdopen(handle, "w" if handle else "r", encoding="utf-8", closefd=False))
    for handle in (1, STDERR):
        stream = getattr(sys, STREAMS[handle])
        if isinstance(stream, io.TextIOWrapper) and _leads_to(stream, handle):
            setattr(sys, STREAMS[handle], _wrap_stream(stream, handle))


def _leads_to(stream: io.TextIOWrapper, handle: int) -> bool:
    """Return whether a stream writes to this descriptor; a caller in this process may have replaced it."""
    try:
        return stream.fileno() == handle
    except OSError:
        return False


def _wrap_stream(stream: io.TextIOWrapper, handle: int) -> io.TextIOWrapper:
    """Return the stream of this descriptor with the rules for output."""
    stream.flush()
    errors = "replace" if handle != STDERR else stream.errors  # what a terminal can't show is a question mark
    return io.TextIOWrapper(
        io.BufferedWriter(_StandardStream(handle, "w", closefd=False)),
        stream.encoding,
        errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _open_nothing(handle: int) -> None:
    """Open /dev/null at this descriptor."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, handle)
    if nothing == handle:
        os.set_inheritable(handle, True)
    else:
        os.close(nothing)
