"""The command line: `commands` has its words, and each command's work lies in a module of its own."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
import traceback

import click

from koth.cli.commands import cli
from koth.cli.exit_codes import BUG, FAILED, INTERRUPTED, OK
from koth.cli.interrupt import heed_interrupts
from koth.errors import KothError, at_words, visible
from koth.files.bounded_read import bound_memory

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def main() -> None:
    """Run the program `koth`: an error is one line on stderr; SIGTERM interrupts like Ctrl-C."""
    heed_interrupts()
    atexit.register(gc.freeze)  # Python looks for garbage once more at its end: in all that has been compiled
    bound_memory()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # what a terminal of another encoding can't show is a question mark
    try:
        code = cli.main(prog_name="koth", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else OK)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(FAILED)
    except click.ClickException as error:
        click.echo(at_words(f"koth: {visible(' '.join(error.format_message().split()))}", sys.stderr), err=True)
        sys.exit(FAILED)
    except click.Abort:
        sys.exit(INTERRUPTED)
    except KothError as error:
        click.echo(at_words(f"koth: {visible(str(error).expandtabs(4), keep=chr(10))}", sys.stderr), err=True)
        sys.exit(FAILED)
    except MemoryError:
        click.echo("koth: this takes more memory than there is for it (half of the machine's)", err=True)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _no_more_output()
        sys.exit(OK)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            _no_more_output()
            click.echo(f"koth: {error.filename or 'its output can not be written'}: {error.strerror}", err=True)
            sys.exit(FAILED)
        traceback.print_exc()
        sys.exit(BUG)


def _no_more_output() -> None:
    """Python flushes stdout once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
