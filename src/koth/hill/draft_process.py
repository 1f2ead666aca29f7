"""A process that plays drafts."""

from __future__ import annotations

import socket
import sys
import time

from koth.games import load
from koth.hill.side_processes import open_side_process
from koth.warmup import compile_once

LOOK_SECONDS = 0.3
"""Seconds between two checks of an idle process for new drafts."""


def serve(parent: int) -> None:
    """Play drafts until the parent process ends."""
    with open_side_process(parent) as (hill, number, given, isolation):
        from koth.hill.draft_runner import DraftRunner  # the models need the hill
        from koth.hill.drafts import claim, end_abandoned

        game = load(hill.game)
        compile_once(game)
        player = f"{socket.gethostname()} {number}"
        end_abandoned(player)
        runner = DraftRunner.of(hill, game, given, isolation, number)
        while True:
            draft = claim(player)
            if draft is None:
                time.sleep(LOOK_SECONDS)
            else:
                runner.play(draft)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
