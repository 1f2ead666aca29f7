"""koth's own installed package: the command to install its extras, and its metadata."""

from __future__ import annotations

import json
from importlib.metadata import Distribution, PackageNotFoundError, distribution, entry_points
from typing import Any
from urllib.parse import unquote, urlsplit

from koth.errors import KothError

DISTRIBUTION = "koth-arena"
"""The name by which koth is installed; on the public index, `koth` names another project."""


def own_distribution() -> Distribution | None:
    """Return the installed package of this koth; None if koth is not installed."""
    try:
        return distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return None


def origin() -> dict[str, Any]:
    """Return pip's record of the source of koth's installation (`url`, `dir_info`); empty if there is none."""
    found = own_distribution()
    text = None if found is None else found.read_text("direct_url.json")
    return dict(json.loads(text)) if text else {}


PACKAGES = ("cluster", "hill", "learn", "studies")
"""The endings of koth's other packages."""


def install_command(extra: str) -> str:
    """Return the command that adds an extra or a package to this koth, from the source of its installation."""
    record = origin()
    url = str(record.get("url", ""))
    place = f"packages/koth-{extra}" if extra in PACKAGES else f"packages/koth[{extra}]"
    if url.startswith("file://"):
        return f"pip install '{unquote(urlsplit(url).path).removesuffix('packages/koth')}{place}'"
    if "vcs_info" in record:
        name = f"{DISTRIBUTION}-{extra}" if extra in PACKAGES else f"{DISTRIBUTION}[{extra}]"
        return f"pip install '{name} @ {record['vcs_info']['vcs']}+{url}#subdirectory={place.partition('[')[0]}'"
    return f"pip install '{place}' in a checkout of koth"


def find_entry_points(group: str) -> list[str]:
    """Return the names of the entry points of a group that installed packages have."""
    return sorted({point.name for point in entry_points(group=group)})


def load_entry_point(group: str, name: str) -> Any:
    """Return the object of an installed package's entry point; None if no package has one. Raises KothError."""
    point = next(iter(entry_points(group=group, name=name)), None)
    if point is None:
        return None
    try:
        return point.load()
    except Exception as error:
        package = f" of {point.dist.name}" if point.dist else ""
        what = f"the entry point {name} = {point.value}{package}"
        raise KothError(f"{what} can't be loaded: {type(error).__name__}: {error}") from error
