"""Paths of the host in texts that strangers read: reasons, faults, the output of builds."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import koth
from koth.files.cache import cache_folder, home_folder

PACKAGES = {Path(__file__).parent, Path(koth.__file__).parent}
PATH_LETTER = r"[^\s'\"`:;,()<>\[\]]"
"""Characters of a path within a sentence."""
START = r"(?<![\w./-])/(?!/|(?:bin|bot|dev|etc|lib|lib64|proc|sbin|sys|usr)\b)"
"""The beginning of a path outside the folders that every machine has, and bots see."""
ELSEWHERE = re.compile(f"{START}{PATH_LETTER}+")
UNPACKED = re.compile(rf"{START}(?:{PATH_LETTER}*?/)?(?:koth-(?!hill-)|zips/)[^/\s]*/")
"""The beginnings of paths of unpacked files, which have their author's names."""
_hills: set[Path] = set()


def hide_folder(folder: Path) -> None:
    """Hide the path of a hill's folder from now on."""
    _hills.add(folder.absolute())


def remove_host_paths(text: str) -> str:
    """Return a text in which paths of authors' files are relative, and paths of the host are removed."""
    if "/" not in text:
        return text
    temporary, zips = Path(tempfile.gettempdir()), cache_folder("zips")
    for root in _add_targets({temporary / "koth-", zips / ""}):  # what was unpacked there has its author's names
        begin = re.escape(str(root)) + ("/" if root.name == zips.name else "")
        text = re.sub(rf"(?<![\w./-]){begin}[^/\s]*/", "", text)
    home = home_folder()
    roots = {temporary, zips.parent, *PACKAGES, Path(sys.prefix), *_hills, *([home] if home else [])}
    for root in sorted(_add_targets(roots), key=lambda root: -len(str(root))):
        if len(root.parts) > 1:
            text = re.sub(rf"(?<![\w./-]){re.escape(str(root))}(?:/{PATH_LETTER}*)?(?!{PATH_LETTER})", _name, text)
    return text


def remove_all_paths(text: str) -> str:
    """Return what an author's program or build printed, without paths of the host.

    Of every path outside the system's folders only the last name is left, whether the path exists or not: else
    authors could guess the host's folders.
    """
    return ELSEWHERE.sub(_name, remove_host_paths(UNPACKED.sub("", text)))


def _add_targets(paths: set[Path]) -> set[Path]:
    """Return these paths, and their targets if they are links."""
    return paths | {path.parent.resolve() / path.name for path in paths}


def _name(found: re.Match[str]) -> str:
    return Path(found[0]).name
