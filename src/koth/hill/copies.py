"""Copies of bots on a runner's disk: of the versions that play, and of others while they are read or checked."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from koth.contest.bundle import Bundle
from koth.contest.contest import Contest
from koth.contest.job import OnProgress
from koth.contest.match_runner import LocalRunner
from koth.contest.run import Ask, MakeExecutor, open_executor
from koth.discovery.interpreters import Interpreters
from koth.errors import BotError, KothError
from koth.files.folders import remove
from koth.game import Game
from koth.hill.connection import Hill
from koth.hill.models import Runner, Version
from koth.replay.names import REPLAYS
from koth.sandbox.copies import BYTES, folder_size
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot

COPIES = "bots"
"""The folder of copies in a hill's own."""


@dataclass(frozen=True)
class Copies:
    """The folder of a runner's copies: those of a bot that plays begin with its digest."""

    folder: Path

    @classmethod
    def of(cls, hill: Hill, runner: Runner) -> Copies:
        """Return the copies of a runner: one that plays beside others has a folder of its own."""
        folder = hill.folder / COPIES
        return cls(folder if hill.is_sqlite else folder / f"runner-{runner.pk}")

    @contextmanager
    def work_folder(self) -> Iterator[Path]:
        """Yield a new folder for an upload, a check or a trial, which is removed with all that was unpacked."""
        self.folder.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="koth-hill-", dir=self.folder.absolute()))
        try:
            yield folder
        finally:
            remove(folder)

    def bundle(self, bot: Bot) -> Bundle:
        """Return a bot's files for another machine. Raises BotError."""
        version = Version.objects.filter(digest=bot.digest).exclude(archive=b"").first()
        if version is None:
            raise BotError(f"{bot.name}: its sources are not kept any more")
        return Bundle(bot.content, version.file, bytes(version.archive))

    def keep(self, digests: Collection[str]) -> None:
        """Remove all copies but those of these bots, and what earlier runners have left."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name.split(".")[0] not in digests:
                remove(path)

    def remove(self) -> None:
        """Remove all copies."""
        remove(self.folder)


@dataclass(frozen=True)
class BotTools:
    """The means by which a runner makes bots of versions and of uploads."""

    game: Game
    given: Interpreters
    isolation: Isolation
    copies: Copies

    def open_executor(
        self, contest: Contest, hill: Hill, make_executor: MakeExecutor, on_progress: OnProgress
    ) -> AbstractContextManager[Ask]:
        """Yield a function that has a contest's jobs played, with replays in the hill's folder."""
        runner = LocalRunner(self.isolation, hill.folder / REPLAYS, {bot.name: bot for bot in contest.bots})
        return open_executor(contest, runner, make_executor, on_progress, lambda report: None, self.copies.bundle)


def check_classes(bot: Bot, most: int) -> None:
    """Remove the compiled classes of a bot from koth's cache if they take more bytes. Raises KothError then."""
    for folder in bot.made:
        if folder_size(folder, most) > most:
            remove(folder)
            raise KothError(f"its compiled classes take more than {most >> 20} MB")


def size_of(bot: Bot) -> int:
    """Return the bytes of a built copy and of the bot's compiled classes. Raises CopyError."""
    return sum(folder_size(folder, 2 * BYTES) for folder in (bot.folder, *bot.made))
