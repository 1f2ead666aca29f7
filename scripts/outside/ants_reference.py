"""Matches of Ants by its own engine and host, with the dice of koth's: `ants_reference.py CLONE RUN BOTS PYTHON`.

It prints JSON: the scores of each match of RUN by bot, the same with dice of the engine's own, and the processor
seconds of engine and host with koth's dice. BOTS is the folder of the bots, which PYTHON starts (version 2.7).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from koth.plain.match import Dice
from koth.replay.reader import Replay

LIMITS = {"loadtime": 60_000, "turntime": 30_000, "capture_errors": False}


def main(clone: Path, run: Path, bots: Path, python: str) -> None:
    """Play the matches and print the results."""
    sys.path[:0] = [str(clone / "worker"), str(clone / "ants")]
    from koth_ants import match as rules

    import engine  # type: ignore[import-not-found]

    scores: dict[str, dict[str, float]] = {}
    others: dict[str, dict[str, float]] = {}
    seconds = 0.0
    for path in sorted((run / "replays").iterdir()):
        replay = Replay(path)
        assert replay.key is not None
        seats = [bot["name"] for bot in replay.header["bots"]]
        settings = replay.header["settings"]
        commands = [(str(bots), f"{python} {name}Bot.py") for name in seats]
        for found, game in ((scores, _make_game(rules, settings, replay.key.dice)), (others, None)):
            if game is None:
                rules.draw_by(Random(path.name))
                game = rules.kit.Ants(_options(rules, settings, len(others)))
            start = time.process_time()
            told = engine.run_game(game, commands, {**LIMITS, "turns": settings["turns"]})
            seconds += (time.process_time() - start) * (found is scores)
            found[path.name] = dict(zip(seats, told["score"], strict=True))
    print(json.dumps({"scores": scores, "others": others, "seconds": seconds}))


def _options(rules: Any, settings: dict[str, Any], player_seed: int) -> dict[str, Any]:
    """Return the engine's options for a match."""
    fixed = {"map": rules.MAPS[settings["map"]], "food": "symmetric", "engine_seed": 0}
    return {**settings, **fixed, "player_seed": player_seed}


def _make_game(rules: Any, settings: dict[str, Any], seed: int) -> Any:
    """Return a game of the kit that draws what koth's match draws."""

    class Game(rules.kit.Ants):  # type: ignore[misc, name-defined]
        def start_turn(self) -> None:
            draw_by(rules.TURN, self.turn + 1)
            super().start_turn()

    def draw_by(phase: int, turn: int) -> None:
        rules.draw_by(Dice(seed, turn).random(phase))

    draw_by(rules.ENGINE, 0)
    return Game(_options(rules, settings, Dice(seed, 0).integer(rules.PLAYER, 0, 1 << 31)))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]), sys.argv[4])
