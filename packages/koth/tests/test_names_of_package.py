"""koth is installed from a checkout or a wheel: `koth` on the public index is another project."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
BARE = re.compile(r"pip install(?: -\S+)*\s+['\"]?koth(-arena)?(\[[\w,]+\])?(?=['\"`\s;:,.]|$)(?! @)")
NEEDED = re.compile(r"dependencies = \[[^\]]*\"koth[\"\[<>=]")


def test_nothing_installs_koth_by_a_bare_name() -> None:
    assert all(map(BARE.search, ("pip install koth", "pip install 'koth[hill]'")))
    assert not BARE.search("pip install './koth-gold[test]'")
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    kept = {"RELEASING.md", f"packages/koth/tests/{Path(__file__).name}"}
    files = (ROOT / name for name in names if name not in kept)
    found = []
    for file in files:
        try:
            text = file.read_text()
        except (UnicodeDecodeError, OSError):
            continue
        found += [f"{file}: {line}" for line in text.splitlines() if BARE.search(line) or NEEDED.search(line)]
    assert not found
