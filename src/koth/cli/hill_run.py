"""`koth hill run`: a hill that plays, said line by line on stderr."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import click

from koth.cli.said import HostOptions, interpreters
from koth.cli.screen import Doing, counted, echo
from koth.errors import KothError, visible
from koth.games import load
from koth.hill.connection import Hill
from koth.hill.models import Upload, Version
from koth.hill.runner import Events, Limits, Playing
from koth.match import Result
from koth.sandbox.levels import choose as isolation_level
from koth.sandbox.levels import for_strangers
from koth.standings.text import number


class RunOptions(HostOptions):
    """What `koth hill run` takes beside the hill."""

    matches: int | None
    seconds: float | None
    jobs: int
    untrusted: bool
    isolation: str | None
    allow_subprocesses: bool
    as_json: bool


def run(hill: Hill, options: RunOptions) -> None:
    """Check new versions and play matches."""
    isolation = replace(isolation_level(options["isolation"]), trusts_processes=options["allow_subprocesses"])
    if options["untrusted"]:
        for_strangers(isolation)
    told = _Told()
    events = Events(told.match_done, told.failed, told.taken, told.checked, told.doing, told.waiting)
    limits = Limits(options["matches"], options["seconds"])
    playing = Playing(hill, load(hill.game), interpreters(options), isolation, options["jobs"], limits, events)
    try:
        playing.run()
    finally:
        told.doing.stop()
        if playing.played or not isinstance(sys.exception(), KothError):
            _end(playing.played, options["as_json"])


def _end(matches: int, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"matches": matches}))
    else:
        echo(f"{counted(matches, 'match', 'matches')} played")


class _Told:
    """What is said while a hill plays."""

    def __init__(self) -> None:
        self.doing = Doing()
        self._waits = ""

    def match_done(self, match: int, result: Result) -> None:
        best, score = max(result.scores.items(), key=lambda item: item[1])
        self._say(f"match {match}: {result.turns} turns, {visible(best)} first with {number(score)}")

    def failed(self, match: int, reason: str) -> None:
        self._say(f"match {match} could not be played: {visible(reason)}")

    def taken(self, upload: Upload) -> None:
        version = upload.version
        name = "" if version is None else f" as {visible(version.bot.name)}, version {version.number}"
        first, _, _ = upload.reason.partition("\n")
        self._say(f"upload {upload.pk}: {upload.state}{name}{': ' if first else ''}{visible(first)}")

    def checked(self, version: Version) -> None:
        name = f"{visible(version.bot.name)}, version {version.number}"
        first, _, _ = version.reason.partition("\n")
        self._say(f"{name}: {version.state}{': ' if first else ''}{visible(first)}")

    def waiting(self, text: str) -> None:
        if text != self._waits:
            self._say(f"nothing to play: {text}")
            self._waits = text

    def _say(self, text: str) -> None:
        self.doing.stop()
        self._waits = ""
        echo(text, err=True)
