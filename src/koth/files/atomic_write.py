"""Files that appear whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yield a file to write into, which replaces `path` at the end; on any error what lies there stays.

    A link goes on leading where it does, and what is no plain file (a pipe, a device) is written to as it is.
    Raises OSError.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        yield path
        return
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)  # it may be a link, too
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
