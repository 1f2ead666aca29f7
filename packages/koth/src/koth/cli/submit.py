"""`koth submit`: sending bots to the site of a hill."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from koth.cli.exit_codes import NO, OK
from koth.cli.screen import answer, echo
from koth.discovery.folder import parse_spec
from koth.errors import KothError, visible
from koth.remote.site import Site

POLL_SECONDS = 2.0
"""Seconds between two requests for the state of a version."""
CHECKED_STATES = ("playing", "refused", "superseded", "withdrawn", "suspended")


@contextmanager
def checking_answers(site: Site) -> Iterator[None]:
    """Raise KothError for answers that no hill gives."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        words = f"{type(error).__name__}: {error}"
        raise KothError(f"{site.name} gives an answer that koth does not understand ({visible(words)})") from error


def submit(bot: str, site: str, wait: bool, as_json: bool) -> NoReturn:
    """Send a bot to a site; with `wait`, wait until it is checked. Exit with NO if the site refuses the bot."""
    hill = Site(site)
    with checking_answers(hill):
        _submit(hill, bot, wait, as_json)


def _submit(site: Site, bot: str, wait: bool, as_json: bool) -> NoReturn:
    name, target, picked = parse_spec(bot)
    path = Path(f"{target}#{picked}" if picked else target)
    if not path.exists():
        raise KothError(f"{visible(str(path))}: no such file or folder (a site takes a folder, a file or a zip)")
    version = site.send(path, name or "")
    if not as_json:
        echo(f"{visible(version['file'])} waits at {site.name} for its check")
        if not wait:
            echo(f"state: {site.name}/versions/{version['id']}")
    while wait and version["state"] not in CHECKED_STATES:
        time.sleep(POLL_SECONDS)
        version = site.get(f"versions/{version['id']}")
    if as_json or wait:
        answer(as_json, version, _describe_version(version))
    raise SystemExit(NO if version["state"] == "refused" else OK)


def _describe_version(version: dict[str, Any]) -> str:
    """Return the state of a version, with the reason."""
    name = version["file"] if version["bot"] is None else f"{version['bot']}, version {version['version']}"
    reason = f": {version['reason']}" if version["reason"] else ""
    return visible(f"{name}: {version['state']}{reason}", "\n")
