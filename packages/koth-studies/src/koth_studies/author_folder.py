"""The folder in which an author's command works: filled before each turn, and copied after each turn."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from koth.errors import KothError, visible
from koth.files.folders import CopyError, Entry, FolderLimits, copy_folder, remove
from koth.sandbox.copies import change_owner
from koth.sandbox.failures import check_shortage
from koth.services.starts import make_start
from koth_studies.record import ARENA, BOT
from koth_studies.turns import Turn


@dataclass(frozen=True)
class AuthorFolder:
    """An author's folder. After a turn koth keeps the regular files, within limits, except the folder `arena`."""

    path: Path
    limits: FolderLimits

    def begin(self, start: Path | None, game: str) -> None:
        """Write the first bot: a copy of `start`, or the game's first bot. Raises KothError."""
        bot = self.path / BOT
        try:
            remove(self.path)
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # authors' files are not everybody's
            self.path.mkdir()
            if start is None:
                make_start(game, bot)
            elif start.is_dir():
                copy_folder(start, bot, self.limits)
            else:
                bot.mkdir()
                (bot / f"bot{start.suffix}").write_bytes(start.read_bytes())
        except OSError as error:
            raise KothError(f"{error.filename or start}: {error.strerror or error}") from None

    def restore(self, kept: Path) -> Path | None:
        """Restore the folder from a kept copy; return the old folder's new path if it can't be removed, or None.

        Raises KothError.
        """
        aside = None
        try:
            remove(self.path)
            if os.path.lexists(self.path):
                aside = self.path.rename(self.path.with_name(f".{self.path.name}-{secrets.token_hex(4)}"))
            copy_folder(kept, self.path, self.limits, skips_odd=True)
        except OSError as error:
            raise KothError(f"{error.filename or self.path}: {error.strerror or error}") from None
        return aside

    def keep_after(self, turn: Turn, to: Path, before: Path) -> Turn:
        """Copy the folder after a turn; if that fails, keep the copy `before`, and record a problem of the turn.

        Raises ArenaError.
        """
        try:
            self.keep(to)
        except CopyError as error:
            why = str(error)
        except OSError as error:
            check_shortage(error)
            why = f"{error.filename}: {error.strerror}"
        else:
            return turn
        self._copy(before, to)
        why = visible(why.replace(f"{self.path}/", "").replace(f"{self.path}: ", ""))  # as its author sees paths
        return replace(turn, problem=f"its folder can't be kept: {why}", is_sent=False, kind="excessive")

    def keep(self, to: Path) -> None:
        """Copy the folder to `to`. If koth runs as root, root then owns the folder, without set-user-ID bits.

        Raises OSError, and CopyError beyond the limits.
        """
        if os.getuid() == 0:
            change_owner(self.path, 0)
        self._copy(self.path, to)

    def _copy(self, source: Path, to: Path) -> None:
        part = to.with_name(f"{to.name}.part")
        to.parent.mkdir(parents=True, exist_ok=True)
        remove(part)
        try:
            copy_folder(source, part, self.limits, _is_arena, skips_odd=True)
            remove(to)
            part.rename(to)
        finally:
            remove(part)


def _is_arena(entry: Entry) -> bool:
    return entry.place == ARENA
