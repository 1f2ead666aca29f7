"""The additional cost of a match that a cluster plays: `python benchmarks/cluster.py [matches]`.

A scheduler of Dask's and one worker, processes of their own on this machine, against this process (`--jobs 1`), the
two in turn: matches of some milliseconds for what a job costs on top, matches of the usual length for the share of
their speed that is left (0.9 is asked). And the bytes of a job and of a report.
"""

from __future__ import annotations

import pickle
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from koth.contest.bundle import Bundle
from koth.contest.contest import Contest
from koth.contest.match_runner import LocalRunner, play_job
from koth.contest.preflight import build
from koth.contest.run import ONE_AT_A_TIME, Callbacks, run
from koth.contest.store import Store
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample
from koth.engine.secret import Secret
from koth.game import TimeControl
from koth.games import load as load_game
from koth_cluster.addresses import SchedulerAddress
from koth_cluster.executor import in_cluster, make_security

GAME = load_game("zombies")
SHORT = {"players": 3, "vision": 2, "shoot_range": 2, "density": 0.02}
BOTS = 3
ROUNDS = 3


@contextmanager
def cluster() -> Iterator[SchedulerAddress]:
    """The address of a scheduler with one worker."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = SchedulerAddress("tcp", "127.0.0.1", port)
    http = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    words = [
        ["distributed.cli.dask_scheduler", "--host", address.host, "--port", str(port), *http],
        ["koth", "worker", str(address), "--isolation", "none"],
    ]
    started = [subprocess.Popen([sys.executable, "-m", *argv], stderr=subprocess.DEVNULL) for argv in words]
    try:
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def contest(folder: Path, matches: int, settings: dict[str, Any]) -> Contest:
    bots = []
    for name in GAME.default_entrants[:BOTS]:
        bot, problem = build(load_bot(GAME, find_sample(GAME.name, name), Interpreters(), name), folder / "bots")
        assert not problem
        bots.append(bot)
    return Contest(
        game=GAME.name,
        ruleset="published",
        overrides=settings,
        secret=Secret.from_seed(1),
        matches=matches,
        bots=bots,
        time_control=TimeControl(),
    )


def took(played: Contest, folder: Path, make_executor: Any) -> float:
    """Seconds from the first match's end to the last one's: starting and joining are not cost of a job."""
    ends: list[float] = []
    with closing(Store(folder)) as store:
        run(
            played,
            store,
            make_executor=make_executor,
            progress=Callbacks(lambda row: ends.append(time.perf_counter())),
        )
    return (ends[-1] - ends[0]) / (len(ends) - 1)


def compare(folder: Path, matches: int, settings: dict[str, Any], there: Any) -> tuple[float, float]:
    """Seconds of a match here and there, the quickest of some rounds."""
    here, cluster = [], []
    for turn in range(ROUNDS):
        for name, make_executor, told in (("here", ONE_AT_A_TIME, here), ("there", there, cluster)):
            at = folder / f"{name}-{matches}-{turn}"
            told.append(took(contest(at, matches, settings), at, make_executor))
    return min(here), min(cluster)


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    with tempfile.TemporaryDirectory() as name, cluster() as address:
        folder = Path(name)
        played = contest(folder / "sizes", 1, {})
        job = played.job(played.draw_schedule()[0])
        (folder / "replays").mkdir()
        place = LocalRunner(played.isolation, folder / "replays", {bot.name: bot for bot in played.bots})
        report = play_job(place, lambda news: None, job)
        bundles = sum(len(pickle.dumps(Bundle.of(bot.path, bot.content))) for bot in played.bots)
        print(f"a job of {len(played.bots)} bots: {len(pickle.dumps(job)):,} bytes, its report ", end="")
        print(f"{len(pickle.dumps(report)):,} bytes, of which the replay {len(report.replay):,}; ", end="")
        print(f"the bots, once for each worker: {bundles:,} bytes", flush=True)
        there = partial(in_cluster, address, make_security(address), lambda text: None)
        here, cluster_ = compare(folder, 3 * matches, SHORT, there)
        print(f"matches of {here * 1000:.0f} ms: {(cluster_ - here) * 1000:+.1f} ms each by a worker", flush=True)
        here, cluster_ = compare(folder, matches, {}, there)
        print(f"matches of {here:.2f} s: {here / cluster_:.2f} of the speed of --jobs 1", flush=True)


if __name__ == "__main__":
    main()
