"""A process that plays the matches of visitors against a hill's leaders."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

from koth.contest.lock import LOCK_FILE, lock_run
from koth.engine.settings import choose
from koth.errors import KothError
from koth.files.folders import remove
from koth.games import load
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import SandboxError
from koth.session.bot import Bot
from koth.warmup import compile_once, load_rules
from koth_hill.connection import Hill
from koth_hill.side_process import open_side_process
from koth_hill.visits import SOCKET, VISITS, Leaders, Visits, socket_of

LOOK_SECONDS = 1.0
"""Seconds between two checks of the visits."""
LEADERS_SECONDS = 15.0
"""Seconds between two updates of the leaders."""


class LeaderCopies:
    """Copies of the leading versions; versions that can't be built are left out."""

    def __init__(self, hill: Hill, tools: Any) -> None:
        self.hill, self.tools = hill, tools
        self._bots: dict[int, Bot | None] = {}
        self._loaded: Any = None
        """The settings whose rules this process has loaded."""

    def find_leaders(self) -> Leaders | None:
        """Return the leaders of the season; None if the host allows no visitors, or too few bots play."""
        from koth_hill.registry import current_season
        from koth_hill.standings import count_rivals, sort_by_rank, standings
        from koth_hill.uploads import read_policy

        if not read_policy().visitors_play:
            return None
        season, game = current_season(), self.tools.game
        versions = sort_by_rank(standings(season).standings)
        wanted = count_rivals(self.hill, season, len(versions))
        compile_once(game)
        bots: list[Bot] = []
        for version in versions:
            if len(bots) < wanted and (bot := self._build_bot(version)) is not None:
                bots.append(bot)
        if not wanted or len(bots) < wanted:
            return None
        _, settings = choose(game, season.ruleset, season.overrides, files=False)
        if self._loaded != settings:
            load_rules(game, settings)
            self._loaded = settings
        return Leaders(game, season.ruleset, settings, bots)

    def _build_bot(self, version: Any) -> Bot | None:
        from koth_hill.checks import build_bot
        from koth_hill.guard import guard

        if version.pk not in self._bots:
            self._bots[version.pk] = None
            with guard(lambda why: None):
                self._bots[version.pk] = build_bot(self.tools, version)
        return self._bots[version.pk]

    def keep(self, wanted: list[Bot]) -> None:
        """Remove the copies of all other bots."""
        digests = {bot.digest for bot in wanted}
        self._bots = {pk: bot for pk, bot in self._bots.items() if bot is None or bot.digest in digests}
        self.tools.copies.keep(lambda: digests)


def look_after(visits: Visits, copies: LeaderCopies) -> None:
    """Sweep the visits and renew the leaders in an endless loop."""
    looked = float("-inf")
    while True:
        visits.sweep()
        if time.monotonic() - looked > LEADERS_SECONDS:
            try:
                visits.leaders = copies.find_leaders()
            except (KothError, ArenaError, SandboxError) as error:
                visits.leaders = None
                print(f"koth: no visitor can play: {error}", file=sys.stderr, flush=True)
            copies.keep(visits.bots())
            looked = time.monotonic()
        time.sleep(LOOK_SECONDS)


def serve(parent: int) -> None:
    """Play matches of visitors until the parent process ends, in only one process per hill."""
    import uvicorn

    with open_side_process(parent) as (hill, given, isolation):
        from koth_hill.copies import COPIES, BotTools, Copies

        folder = hill.folder / VISITS
        with _hold_folder(folder), open_socket(hill.folder) as door:
            visits = Visits(folder, isolation)
            copies = LeaderCopies(hill, BotTools(load(hill.game), given, isolation, Copies(folder / COPIES)))
            config = uvicorn.Config(
                visits.make_app(), http="h11", ws="none", log_level="error", lifespan="off", server_header=False,
                date_header=False, timeout_graceful_shutdown=1,
            )  # fmt: skip
            server = uvicorn.Server(config)

            def keep() -> None:
                try:
                    look_after(visits, copies)
                finally:
                    server.should_exit = True  # the process is replaced

            Thread(target=keep, daemon=True).start()
            server.run(sockets=[door])


@contextmanager
def _hold_folder(folder: Path) -> Iterator[None]:
    """Wait until no other process holds the folder of visits; then hold it, and remove an earlier process's files."""
    with ExitStack() as stack:
        while True:
            with suppress(KothError):
                stack.enter_context(lock_run(folder))
                break
            time.sleep(LOOK_SECONDS)
        for path in folder.iterdir():
            if path.name != LOCK_FILE:
                remove(path)
        yield


@contextmanager
def open_socket(folder: Path) -> Iterator[socket.socket]:
    """Yield the socket of the hill in `folder`; only the folder's owner may use the socket."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(socket_of(folder))
        os.chmod(folder / VISITS / SOCKET, 0o600)
        door.listen(128)
        yield door


if __name__ == "__main__":
    serve(int(sys.argv[1]))
