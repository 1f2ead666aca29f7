"""The page on writing a metalman bot."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

from koth.games import load
from koth.games.metalman.percepts import PARTS
from koth.games.metalman.state import Settings
from tests.docs.pages import Line, Page, a_match, write_bot

SMALL = Settings(map="FFFFF\nFFFFF\nFFOFF\nFFWFF\nFFFFF")
SEED = 1
"""Of the match that the messages are from."""


@cache
def played() -> dict[str, str]:
    """The blocks that come out of matches: of the messages the first question with an enemy in it."""
    log: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        path = write_bot(Path(folder) / "middle", bot_py=PAGE.block("program"), koth_toml=PAGE.block("manifest"))
        a_match(PAGE.game, SMALL, [path, "@random_steps"], SEED, log)
    ask = next(k for k, line in enumerate(log) if "playerId" in line.text)
    return {
        "hello": log[0].text,
        "ready": log[1].text,
        "ask": log[ask].text,
        "answer": log[ask + 1].text,
        "bye": log[-1].text,
    }


PAGE = Page(
    game=load("metalman"),
    written=frozenset({"commands", "check", "atlas", "manifest", "program"}),
    play=played,
    api=(
        *("look", "distances", "threatened", "strike_or_go", "best"),
        *(f'"{part}"' for part in PARTS),
        *('"moves"', '"direction"', '"playerId"', '"type"', '"square"'),
    ),
)


def test_every_percept_is_told() -> None:
    percepts = set(json.loads(played()["ask"])) - {"ask", "question"}
    assert len(percepts) == 9
    assert PAGE.untold([f'"{key}"' for key in sorted(percepts)]) == []


def test_the_class_plays(tmp_path: Path) -> None:
    bot = write_bot(tmp_path / "marcher", bot_py=PAGE.block("atlas"))
    a_match(PAGE.game, PAGE.game.rulesets["published"], [bot, "@random_steps", "@hunter"], SEED)
