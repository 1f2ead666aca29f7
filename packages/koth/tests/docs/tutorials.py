"""The tutorials, a page for each game, and the contest at the end of each: `python -m tests.docs.tutorials GAME`.

A tutorial's bots are blocks with a file's name; the first is what `koth new` makes, a later one may import the one
before. The contest is played in full only when the page is written again; its tests play a little of it.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.docs.pages import BLOCK, DOCS, SAMPLE

FILE = re.compile(r"<!-- file: ([\w/.]+) -->\n```python\n(.*?)```\n", re.DOTALL)
ROW = re.compile(r"^ *(\w+) +(-?[\d,.]+)$", re.MULTILINE)
"""Of what was measured: a bot and its score."""


class Tutorial(NamedTuple):
    """One game's tutorial."""

    game: str

    @property
    def path(self) -> Path:
        return DOCS / f"tutorial-{self.game}.md"

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def blocks(self) -> Mapping[str, str]:
        return {name: text for name, _, text in BLOCK.findall(self.text)}

    @property
    def files(self) -> Mapping[str, str]:
        """Its bots' files, by name."""
        return dict(FILE.findall(self.text))

    @property
    def commands(self) -> list[list[str]]:
        """The commands to begin with, as words after `koth`."""
        return [shlex.split(line)[1:] for line in self.blocks["commands"].splitlines()]

    @property
    def contest(self) -> list[str]:
        """The words after `koth` of the contest at the end."""
        return shlex.split(self.blocks["measure"])[1:]

    @property
    def measured(self) -> Mapping[str, float]:
        """The scores that stand on the page, best first."""
        return {name: float(score.replace(",", "")) for name, score in ROW.findall(self.blocks["measured"])}

    def ranking(self) -> list[str]:
        """The samples of the game's own page, in the order of its table."""
        page = (DOCS / f"{self.game}.md").read_text(encoding="utf-8")
        return [name for name, _ in SAMPLE.findall(page)]

    def write_bots(self, folder: Path) -> None:
        """Put the bots where the commands expect them, but for the first one, which `koth new` makes."""
        before = "step1"
        for name, text in self.files.items():
            path = folder / name
            if re.search(rf"^(import|from) {before}\b", text, re.MULTILINE):
                shutil.copytree(folder / before, path.parent)
                path.rename(path.with_name(f"{before}.py"))
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            before = path.parent.name

    def rewrite(self) -> None:
        """Play the contest and put its scores into the page."""
        with TemporaryDirectory() as folder:
            self.write_bots(Path(folder))
            koth = [sys.executable, "-m", "koth"]
            subprocess.run([*koth, *self.commands[0]], cwd=folder, check=True)
            line = [*koth, *self.contest, "--json", "--replays", "none"]
            told = subprocess.run(line, cwd=folder, check=True, stdout=subprocess.PIPE).stdout
        bots = {word.lstrip("@") for word in self.contest}
        rows = [row for row in json.loads(told)["standings"] if row["bot"] in bots]
        assert not any(row["faults"] for row in rows), rows
        digits = 0 if rows[0]["score"] > 10 else 2
        shown = "".join(f"{row['bot']:<13}{row['score']:>8,.{digits}f}\n" for row in rows)
        old = r"(<!-- block: measured -->\n```text\n).*?```\n"
        self.path.write_text(
            re.sub(old, lambda found: found[1] + shown + "```\n", self.text, flags=re.DOTALL), "utf-8"
        )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Tutorial(name).rewrite()
