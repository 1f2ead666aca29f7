"""The law on hash seeds: the matches of a plain game must not depend on the order of a set."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from hashlib import blake2b

from koth.game import Answers, Observations, state_hash
from koth.testing.cases import Case, begin, play, policy_of

CHILD = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
case = pickle.load(sys.stdin.buffer)
from koth.testing.hash_seeds import print_digests
print_digests(case)
"""


def hash_seeds_do_not_matter(case: Case) -> None:
    """Check that two processes with different hash seeds observe and play the same (games in the plain form)."""
    if not getattr(case.game, "is_plain", False):
        return  # kernels know no texts, whose order in a set is another in each process
    pickled, found = pickle.dumps(sys.path) + pickle.dumps(case), []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        child = [sys.executable, "-c", CHILD]
        done = subprocess.run(child, env=environment, input=pickled, stdout=subprocess.PIPE, check=True)
        found.append(done.stdout.splitlines())
    differ = next((step for step, lines in enumerate(zip(*found, strict=False)) if len(set(lines)) > 1), -1)
    assert found[0] == found[1], (
        f"step {differ} differs in a process with another hash seed: "
        "the order of a set was used (sort it, or keep a list or a dict)"
    )


def print_digests(case: Case) -> None:
    """Print a line for each question's observations, and for each turn's state and frame."""
    batch, policy = begin(case, [case.seed]), policy_of(case, case.seed)

    def observed(observations: Observations) -> Answers:
        arrays = (observations.seat, *observations.fields.values())
        print(blake2b(b"".join(array.tobytes() for array in arrays), digest_size=8).hexdigest())
        return policy(observations)

    def note(_: list[int]) -> None:
        frame = case.game.frame(case.settings, batch.state, 0)
        print(state_hash(case.game, batch.state, 0), repr(list(frame.items())))

    play(batch, observed, case.turns, note)
