"""The page on writing an aliens bot."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from koth.games import load
from koth.games.aliens import bot as api
from koth.games.aliens.state import Settings
from tests.docs.pages import Line, Page, a_match, write_bot

TWO = Settings(instances=2, prey=1, rounds=60)
SEED = 3
"""Of the match that the messages are from."""


@cache
def played() -> dict[str, str]:
    """The blocks that come out of matches: of the messages the first of each kind."""
    log: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        path = write_bot(Path(folder) / "west", bot_py=PAGE.block("program"), koth_toml=PAGE.block("manifest"))
        a_match(PAGE.game, TWO, [path, "@rock"], SEED, log)
    found = {"hello": log[0].text, "ready": log[1].text, "bye": log[-1].text}
    for question in PAGE.game.questions(TWO, 2):
        at = next(k for k, line in enumerate(log) if f'"question":"{question}"' in line.text)
        found[question], found[f"{question}-answer"] = log[at].text, log[at + 1].text
    return found


PAGE = Page(
    game=load("aliens"),
    written=frozenset({"commands", "check", "class", "manifest", "program"}),
    play=played,
    api=(
        *(name for name in vars(api.Alien) if not name.startswith("_")),
        *("in_direction", "random_move", *api.Move.__members__),
    ),
    shorter=("--set", "rounds=30"),
)


def test_the_class_plays(tmp_path: Path) -> None:
    a_match(PAGE.game, TWO, [write_bot(tmp_path / "hunter", bot_py=PAGE.block("class")), "@rock"], SEED)
