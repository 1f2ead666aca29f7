"""A process that plays tries."""

from __future__ import annotations

import socket
import sys
import time

from koth.games import load
from koth.hill.side_processes import open_side_process
from koth.warmup import compile_once

LOOK_SECONDS = 0.3
"""Seconds between two checks of an idle process for new tries."""


def serve(parent: int) -> None:
    """Play tries until the parent process ends."""
    with open_side_process(parent) as (hill, number, given, isolation):
        from koth.hill.tries import claim, end_abandoned
        from koth.hill.try_runner import TryRunner  # the models need the hill

        game = load(hill.game)
        compile_once(game)
        player = f"{socket.gethostname()} {number}"
        end_abandoned(player)
        runner = TryRunner.of(hill, game, given, isolation, number)
        while True:
            attempt = claim(player)
            if attempt is None:
                time.sleep(LOOK_SECONDS)
            else:
                runner.play(attempt)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
