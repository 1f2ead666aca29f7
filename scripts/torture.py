"""make torture: what the tests do in samples, done in full. Prints what it did; ends with 1 at the first failure.

    python -m scripts.torture [--kills N] [--inputs N] [--deaths N] [--seed N]

A contest and a hill's site are killed at random moments and gone on with; malformed answers and damaged replays are
read; bots die in every way, in numbers, beside honest ones, at every level of isolation.
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

from koth.sandbox.levels import choose_level, try_level
from tests import fuzz
from tests.cli.program import bot_file, finished, program
from tests.contest.folders import processes, replays, rows, wait_until
from tests.contest.test_interrupted import SLOW, Field
from tests.hill.site.killing import kill_site
from tests.sandbox.zoo import LEVELS
from tests.session import test_deaths


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
    print(f"\r{count} kills at isolation {choose_level().level}, {before} before the first match, {during} later: "
          "the same rows and replays, nothing left running")  # fmt: skip


def _killed(field: Field, out: str, jobs: int, moment: float) -> bool:
    """Kill a contest at this moment and have it finished; whether it was gone on with (else begun again)."""
    process = program(*field.command(out, jobs), cwd=field.folder)
    time.sleep(moment)
    process.kill()
    process.communicate()
    wait_until(lambda: not processes(field.word))
    went_on = (field.folder / out / "run.json").exists()
    words = ["resume", out] if went_on else field.command(out, jobs)
    done = finished(program(*words, cwd=field.folder))
    if done.code:
        raise SystemExit(f"killed after {moment:.3f} s, it could not go on: {done.err}")
    wait_until(lambda: not processes(field.word))
    return went_on


def kill_uploads(count: int, dice: random.Random, folder: Path) -> None:
    """Kill a hill's site at so many moments: no upload that it has confirmed may be lost."""
    try:
        confirmed = kill_site(count, dice, folder, _tell)
    except AssertionError as error:
        raise SystemExit(str(error)) from None
    print(f"\r{count} kills of a site: {confirmed} confirmed uploads, none lost")


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
    print(
        f"\r{count - files} malformed answers over {len(talks)} protocols and {files} damaged replays: no traceback"
    )


def die(count: int, dice: random.Random, folder: Path) -> None:
    """Play so many matches in which bots die: in the first, a middle or the last question, before or after it."""
    levels = ["none", *(level for level in LEVELS if try_level(level).works)]
    turns = 12
    for number in range(count):
        level, death = levels[number % len(levels)], dice.choice(list(test_deaths.DEATHS))
        what, kind = test_deaths.DEATHS[death]
        question, dying = dice.choice((1, turns // 2, turns)), dice.randint(1, 8)
        after = question < turns and dice.random() < 0.5  # nobody looks after the last one
        home = folder / f"deaths{number}"
        home.mkdir()
        source = test_deaths.DYING.format(death=what, question=question, after=after)
        try:
            result = test_deaths.match(home, level, source, dying, 10 - dying, turns)
            test_deaths.check(result, kind, question - (not after))
        except AssertionError as error:
            told = f"{dying} bots: {death} at question {question} ({after=}), level {level}"
            raise SystemExit(f"{told}: {error}") from None
        shutil.rmtree(home)
        _tell(f"{number + 1} of {count} matches with deaths")
    print(f"\r{count} matches in which bots died, at {', '.join(levels)}: nobody else had a fault")


def _tell(text: str) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(f"\r{text} ")
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--deaths", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    dice = random.Random(chosen.seed)
    for act, count in (
        (read, chosen.inputs),
        (kill, chosen.kills),
        (kill_uploads, chosen.kills),
        (die, chosen.deaths),
    ):
        with tempfile.TemporaryDirectory(prefix="koth-torture-") as folder:
            act(count, dice, Path(folder))


if __name__ == "__main__":
    main()
