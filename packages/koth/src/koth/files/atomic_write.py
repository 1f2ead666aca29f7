"""Atomic writes of files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield a new file to write to, which replaces `path` at the end; on any error the old file stays.

    A link stays and its target is replaced; a file that is not regular (a pipe, a device) is written to directly.
    Raises OSError.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        yield path
        return
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)  # an old one may be a link
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
