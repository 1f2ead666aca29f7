"""Rewrite goldens: `python -m tests.golden [FILE ...]`; with `--check` only say which ones differ."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.golden import paths, play_again


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    files = [Path(argument) for argument in arguments if argument != "--check"] or paths()
    changed = 0
    for path in files:
        text = play_again(path)
        if text == path.read_text(encoding="utf-8"):
            continue
        changed += 1
        print(f"{path.name}: {'differs' if check else 'rewritten'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and changed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
