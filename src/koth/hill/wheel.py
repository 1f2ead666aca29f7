"""The wheel of the koth that a hill runs, so that authors can install the same version from the hill's site."""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from koth import __version__
from koth.discovery.packing import add_file
from koth.errors import KothError
from koth.extras import origin, own_distribution
from koth.files.beneath import read_beneath, write_beneath
from koth.hill.connection import Hill

KOTH = Path(__file__).parents[1]
STEM = f"koth_arena-{__version__}"
NAME = f"{STEM}-py3-none-any.whl"
METADATA = ("METADATA", "WHEEL", "entry_points.txt", "top_level.txt")


@functools.cache
def is_installed() -> bool:
    """Return whether pip copied this koth's files here; a checkout's files may change while koth runs."""
    found = own_distribution()
    return found is not None and found.version == __version__ and not origin().get("dir_info", {}).get("editable")


def has_wheel(hill: Hill) -> bool:
    """Return whether there is a wheel of the running koth."""
    return is_installed() or (hill.folder / NAME).is_file()


def read_wheel(hill: Hill) -> bytes | None:
    """Return the wheel of the running koth; None if koth runs from a checkout and `write` made no wheel."""
    if is_installed():
        return pack()
    try:
        return read_beneath(hill.folder, NAME)
    except OSError:
        return None


def write(folder: Path) -> Path:
    """Write the wheel of this koth to a hill's folder, for the site to serve. Raises KothError."""
    try:
        with write_beneath(folder, NAME) as file:
            file.write(pack())
    except OSError as error:
        raise KothError(f"{folder / NAME}: {error.strerror}") from None
    return folder / NAME


@functools.cache
def pack() -> bytes:
    """Return a wheel of koth's files as they are now. Raises KothError."""
    found = own_distribution()
    if found is None or found.version != __version__:
        there = "is not installed" if found is None else f"was installed as {found.version}, and is {__version__} now"
        raise KothError(f"no wheel can be made: koth {there}; pip install -e . in its checkout, or make")
    files = {f"koth/{file.relative_to(KOTH)}": file.read_bytes() for file in _list_files(KOTH)}
    info = f"{STEM}.dist-info"
    files |= {f"{info}/{name}": text.encode() for name in METADATA if (text := found.read_text(name)) is not None}
    if (licence := found.read_text("licenses/LICENSE")) is not None:
        files[f"{info}/licenses/LICENSE"] = licence.encode()
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            add_file(archive, name, data)
    return out.getvalue()


def _list_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a package in order; `docs` is a link in a checkout."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name != "__pycache__":
            yield from _list_files(path)
        elif path.is_file() and path.suffix != ".pyc":
            yield path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
