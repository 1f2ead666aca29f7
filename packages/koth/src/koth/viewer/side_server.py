"""The viewer of a running contest: a separate process, with lower priority than any bot."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from koth.errors import KothError

NICENESS = 10
"""The process's nice value (0 to 19): watching must not make bots late."""


@contextmanager
def serve_beside(folder: Path) -> Iterator[str]:
    """Serve a run's folder during this context; yield the page's address. Raises KothError."""
    command = [sys.executable, "-m", "koth.viewer.side_server", str(folder)]
    # In a session of its own, because Ctrl-C is for the contest. It ends when its stdin does, even if we are killed.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        address = process.stdout.readline().decode().strip()
        if not address:
            raise KothError(process.stderr.read().decode(errors="replace").strip() or "the viewer did not start")
        yield address
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def main() -> None:
    """Serve the folder on the command line until stdin ends."""
    from koth.viewer.server import serve

    os.nice(NICENESS)
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        serve(Path(sys.argv[1]), on_ready=lambda address: print(address, flush=True))
    except KothError as error:
        sys.exit(str(error))


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)  # at once: nothing has to be saved, and threads may be busy with requests


if __name__ == "__main__":
    main()
