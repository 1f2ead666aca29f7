"""koth's own installed package: how its extras are installed into this Python, and where its metadata are."""

from __future__ import annotations

import json
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any
from urllib.parse import unquote, urlsplit

DISTRIBUTION = "koth-arena"
"""The name by which koth is installed; `koth` is another project's on the public index."""


def own_distribution() -> Distribution | None:
    """Return the installed package of this koth; None where it runs without being installed."""
    try:
        return distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return None


def origin() -> dict[str, Any]:
    """Return what pip noted of where koth was installed from (`url`, `dir_info`); empty if nothing."""
    found = own_distribution()
    text = None if found is None else found.read_text("direct_url.json")
    return dict(json.loads(text)) if text else {}


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this koth, from the place where it was installed from."""
    url = str(origin().get("url", ""))
    if url.startswith("file://"):
        return f"pip install '{unquote(urlsplit(url).path)}[{extra}]'"
    if url:
        return f"pip install '{DISTRIBUTION}[{extra}] @ {url}'"
    return f"pip install '.[{extra}]' in a checkout of koth"
