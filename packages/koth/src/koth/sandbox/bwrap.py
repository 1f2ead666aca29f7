"""The arguments for bubblewrap, which makes the namespaces of the level `strong`; `namespaces.py` runs bubblewrap.

Every kind of namespace is unshared, and the file system is read-only. An idle shell, process 1 of the sandbox and not
part of the bot, holds the namespaces, so they end with the shell whatever a bot does. If koth is root, each bot gets
a user that owns nothing, if possible its own.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from koth.sandbox.mounts import BOT, CLASSES, KOTH, MERGED, SETTINGS, STAGED, SYSTEM, Mount
from koth.sandbox.policy import TEMPORARY, TEMPORARY_FILES, SandboxPolicy
from koth.sandbox.staging import stage
from koth.sandbox.start_request import NamespacePlan
from koth.sandbox.users import NOBODY, ONE, own_user

NAMESPACES = ("--unshare-all", "--unshare-user", "--die-with-parent", "--as-pid-1", "--new-session")
DEVICES = ("/dev/null", "/dev/urandom")
"""Device files of a sandbox. Not /dev/zero, not even while a bot is built: mapping it makes shared memory that no
limit counts.
"""
LINKS = {
    "/dev/random": "urandom",
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "fd/0",
    "/dev/stdout": "fd/1",
    "/dev/stderr": "fd/2",
}
ASIDE = "/mnt"
"""An empty folder, in which a mount is made before it is moved."""
KEPT_CAPABILITY = "CAP_SETPCAP"
"""The capability that only the shell keeps, so that no other process of the sandbox may signal or trace it."""


def plan_namespaces(
    bwrap: str, folder: Path, policy: SandboxPolicy, mounts: Sequence[Mount], timeout: float
) -> tuple[NamespacePlan, list[str]]:
    """Return the namespaces of a sandbox with these mounts, and the arguments of bwrap. Raises OSError."""
    system = tuple(Mount(path, path) for path in SETTINGS if os.path.exists(path))
    koths = [mount for mount in mounts if mount.inside.startswith(f"{KOTH}/")]
    mounted = [mount for mount in mounts if mount not in koths]
    mounted.append(Mount(str(stage(system, "/")), STAGED))
    if koths:
        mounted.append(Mount(str(stage(koths, KOTH)), KOTH))
    inside = [mount.inside for mount in mounted]
    hidden = [path for path in inside if path in (STAGED, KOTH) or path.startswith(f"{CLASSES}/")]
    plan = NamespacePlan(
        bwrap=bwrap,
        maps_users=os.getuid() == 0,
        user=ONE if policy.writable else own_user(),
        hidden_sources=[] if policy.writable else [BOT, *hidden],
        temporary=f"size={policy.temporary},nr_inodes={TEMPORARY_FILES}" if policy.temporary else "",
        network=False,
        aside=ASIDE,
        timeout=timeout,
    )
    return plan, _arguments(folder, policy, mounted, [mount.inside for mount in system])


def _arguments(folder: Path, policy: SandboxPolicy, mounts: Sequence[Mount], settings: Sequence[str]) -> list[str]:
    """Return the arguments of bwrap. Mounts are ten times as slow as folders or links, so the sandbox has few."""
    words = base_words("bot")
    words += ["--remount-ro", "/proc"]  # a bot could lower its own priority by writing there
    words += device_words(DEVICES)
    if policy.writable:
        words += ["--bind", str(folder / TEMPORARY), "/tmp"]
    else:
        words += ["--perms", "1777", "--tmpfs" if policy.temporary else "--dir", "/tmp"]
    words += system_words()
    made: set[str] = set()
    for path in settings:
        words += [*_folders_above(path, made), "--symlink", f"{STAGED}{path}", path]
    words += mount_words(mounts, made)
    words += ["--dir", ASIDE]
    words += ["--bind" if policy.writable else "--ro-bind", str(folder), BOT, "--chdir", BOT]
    return [*words, "--remount-ro", "/"]


def base_words(hostname: str) -> list[str]:
    """Return the arguments for namespaces of all kinds, the capabilities and user in them, and their `/proc`."""
    user = str(0 if os.getuid() == 0 else NOBODY)
    words = [*NAMESPACES, "--hostname", hostname, "--cap-drop", "ALL", "--cap-add", KEPT_CAPABILITY]
    return [*words, "--uid", user, "--gid", user, "--proc", "/proc"]


def device_words(devices: Sequence[str]) -> list[str]:
    """Return the arguments for a `/dev` with these device files.

    bwrap's own `--dev` has terminals, too, for which it makes a second namespace of users that nothing can enter.
    """
    binds = [word for path in devices for word in ("--dev-bind", path, path)]
    links = [word for path, target in LINKS.items() for word in ("--symlink", target, path)]
    return ["--perms", "0755", "--dir", "/dev", *binds, *links]


def system_words() -> list[str]:
    """Return the arguments for the folders of the system, read-only."""
    words = [word for path in SYSTEM for word in ("--ro-bind", path, path)]
    merged = [f"/{name}" for name in MERGED if os.path.isdir(f"/{name}")]
    return words + [word for path in merged for word in _mount_words(Mount(path, path))]


def mount_words(mounts: Sequence[Mount], made: set[str]) -> list[str]:
    """Return the arguments for read-only mounts and their parent folders; `made` lists the folders that exist."""
    return [word for mount in mounts for word in (*_folders_above(mount.inside, made), *_mount_words(mount))]


def _mount_words(mount: Mount) -> list[str]:
    """Return the arguments for a mount; a link to a folder, as /lib or in Python environments, stays a link."""
    if os.path.islink(mount.source) and os.path.isdir(mount.source):
        return ["--symlink", os.readlink(mount.source), mount.inside]
    return ["--ro-bind", mount.source, mount.inside]


def _folders_above(path: str, made: set[str]) -> list[str]:
    folder = os.path.dirname(path)
    if folder in ("/", "/tmp", *SYSTEM) or folder in made:
        return []
    made.add(folder)
    return [*_folders_above(folder, made), "--perms", "0755", "--dir", folder]


def read_version(bwrap: str) -> str:
    """Return the version text of bwrap."""
    done = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()
