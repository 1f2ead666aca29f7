"""Copies of bots on a runner's disk: of versions that play, and of other bots during a reading or a check."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from koth.contest.bundle import Bundle
from koth.contest.contest import Contest
from koth.contest.job import OnProgress
from koth.contest.match_runner import LocalRunner
from koth.contest.run import JobPlayer, MakeExecutor
from koth.diagnostics.checkup import Checkup
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.engine.settings import choose
from koth.errors import BotError, KothError
from koth.files.folders import remove
from koth.game import Game
from koth.hill.connection import Hill
from koth.hill.models import Runner, Season, Version
from koth.replay.names import REPLAYS
from koth.sandbox.copies import BYTES, folder_size
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot

COPIES = "bots"
"""The folder of copies in a hill's folder."""


@dataclass(frozen=True)
class Copies:
    """The folder of a runner's copies; the name of a playing bot's copy begins with the bot's digest."""

    folder: Path

    @classmethod
    def of(cls, hill: Hill, runner: Runner) -> Copies:
        """Return the copies of a runner; with PostgreSQL every runner has its own folder."""
        folder = hill.folder / COPIES
        return cls(folder if hill.is_sqlite else folder / f"runner-{runner.pk}")

    @contextmanager
    def work_folder(self) -> Iterator[Path]:
        """Yield a new folder for an upload, a check or a try; at the end, remove the folder and its contents."""
        self.folder.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="koth-hill-", dir=self.folder.absolute()))
        try:
            yield folder
        finally:
            remove(folder)

    def bundle(self, bot: Bot) -> Bundle:
        """Return a bot's files, to be sent to another machine. Raises BotError."""
        version = Version.objects.filter(digest=bot.digest, file=bot.path.name).exclude(archive=b"").first()
        if version is None:
            raise BotError(f"{bot.name}: the sources are not kept any more")
        return Bundle(bot.content, version.file, bytes(version.archive))

    def keep(self, digests: Collection[str]) -> None:
        """Remove the copies of all other bots, and the remains of earlier runners."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name.split(".")[0] not in digests:
                remove(path)

    def remove(self) -> None:
        """Remove all copies."""
        remove(self.folder)


@dataclass(frozen=True)
class BotTools:
    """The objects with which a runner makes bots from versions and uploads."""

    game: Game
    given: Interpreters
    isolation: Isolation
    copies: Copies

    def contest(self, season: Season, secret: Secret, bots: Sequence[Bot]) -> Contest:
        """Return the contest of these bots' matches by a season's rules."""
        return Contest(
            game=self.game.name, ruleset=season.ruleset, overrides=season.overrides, secret=secret, matches=1,
            bots=bots, time_control=self.game.time_control, isolation=self.isolation,
        )  # fmt: skip

    def checkup(self, season: Season, seed: int, folder: Path, on_doing: Callable[[str], None]) -> Checkup:
        """Return a checkup by the rules of a season; it works in `folder`."""
        game = self.game
        _, settings = choose(game, season.ruleset, season.overrides, files=False)
        return Checkup(
            game=game, ruleset=season.ruleset, settings=settings, max_turns=None, seed=seed, folder=folder,
            time_control=game.time_control, isolation=self.isolation, on_doing=on_doing,
        )  # fmt: skip

    def open_player(
        self, contest: Contest, hill: Hill, make_executor: MakeExecutor, on_progress: OnProgress
    ) -> AbstractContextManager[JobPlayer]:
        """Open a player of a contest's jobs, with replays in the hill's folder."""
        runner = LocalRunner(self.isolation, hill.folder / REPLAYS, {bot.name: bot for bot in contest.bots})
        return JobPlayer.open(contest, runner, make_executor, on_progress, lambda report: None, self.copies.bundle)


def check_classes(bot: Bot, most: int) -> None:
    """Raise KothError if a bot's compiled classes exceed `most` bytes, and remove the classes from the cache."""
    for folder in bot.made:
        if folder_size(folder, most) > most:
            remove(folder)
            raise KothError(f"the compiled classes take more than {most >> 20} MB")


def size_of(bot: Bot) -> int:
    """Return the bytes of a built copy and of the bot's compiled classes. Raises CopyError."""
    return sum(folder_size(folder, 2 * BYTES) for folder in (bot.folder, *bot.made))
