"""Restored frames of replays that contain only answers, for pages, films and terminals."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from koth.diagnostics.rerun import find_key
from koth.engine.settings import read_settings
from koth.files.bounded_read import LARGEST_FILE as LARGEST_FILE
from koth.files.cache import cache_folder
from koth.games import load
from koth.replay.names import SUFFIX
from koth.replay.reader import Replay, ReplayError, open_replay
from koth.replay.verify import Differs, record_again

MOST_RESTORED = 40
"""The largest number of cached restored replays; the most recently used stay."""


def read_with_frames(path: Path, top: Path | None = None) -> bytes:
    """Return a replay's content with frames (see `restore_frames`). Raises KothError."""
    made = restore_frames(path, top)
    try:
        with open_replay(made, top if made == path else None) as file:
            return file.read(LARGEST_FILE)
    except OSError as error:
        raise ReplayError(f"{error.filename or made}: {error.strerror}") from None


def restore_frames(path: Path, top: Path | None = None) -> Path:
    """Return a replay's path if the replay has frames, or else a cached copy with frames. Raises KothError.

    `top` is the folder in which the replay was found (see `open_replay`).
    """
    replay = Replay(path, top=top)
    if replay.frames:
        return path
    if replay.result is None:
        raise ReplayError(f"{path}: it holds no frames; they can be restored when the match is over")
    folder = cache_folder("frames")
    made = folder / f"{replay.digest}{'-key' if replay.key else ''}{SUFFIX}"
    if made.is_file():
        with contextlib.suppress(OSError):
            os.utime(made)
        return made
    game = load(replay.header["game"])
    part = folder / f"{replay.digest}-{os.getpid()}-{threading.get_ident()}{SUFFIX}"
    try:
        record_again(
            game,
            replay,
            read_settings(game, replay.header),
            part,
            find_key(replay),
            frames=True,
            reveal_key=replay.key is not None,
        )
        part.replace(made)
        for old in sorted(folder.glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime)[:-MOST_RESTORED]:
            old.unlink(missing_ok=True)
    except Differs as difference:
        raise ReplayError(f"{path}: its frames can't be restored: {difference}") from None
    except OSError as error:
        raise ReplayError(f"{error.filename or folder}: {error.strerror}") from None
    return made
