"""The law on hash seeds: the matches of a plain game must not depend on the order of a set."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b

from koth.game import Answers, Observations, state_hash
from koth.testing.cases import Case, begin, play, policy_of

SEEDS = ("1", "2")
"""Two fixed hash seeds, so that the result of the law is repeatable."""
CHILD = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
case = pickle.load(sys.stdin.buffer)
from koth.testing.hash_seeds import digests
print("played", digests(case))
"""


def hash_seeds_do_not_matter(case: Case) -> None:
    """Check that two processes with different hash seeds observe and play the same (games in the plain form)."""
    if not getattr(case.game, "is_plain", False):
        return  # kernels know no texts, whose order in a set is another in each process
    pickled = pickle.dumps(sys.path) + pickle.dumps(case)
    with ThreadPoolExecutor(len(SEEDS)) as threads:
        found = list(threads.map(lambda seed: _play(pickled, seed), SEEDS))
    differ = [step for step, (one, other) in enumerate(zip(*found, strict=False)) if one != other]
    assert found[0] == found[1], (
        f"step {differ[0] if differ else -1} differs in a process with another hash seed: "
        "the order of a set was used (sort it, or keep a list or a dict)"
    )


def _play(pickled: bytes, seed: str) -> list[str]:
    """Return the digests of the case in a new process with this hash seed."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", CHILD], env=environment, input=pickled, capture_output=True, check=False
    )
    lines = [line for line in done.stdout.decode().splitlines() if line.startswith("played ")]
    assert lines, (
        f"a new process can't play it: {(done.stderr.decode().strip() or 'it says nothing').splitlines()[-1]}"
    )
    played: list[str] = json.loads(lines[-1].removeprefix("played "))
    return played


def digests(case: Case) -> str:
    """Return as JSON a digest of each question's observations, and of each turn's state and frame."""
    found: list[str] = []
    batch, policy = begin(case, [case.seed]), policy_of(case, case.seed)

    def observed(observations: Observations) -> Answers:
        arrays = (observations.seat, *observations.fields.values())
        found.append(blake2b(b"".join(array.tobytes() for array in arrays), digest_size=8).hexdigest())
        return policy(observations)

    def note(_: list[int]) -> None:
        frame = case.game.frame(case.settings, batch.state, 0)
        found.append(f"{state_hash(case.game, batch.state, 0)} {list(frame.items())}")

    play(batch, observed, case.turns, note)
    return json.dumps(found)
