"""The command line: `commands` has its words, and each command's work lies in a module of its own."""

from __future__ import annotations

import os
import signal
import sys

import click

from koth.cli.commands import cli
from koth.errors import KothError, visible
from koth.plain import bound_memory


def main() -> None:
    """The program `koth`. Mistakes end with one line on stderr and exit code 2; SIGTERM is heeded like Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    bound_memory()
    try:
        code = cli.main(prog_name="koth", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.ClickException as error:
        click.echo(f"koth: {visible(' '.join(error.format_message().split()))}", err=True)
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except KothError as error:
        click.echo(f"koth: {visible(str(error).expandtabs(4), keep=chr(10))}", err=True)
        sys.exit(2)
    except MemoryError:
        click.echo("koth: this takes more memory than there is for it (half of the machine's)", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it once more at its end
        sys.exit(0)
