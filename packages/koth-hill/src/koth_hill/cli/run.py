"""`koth hill run`: a runner of a hill, which reports line by line on stderr."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext

from koth.cli.screen import Doing, counted, echo, waiting
from koth.cli.terminal import Terminal, ending_without_cluster
from koth.errors import KothError, visible
from koth.games import load
from koth.match import Result
from koth.sandbox.isolation import FOR_STRANGERS
from koth.services.machines import choose_executor
from koth.standings.text import match_text
from koth.viewer.play import controls_of
from koth_hill.connection import Hill
from koth_hill.models import Version
from koth_hill.options import HillRunOptions
from koth_hill.runner import HillRunner
from koth_hill.side_process import SideProcess


def run(hill: Hill, options: HillRunOptions) -> None:
    """Check new versions, and play matches, on this machine or a cluster."""
    make_executor = choose_executor(options.jobs, options.cluster, Terminal())
    progress = HillProgress()
    playing = HillRunner(hill, load(hill.game), options, make_executor, progress)
    if hill.has_site and not playing.isolation.is_at_least(FOR_STRANGERS):
        level = playing.isolation.level
        echo(f"untrusted bots run at isolation {level}, as --isolation says, and need {FOR_STRANGERS}", err=True)
    try:
        looking = waiting("looking for something to play", plain=False, doing=progress.doing)
        with ending_without_cluster(), looking, _play_visits(hill, options, playing):
            playing.run()
    finally:
        if playing.played or not isinstance(sys.exception(), KothError):
            echo(f"{counted(playing.played, 'match', 'matches')} played")


def _play_visits(hill: Hill, options: HillRunOptions, playing: HillRunner) -> AbstractContextManager[object]:
    """Return the process that plays visits; none if the runner has limits, or nobody can visit the hill."""
    has_limits = options.matches is not None or options.seconds is not None
    if has_limits or not hill.has_site or not controls_of(hill.game):
        return nullcontext()
    return SideProcess(hill, options.grants, playing.isolation, "koth_hill.visit_process")


class HillProgress:
    """The lines that are printed while a hill plays."""

    def __init__(self) -> None:
        self.doing = Doing()
        self._waits = ""

    def match_done(self, match: int, result: Result) -> None:
        self.say(f"match {match}: {result.turns} turns, {visible(match_text(result.scores))}")

    def match_failed(self, match: int, reason: str) -> None:
        self.say(f"match {match} could not be played: {visible(reason)}")

    def version_checked(self, version: Version) -> None:
        read = version.bot_id is not None
        name = visible(f"{version.bot.name}, version {version.number}" if read else version.sent)
        first, _, _ = version.reason.partition("\n")
        self.say(f"{name}: {version.state}{': ' if first else ''}{visible(first)}")

    def waiting(self, text: str) -> None:
        if text != self._waits:
            self.say(f"nothing to play: {text}")
            self._waits = text

    def say(self, text: str) -> None:
        """Print a line."""
        self.doing.say(text)
        self._waits = ""
