"""The common parts of the pages on writing a bot, and the means to keep them true.

Each block of a page has a name, in a comment before it. *Written* blocks (commands, programs) are run by the tests;
*played* ones are what comes out of matches, and `python -m tests.docs` writes them into the pages anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.match import Hosting, Result, play
from koth.protocol.bot_protocol import Reply
from koth.session.bot import Bot

DOCS = Path(__file__).resolve().parents[4] / "docs"
BLOCK = re.compile(r"<!-- block: ([\w-]+) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
SAMPLE = re.compile(r"^\| `(\w+)` \|((?: +[\d.,–]+ \|)+)$", re.MULTILINE)
"""A sample's row: its name and its typical scores."""


@dataclass(frozen=True)
class Page:
    """One game's page.

    `play` gives the played blocks by name. `api` are the names that the page must tell of. `shorter` is added to
    every `koth run` of the page, so that its tests do not take minutes.
    """

    game: Any
    written: frozenset[str]
    play: Callable[[], Mapping[str, str]]
    api: tuple[str, ...] = ()
    commands: tuple[str, ...] = ("commands", "check")
    shorter: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        name: str = self.game.name
        return DOCS / f"{name}.md"

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def blocks(self) -> list[str]:
        """The names of its blocks, in order."""
        return [name for name, _, _ in BLOCK.findall(self.text())]

    def block(self, name: str) -> str:
        """The text of one block."""
        return {key: text for key, _, text in BLOCK.findall(self.text())}[name]

    def untold(self, names: Sequence[str]) -> list[str]:
        """Those of these names that stand nowhere on the page as code."""
        text = BLOCK.sub("", self.text())
        return [name for name in names if not re.search(rf"`[^`\n]*(?<!\w){re.escape(name)}(?!\w)[^`\n]*`", text)]

    def rewrite(self) -> None:
        """Put what is played into the page."""
        text = self.text()
        for name, content in self.play().items():
            text = re.sub(
                rf"(<!-- block: {name} -->\n```\w+\n).*?```\n",
                lambda found, content=content: found[1] + content + "```\n",  # type: ignore[misc]
                text,
                flags=re.DOTALL,
            )
        self.path.write_text(text, encoding="utf-8")


class Line(NamedTuple):
    """What koth told a bot, or what the bot said."""

    said: bool
    text: str


class Overheard:
    """A protocol whose messages are written down."""

    def __init__(self, protocol: Any, log: list[Line]) -> None:
        self._protocol = protocol
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._protocol, name)

    def _told(self, data: bytes) -> bytes:
        self._log.append(Line(False, data.decode()))
        return data

    def hello(self, match_info: Any) -> bytes:
        return self._told(self._protocol.hello(match_info))

    def ask(self, observations: Any) -> bytes:
        return self._told(self._protocol.ask(observations))

    def bye(self, scores: Sequence[float]) -> bytes:
        return self._told(self._protocol.bye(scores))

    def decode(self, message: bytes) -> Any:
        self._log.append(Line(True, message.decode() + "\n"))
        meaning = self._protocol.decode(message)
        if isinstance(meaning, Reply):
            self._told(meaning.data)
        return meaning


@dataclass(frozen=True)
class OverheardBot(Bot):
    """A bot whose conversation is written down."""

    log: list[Line] = field(default_factory=list)

    def open_protocol(self, game: Any, settings: Any, seats: int) -> Any:
        return Overheard(super().open_protocol(game, settings, seats), self.log)


def write_bot(folder: Path, **files: str) -> Path:
    """A bot's folder with these files, `_` in their names standing for a dot."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


def a_match(game: Any, settings: Any, bots: Sequence[str | Path], seed: int, log: list[Line] | None = None) -> Result:
    """A match between these bots, named as on a command line, in which the first of them has no fault.

    What is said between koth and the first one goes to the log, if there is one.
    """
    found = find_entrants(game, [str(bot) for bot in bots], Interpreters())
    entrants, errors = found.bots, found.problems
    assert not errors
    first = entrants[0]
    if log is not None:
        entrants[0] = OverheardBot(**{f.name: getattr(first, f.name) for f in fields(Bot)}, log=log)
    result = play(game, settings, entrants, seed, Hosting(ruleset=next(iter(game.rulesets))))
    assert result.records[first.name].faults == {}, result.records[first.name].stderr
    return result
