"""make torture: what the tests do in samples, done in full. Prints what it did; ends with 1 at the first failure.

    python -m scripts.torture [--kills N] [--inputs N] [--seed N]

A contest is killed at random moments and gone on with; malformed answers and damaged replays are read.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import uuid
from pathlib import Path

from tests.cli.program import bot_file, finished, program
from tests.contest.folders import processes, replays, rows, wait_until
from tests.contest.test_interrupted import SLOW, Field
from tests.sandbox import fuzz

from koth.bots.sandbox.levels import choose


def kill(count: int, dice: random.Random, folder: Path) -> None:
    """Kill koth at so many moments of a contest; its results must be those of one that went through."""
    word = uuid.uuid4().hex
    field = Field(folder, word)
    for letter in "ab":
        bot_file(folder, letter + word, SLOW)
    begin = time.monotonic()
    done = finished(program(*field.command("unbroken", 1), cwd=folder))
    seconds = time.monotonic() - begin
    if done.code:
        raise SystemExit(f"the contest does not run: {done.err}")
    unbroken = rows(folder / "unbroken"), replays(folder / "unbroken")
    killed = [0, 0]
    for number in range(count):
        out, moment = f"killed-{number}", dice.uniform(0.05, seconds)
        went_on = _killed(field, out, 1 + number % 2, moment)
        killed[went_on] += 1
        if (rows(folder / out), replays(folder / out)) != unbroken or list((folder / out).rglob("*.part")):
            raise SystemExit(f"kill {number} after {moment:.3f} s: its results differ ({folder / out})")
        shutil.rmtree(folder / out)
        _tell(f"{number + 1} of {count} kills")
    before, during = killed
    print(f"\r{count} kills at isolation {choose().level}, {before} before the first match, {during} later: "
          "the same rows and replays, nothing left running")  # fmt: skip


def _killed(field: Field, out: str, jobs: int, moment: float) -> bool:
    """Kill a contest at this moment and have it finished; whether it was gone on with (else begun anew)."""
    process = program(*field.command(out, jobs), cwd=field.folder)
    time.sleep(moment)
    process.kill()
    process.communicate()
    wait_until(lambda: not processes(field.word))
    went_on = (field.folder / out / "run.json").exists()
    words = ["run", "--resume", out] if went_on else field.command(out, jobs)
    done = finished(program(*words, cwd=field.folder))
    if done.code:
        raise SystemExit(f"killed after {moment:.3f} s, it could not go on: {done.err}")
    wait_until(lambda: not processes(field.word))
    return went_on


def read(count: int, dice: random.Random, folder: Path) -> None:
    """Read so many inputs, a tenth of them replays."""
    talks, tape = fuzz.talks(), fuzz.Tape(folder)
    files = count // 10
    for left in range(count - files, 0, -10_000):
        fuzz.answers(dice.getrandbits(64), min(left, 10_000), talks)
        _tell(f"{count - files - left} of {count - files} malformed answers")
    for left in range(files, 0, -1_000):
        fuzz.replays(dice.getrandbits(64), min(left, 1_000), tape)
        _tell(f"{files - left} of {files} damaged replays")
    print(f"\r{count - files} malformed answers over {len(talks)} wires and {files} damaged replays: no traceback")


def _tell(text: str) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(f"\r{text} ")
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    dice = random.Random(chosen.seed)
    for act, count in ((read, chosen.inputs), (kill, chosen.kills)):
        with tempfile.TemporaryDirectory(prefix="koth-torture-") as folder:
            act(count, dice, Path(folder))


if __name__ == "__main__":
    main()
