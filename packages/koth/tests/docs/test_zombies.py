"""The page on writing a zombies bot."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from koth.games import load
from koth.games.zombies import bot as api
from koth.games.zombies.state import Settings
from tests.docs.pages import Line, Page, a_match, write_bot

TWO = Settings(players=2)
SEED = 1
"""Of the match that the messages are from."""


@cache
def played() -> dict[str, str]:
    """The blocks that come out of matches: of the messages the first question answered with a shot and a move."""
    log: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        path = write_bot(Path(folder) / "north", bot_py=PAGE.block("program"), koth_toml=PAGE.block("manifest"))
        a_match(PAGE.game, TWO, [path, "@runner"], SEED, log)
    answer = next(k for k, line in enumerate(log) if line.said and '"shoot"' in line.text and '"NORTH"' in line.text)
    return {
        "hello": log[0].text,
        "ready": log[1].text,
        "ask": log[answer - 1].text,
        "answer": log[answer].text,
        "bye": log[-1].text,
    }


PAGE = Page(
    game=load("zombies"),
    written=frozenset({"commands", "check", "class", "manifest", "program"}),
    play=played,
    api=(
        *(name for kind in (api.Context, api.PlayerId) for name in vars(kind) if not name.startswith("_")),
        *("number", "name", "in_direction", "random_move", "values", *api.Move.__members__),
        *("VISION_RANGE", "SHOOT_RANGE", "STARTING_BULLETS", "PLAYERS_PER_SPECIES"),
    ),
)


def test_the_class_plays(tmp_path: Path) -> None:
    result = a_match(PAGE.game, TWO, [write_bot(tmp_path / "careful", bot_py=PAGE.block("class")), "@runner"], SEED)
    assert result.scores["careful"] > 0
