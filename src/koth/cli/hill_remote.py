"""`koth hill` on a site: the same commands as in a folder, answered by the site's API."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from koth.cli import hill_tables
from koth.cli.exit_codes import NO, OK
from koth.cli.hill_tables import print_json
from koth.cli.screen import echo, program
from koth.errors import KothError, visible
from koth.hill.client import Site

if TYPE_CHECKING:
    from koth.cli.hill import SubmitOptions

EVERY = 2.0
"""Seconds between two looks at how far an upload is."""
READ = ("taken", "refused")
CHECKED = ("playing", "refused", "superseded", "withdrawn", "suspended")


def submit(site: Site, word: str, options: SubmitOptions) -> NoReturn:
    """Send a bot to a site; with `wait` until it is checked, and exit with whether it plays."""
    given: dict[str, object] = {"--author": options["author"], "--isolation": options["isolation"]}
    given |= {"--interpreter": options["interpreters"], "--allow-read": options["paths"]}
    for flag in (flag for flag, value in given.items() if value):
        raise click.UsageError(f"{flag} is for a hill in a folder: {site.name} decides that itself")
    name, _, rest = word.partition("=")
    name, path = (name, Path(rest)) if rest and not Path(word).exists() else ("", Path(word))
    if not path.exists():
        raise KothError(f"{visible(str(path))}: no such file or folder (a site takes a folder, a file or a zip)")
    upload = site.send(path, name)
    if not options["as_json"]:
        echo(f"{visible(upload['file'])}: upload {upload['upload']} is kept at {site.name}, and checked in its turn")
        if not options["wait"]:
            echo(f"how far it is: {site.name}/uploads/{upload['upload']}, or {program()} hill status {site.name}")
    while options["wait"] and not _is_checked(upload):
        time.sleep(EVERY)
        upload = site.get(f"uploads/{upload['upload']}")
    if options["as_json"]:
        print_json(upload)
    elif options["wait"]:
        echo(_told(upload))
    is_refused = "refused" in (upload["state"], upload["version_state"])
    raise SystemExit(NO if is_refused else OK)


def _is_checked(upload: dict[str, Any]) -> bool:
    return upload["state"] == "refused" or (upload["state"] in READ and upload["version_state"] in CHECKED)


def _told(upload: dict[str, Any]) -> str:
    what = upload["file"] if upload["bot"] is None else f"{upload['bot']}, version {upload['version']}"
    reason = f": {upload['reason']}" if upload["reason"] else ""
    return visible(f"{what}: {upload['version_state'] or upload['state']}{reason}", "\n")


def status(site: Site, as_json: bool) -> None:
    """Say how the hill of a site is doing; with a token also what became of the author's own bots."""
    told = site.get("hill")
    if site.token:
        told["you"] = {**site.get("me"), "bots": site.get("me/bots"), "uploads": site.get("uploads")}
    if as_json:
        print_json(told)
        return
    hill_tables.status(told)
    if "you" not in told:
        return
    you = told["you"]
    echo(f"you are {visible(you['name'])}, and may send {you['uploads_left']} more bots in these 24 hours")
    for bot in you["bots"]:
        newest = bot["versions"][0]
        what = {"bot": bot["bot"], "version": newest["number"], "version_state": newest["state"]}
        echo(f"  {_told({**what, 'reason': newest['reason']})}")
    for upload in you["uploads"]:
        if upload["version"] is None:
            echo(f"  {_told(upload)}")


def standings(site: Site, as_json: bool) -> None:
    """Show the standings of a site."""
    told = site.get("standings")
    if as_json:
        print_json(told)
        return
    hill = site.get("hill")
    hill_tables.standings(told, f"{hill['game']} ({hill['season']['ruleset']})")


def bot(site: Site, name: str, as_json: bool) -> None:
    """Show a bot's versions: with reasons if it is the author's own."""
    own = site.get("me/bots") if site.token else []
    told = next((found for found in own if found["bot"] == name), None) or site.get(f"bots/{name}")
    told = {**told, "versions": [{"reason": "", **version} for version in told["versions"]]}
    print_json(told) if as_json else hill_tables.bot(told)


def matches(site: Site, bot: str | None, last: int, as_json: bool) -> None:
    """List the latest matches of a site."""
    found = site.get("matches", bot=bot, last=last)
    print_json(found) if as_json else hill_tables.matches(found)
