"""Copies of bots on a runner's disk: of versions that play, and of other bots during a reading or a check."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from koth.contest.bundle import Bundle
from koth.contest.contest import Contest
from koth.contest.match_runner import LocalRunner
from koth.contest.preflight import build
from koth.contest.run import JobPlayer, MakeExecutor
from koth.diagnostics.checkup import Checkup
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Key, Secret
from koth.engine.settings import read_settings
from koth.errors import BotError, KothError
from koth.files.folders import remove
from koth.game import Game
from koth.replay.names import REPLAYS
from koth.sandbox.copies import BYTES, folder_size
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot
from koth_hill.connection import Hill
from koth_hill.models import Season, Version

COPIES = "bots"
"""The folder of copies in a hill's folder."""
WORK = "koth-hill-"
"""The beginning of the names of work folders."""


@dataclass(frozen=True)
class Copies:
    """The folder of a runner's copies; the name of a playing bot's copy begins with the bot's digest."""

    folder: Path
    bots: dict[int, Bot] = field(default_factory=dict)
    """The built bots by version."""
    _locks: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock))
    """A lock for each digest, as threads may want the same bot built."""

    def build(self, bot: Bot, isolation: Isolation, seconds: float | None = None) -> tuple[Bot, str]:
        """Build a bot in its copy, once; see `koth.contest.preflight.build`."""
        with self._locks[bot.digest]:
            return build(bot, self.folder, isolation, seconds)

    @contextmanager
    def work_folder(self) -> Iterator[Path]:
        """Yield a new folder for a check or a try; at the end, remove the folder and its contents."""
        self.folder.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=WORK, dir=self.folder.absolute()))
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

    def keep(self, find_digests: Callable[[], Collection[str]]) -> None:
        """Remove the copies of other bots than those with these digests, but no work folder.

        A copy that a thread makes meanwhile is not listed, or its digest is found: the listing comes first.
        """
        paths = list(self.folder.iterdir()) if self.folder.is_dir() else []
        digests = find_digests()
        for path in paths:
            if path.name.split(".")[0] not in digests and not path.name.startswith(WORK):
                remove(path)
        for pk, bot in list(self.bots.items()):
            if bot.digest not in digests:
                del self.bots[pk]

    def remove_work(self) -> None:
        """Remove the work folders of earlier runners."""
        for path in self.folder.glob(f"{WORK}*"):
            remove(path)


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

    def checkup(
        self, season: Season, seed: int | Key, folder: Path, on_doing: Callable[[str], None], variant: int = 0
    ) -> Checkup:
        """Return a checkup by the rules of a season, in one of its variants; it works in `folder`."""
        game = self.game
        settings = read_settings(game, {"ruleset": season.ruleset, "settings": season.overrides}, variant)
        return Checkup(
            game=game, ruleset=season.ruleset, settings=settings, max_turns=None, seed=seed, folder=folder,
            time_control=game.time_control, isolation=self.isolation, on_doing=on_doing,
        )  # fmt: skip

    def open_player(
        self, contest: Contest, hill: Hill, make_executor: MakeExecutor
    ) -> AbstractContextManager[JobPlayer]:
        """Open a player of a contest's jobs, with replays in the hill's folder."""
        runner = LocalRunner(self.isolation, hill.folder / REPLAYS, {bot.name: bot for bot in contest.bots})
        return JobPlayer.open(
            contest, runner, make_executor, lambda event: None, lambda report: None, self.copies.bundle
        )


def check_classes(bot: Bot, most: int) -> None:
    """Raise KothError if a bot's compiled classes exceed `most` bytes, and remove the classes from the cache."""
    for folder in bot.made:
        if folder_size(folder, most) > most:
            remove(folder)
            raise KothError(f"the compiled classes take more than {most >> 20} MB")


def size_of(bot: Bot) -> int:
    """Return the bytes of a built copy and of the bot's compiled classes. Raises CopyError."""
    return sum(folder_size(folder, 2 * BYTES) for folder in (bot.folder, *bot.made))
