"""Every door plays the same match: the command line, Python, and the runner of a hill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import koth as library
from koth.contest.results import replay_place
from koth.engine.secret import Secret
from koth.replay.reader import Replay
from koth_hill.connection import open_hill
from koth_hill.models import Season
from tests.cli.program import GOOD, SMALL, Koth, bot_file
from tests.hill.conftest import Place

SEED = 7
DRAWS = GOOD.replace("import Move", "import Move\nimport random").replace("context.id.number", "random.randrange(9)")
"""The source of a bot that uses its seed."""


def played(replay: Path | None) -> tuple[str, dict[str, float]]:
    """Return the digest of a replay and the scores in it."""
    assert replay is not None
    record = Replay(replay)
    assert record.result is not None
    return record.digest, record.result["scores"]


def test_every_door_plays_the_same_match(koth: Koth, hill: Place, tmp_path: Path) -> None:
    words = {name: bot_file(tmp_path, name, source) for name, source in (("fox", GOOD), ("hen", DRAWS))}
    rules = dict(setting.split("=") for setting in SMALL[1::2])
    settings = {key: float(value) if "." in value else int(value) for key, value in rules.items()}
    out = tmp_path / "run"
    options = ("--matches", 2, "--dice", "independent", "--seed", SEED, "--isolation", "none")
    assert koth("run", "zombies", *words.values(), *options, *SMALL, "--out", out).code == 0
    first, second = (out / replay_place(number) for number in (1, 2))

    same: dict[str, Any] = {"seed": SEED, "isolation": "none", "settings": settings}
    run = library.run("zombies", words, matches=2, dice="independent", **same)
    assert [played(run.matches[number].replay) for number in (0, 1)] == [played(first), played(second)]

    match = library.play_match("zombies", words, **same)
    assert played(match.replay) == played(first)

    secret = Secret.from_seed(SEED)
    with open_hill(hill.folder):
        Season.objects.update(secret=str(secret), commitment=secret.commitment)
    for bot in words.values():
        hill("submit", bot)
    hill("run", "--matches", 1, "--isolation", "none")
    assert played(hill.folder / replay_place(1)) == played(first)
    (match_of_hill,) = hill.matches()
    scores = {seat["bot"]: seat["score"] for seat in match_of_hill["seats"]}
    assert scores == run.matches[0].scores
