"""The command line: `commands` declares the commands; the other modules carry the commands out."""

from __future__ import annotations

import atexit
import errno
import gc
import sys
import traceback

import click

from koth.cli.commands import cli
from koth.cli.exit_codes import BUG, FAILED, INTERRUPTED, OK
from koth.cli.interrupt import handle_interrupts
from koth.cli.streams import prepare_streams
from koth.errors import KothError, at_words, visible
from koth.files.bounded_read import bound_memory
from koth.sandbox.host_process import prepare_process

REFUSALS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENAMETOOLONG}
"""Errors of files that are no bugs of koth: a full disk, a file that is too large, a name that is too long."""


def main() -> None:
    """Run the program `koth`: print an error as one line on stderr; let SIGTERM interrupt like Ctrl-C."""
    prepare_streams()
    handle_interrupts()
    atexit.register(gc.freeze)  # Python looks for garbage once more at its end: in all that has been compiled
    problem = prepare_process()
    bound_memory()
    try:
        code = _run_safely(problem)
    except KeyboardInterrupt:  # also while an error is printed
        code = INTERRUPTED
    sys.exit(code)


def _run_safely(problem: str) -> int:
    """Run the command; return its exit code. `problem` explains failures in the state in which koth was started."""
    try:
        return _run()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return FAILED
    except click.ClickException as error:
        return _print_failure(" ".join(error.format_message().split()))
    except click.Abort:
        return INTERRUPTED
    except KothError as error:
        return _print_failure(str(error).expandtabs(4), keep="\n")
    except Exception as error:
        if problem:
            return _print_failure(problem)
        if isinstance(error, MemoryError):
            return _print_failure("this takes more than half of the machine's memory")
        if isinstance(error, OSError) and error.errno in REFUSALS:
            return _print_failure(f"{error.filename or 'a file can not be written'}: {error.strerror}")
        traceback.print_exc()
        return BUG


def _run() -> int:
    """Run the command and return its exit code. Raises the command's errors, and OutputError."""
    try:
        code = cli.main(prog_name="koth", standalone_mode=False)
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()  # at its end, Python would exit with another code
    return code if isinstance(code, int) else OK


def _print_failure(text: str, keep: str = "") -> int:
    click.echo(at_words(f"koth: {visible(text, keep=keep)}", sys.stderr), err=True)
    return FAILED
