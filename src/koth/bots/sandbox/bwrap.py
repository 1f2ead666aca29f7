"""The level `strong`: bubblewrap's name spaces, as the words that ask for them; `room.py` has them made.

Everything is a name space of its own and the file system is read-only. A shell that does nothing holds the room: it
is process 1 of it, none of a bot's, so what is in there ends with it whatever it does. Root makes the room and gives
each bot a user of its own, who owns nothing.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from koth.bots.sandbox.places import BOT, CLASSES, KOTH, MERGED, SETTINGS, SYSTEM, Shown
from koth.bots.sandbox.policy import TEMPORARY, Policy
from koth.bots.sandbox.users import NOBODY, ONE

NAMESPACES = ("--unshare-all", "--unshare-user", "--die-with-parent", "--as-pid-1", "--new-session")
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
"""Not /dev/zero, also while a bot is built: shared memory that nobody counts can be made of it."""
STREAMS = {"/dev/fd": "/proc/self/fd", "/dev/stdin": "fd/0", "/dev/stdout": "fd/1", "/dev/stderr": "fd/2"}
ASIDE = "/mnt"
"""An empty folder, where a mount is made that is then moved."""
RIGHT = "CAP_SETPCAP"
"""What the shell that holds a room keeps, so that nobody in there may touch it who has nothing."""


def room(bwrap: str, folder: Path, policy: Policy, places: Sequence[Shown]) -> Mapping[str, Any]:
    """The orders for a room with these places in it; see `Room.make`."""
    files = [Shown(path, path) for path in SETTINGS if os.path.isfile(path)]
    copied = [place for place in places if place.inside.startswith(f"{KOTH}/") and os.path.isfile(place.source)]
    mounted = [place for place in places if place not in copied]
    veiled = [BOT, *(place.inside for place in mounted if place.inside.startswith(f"{CLASSES}/"))]
    return {
        "bwrap": bwrap,
        "words": _arguments(folder, policy, mounted),
        "files": [(place.source, place.inside) for place in (*files, *copied)],
        "users": os.getuid() == 0,
        "user": ONE if policy.writable else 0,
        "veil": [] if policy.writable else veiled,
        "empty": "/tmp",
        "aside": ASIDE,
    }


def _arguments(folder: Path, policy: Policy, places: Sequence[Shown]) -> list[str]:
    words = [*NAMESPACES, "--hostname", "bot", "--cap-drop", "ALL"]
    user = 0 if os.getuid() == 0 else NOBODY
    words += ["--cap-add", RIGHT, "--uid", str(user), "--gid", str(user)]
    words += ["--proc", "/proc", "--remount-ro", "/proc"]  # by a file there it could make itself be kept waiting
    words += ["--perms", "0755", "--tmpfs", "/dev"]
    for path in DEVICES:
        words += ["--dev-bind", path, path]
    for path, target in STREAMS.items():
        words += ["--symlink", target, path]
    words += ["--remount-ro", "/dev"]
    if policy.writable:
        words += ["--bind", str(folder / TEMPORARY), "/tmp"]
    else:
        words += ["--perms", "1777", "--tmpfs", "/tmp"]
    for path in SYSTEM:
        words += ["--ro-bind", path, path]
    for name in MERGED:
        words += _merged(name)
    made: set[str] = set()
    for path in filter(os.path.isdir, SETTINGS):
        words += [*_folders_above(path, made), "--ro-bind-try", path, path]
    for place in places:
        words += _folders_above(place.inside, made)
        words += ["--ro-bind", place.source, place.inside]
    words += ["--dir", ASIDE]
    words += ["--bind" if policy.writable else "--ro-bind", str(folder), BOT, "--chdir", BOT]
    if not policy.writable:
        words += ["--remount-ro", "/tmp"]
    return words


def _merged(name: str) -> list[str]:
    path = f"/{name}"
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path] if os.path.isdir(path) else []


def _folders_above(path: str, made: set[str]) -> list[str]:
    """Make the folders above a place, so that whoever the bot is may pass through them."""
    words: list[str] = []
    for folder in reversed(PurePosixPath(path).parents[:-1]):
        if str(folder) not in made and str(folder) not in ("/tmp", *SYSTEM):
            made.add(str(folder))
            words += ["--perms", "0755", "--dir", str(folder)]
    return words


def version(bwrap: str) -> str:
    """What bwrap calls itself."""
    done = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()
