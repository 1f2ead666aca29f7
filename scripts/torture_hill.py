"""Hills that are harmed while they play: killed runners, workers and servers, cut connections, full disks.

After each harm all that was on record must be there as it was; at the end every match must be on record once, with
its replay, and ratings and scores must be what the matches give.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from koth.contest.results import replay_place
from koth.games import load
from koth.replay.reader import Replay
from koth_hill import fits, ratings, tries, uploads
from koth_hill.connection import open_hill
from koth_hill.models import Author, Match, Policy, Season, Seat, Try, Version
from tests.cli.program import GOOD, SMALL, Done, bot_file, finished, program
from tests.cluster.test_cluster import Net, kill
from tests.contest.folders import wait_until, workers
from tests.hill.test_postgresql import Server

GAME, BOTS = "zombies", "abcd"
OVER = ("played", "unplayed", "void")
DISK = 8 << 20
"""Bytes of a disk that gets full."""
MOMENT = (0.1, 3.0)
"""Seconds after a match was put on record, between which harm is done."""
Tell = Callable[[str], None]


@dataclass
class Proving:
    """A hill, and what was on record when it was looked at last."""

    folder: Path
    options: tuple[object, ...] = ()
    """Of `koth hill run`."""
    known: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    sent: list[int] = field(default_factory=list)
    """The versions that were sent and confirmed."""
    in_play: int = 0
    """Harms that were done while a match was being played."""

    @classmethod
    def made(cls, place: Path, *options: object, database: str = "") -> Proving:
        """Make a hill in a folder, on which four bots play."""
        hill = cls(place / "hill", options)
        more = ("--database", database) if database else ()
        hill.command("init", GAME, hill.folder, "--seats", 2, "--rank-by", "rating", *SMALL, *more)
        for letter in BOTS:
            hill.command("submit", hill.folder, bot_file(place, letter, GOOD), "--author", letter)
        with open_hill(hill.folder):
            Version.objects.update(state="playing")
        return hill

    def command(self, *words: object) -> None:
        done = finished(program("hill", *words, cwd=self.folder.parent))
        if done.code:
            raise SystemExit(f"koth hill {words[0]}: {done.err}")

    def begin(self, *words: object) -> subprocess.Popen[str]:
        """Start a runner."""
        options = ("--isolation", "none", *self.options, *words)
        return program("hill", "run", self.folder, *options, cwd=self.folder.parent)

    def send(self, source: str) -> None:
        """Send a version to the hill, as its site does, and ask for a try of it."""
        with open_hill(self.folder):
            Policy.objects.get_or_create(uploads_a_day=10**6, tries_a_day=10**6)
            author, _ = Author.objects.get_or_create(name="sender", password="!")
            self.sent.append(uploads.receive(author, "sent.py", source.encode()).pk)
            tries.ask(load(GAME), author, "sent", [("sent.py", source)], [], uploads.read_policy())

    def wait_for_a_match(self, running: subprocess.Popen[str], dice: random.Random) -> None:
        """Wait until a runner has put one more match on record, and from then on for a random time."""
        with open_hill(self.folder):
            before = Match.objects.filter(state="played").count()
            wait_until(lambda: running.poll() is not None or Match.objects.filter(state="played").count() > before)
            time.sleep(dice.uniform(*MOMENT))
            self.in_play += Match.objects.filter(state="playing").exists()
        if running.poll() is not None:
            done = finished(running)
            raise SystemExit(f"the runner has ended with status {done.code}: {done.err}")

    def look(self) -> None:
        """See whether all that was on record is there as it was."""
        with open_hill(self.folder):
            columns = "pk", "block", "job", "digest", "turns", "ended"
            rows = list(
                Match.objects.filter(state="played").values_list(*columns)
            )  # then the scores, for more may come
            scores: dict[int, list[Any]] = {}
            for match, *seat in Seat.objects.filter(match__state="played").values_list("match", "version", "score"):
                scores.setdefault(match, []).append(seat)
            now = {match: (*rest, scores[match]) for match, *rest in rows}
        altered = [match for match, row in self.known.items() if now.get(match) != row]
        if altered:
            raise SystemExit(f"matches {altered} were on record, and are lost or altered ({self.folder})")
        self.known = now

    def settle(self) -> str:
        """Play what has begun to its end; return what there is, in words, once all of it is seen to be right."""
        self.look()
        with open_hill(self.folder):
            left = Match.objects.exclude(state__in=OVER).count()
        done = finished(self.begin("--matches", left + 1))
        if done.code:
            raise SystemExit(f"the hill does not go on: {done.err}")
        self.look()
        with open_hill(self.folder):
            self._check_matches()
            _check_ratings(Season.objects.get())
            self._check_versions()
        return f"{len(self.known)} matches, {self.in_play} times one was being played"

    def _check_versions(self) -> None:
        versions = Version.objects.filter(pk__in=self.sent)
        states = set(versions.values_list("state", flat=True))
        if versions.count() != len(self.sent) or not states <= {"playing", "superseded", "refused"}:
            raise SystemExit(f"{len(self.sent)} versions were sent, {versions.count()} are there: {states}")
        numbers = list(versions.exclude(bot=None).values_list("number", flat=True))
        if len(set(numbers)) != len(numbers):
            raise SystemExit(f"versions have the same number: {numbers}")
        if left := versions.filter(state="refused").exclude(reason__contains="runners of the hill ended"):
            raise SystemExit(f"a good bot was refused: {left[0].reason}")
        if Try.objects.exclude(state="over").exists():
            raise SystemExit("a try has no end")

    def _check_matches(self) -> None:
        states = set(Match.objects.values_list("state", flat=True))
        if not states <= set(OVER):
            raise SystemExit(f"matches are {states} ({self.folder})")
        jobs = Match.objects.filter(state="played").values_list("job", flat=True)
        if len(set(jobs)) != len(jobs):
            raise SystemExit(f"a job is on record twice ({self.folder})")
        if Seat.objects.filter(match__state="played", score=None).exists():
            raise SystemExit(f"a match that was played lacks a score ({self.folder})")
        for match in Match.objects.filter(state="played"):
            replay = Replay(self.folder / replay_place(match.pk))
            if replay.key is None or replay.digest != match.digest:
                raise SystemExit(f"match {match.pk} has another replay than its own ({self.folder})")
        if parts := list(self.folder.rglob("*.part")):
            raise SystemExit(f"half a file is left: {parts}")


def _check_ratings(season: Season) -> None:
    """See whether ratings and scores, which follow from those before, are those that all matches give at once."""
    game, fit = load(GAME), fits.newest_fit(season)
    if fit is None or fit.matches != fits.count_matches(season):
        ratings.rate(game, season)
    kept = {pk: (row.rating, row.margin, row.score) for pk, row in fits.latest_ratings(season).items()}
    season.fits.all().delete()
    ratings.rate(game, season)
    for pk, row in fits.latest_ratings(season).items():
        if row.score != kept[pk][2] or abs(row.rating - kept[pk][0]) > 0.01 or abs(row.margin - kept[pk][1]) > 0.01:
            raise SystemExit(
                f"version {pk} has rating and score {kept[pk]}, its matches give {row.rating, row.score}"
            )


def kill_runners(count: int, dice: random.Random, place: Path, tell: Tell) -> str:
    """Kill the runner of a hill in SQLite so often, with one or two processes, while bots are sent and tried."""
    hill = Proving.made(place)
    for number in range(count):
        hill.send(f"{GOOD}# {number}\n")
        running = hill.begin("--jobs", 1 + number % 2)
        hill.wait_for_a_match(running, dice)
        running.kill()
        finished(running)
        hill.look()
        tell(f"{number + 1} of {count} runners killed")
    return hill.settle()


def kill_workers(count: int, dice: random.Random, place: Path, tell: Tell) -> str:
    """Kill a worker process of a runner so often, while the runner goes on."""
    hill = Proving.made(place, "--jobs", 2)
    running = hill.begin()
    for number in range(count):
        hill.wait_for_a_match(running, dice)
        os.kill(dice.choice(workers(running.pid)), signal.SIGKILL)
        hill.look()
        tell(f"{number + 1} of {count} workers killed")
    _end(running)
    return hill.settle()


def kill_cluster_workers(count: int, dice: random.Random, place: Path, tell: Tell) -> str:
    """Kill a worker of a cluster so often, with all of its processes; another one takes its place."""
    net = Net(place)
    try:
        net.scheduler()
        hill = Proving.made(place, "--cluster", net.address)
        workers = [net.worker(), net.worker()]
        running = hill.begin()
        for number in range(count):
            hill.wait_for_a_match(running, dice)
            kill(workers.pop(dice.randrange(2)), signal.SIGKILL)
            workers.append(net.worker())
            hill.look()
            tell(f"{number + 1} of {count} workers of a cluster killed")
        _end(running)
        hill.options = ()
        return hill.settle()
    finally:
        net.end()


def kill_servers(count: int, dice: random.Random, place: Path, tell: Tell) -> str:
    """Kill the server of PostgreSQL so often, and cut its connections as often; the runner ends in words."""
    with serving() as server:
        hill = Proving.made(place, database=server.url)
        for number in range(2 * count):
            running = hill.begin()
            hill.wait_for_a_match(running, dice)
            if number % 2:
                server.cut()
            else:
                server.end(signal.SIGKILL)
            _in_words(finished(running), 2)
            if not number % 2:
                server.start()
            hill.look()
            tell(f"{number + 1} of {2 * count} times a server was killed or its connections cut")
        return hill.settle()


@contextmanager
def serving() -> Iterator[Server]:
    """Yield a server of PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="koth-pg-", ignore_cleanup_errors=True) as name:
        server = Server(Path(name))
        try:
            yield server
        finally:
            server.end()


def fill_disk(count: int, dice: random.Random, place: Path, tell: Tell) -> str:
    """Leave so often a random number of bytes on the hill's disk: its runner ends in words, and goes on later."""
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "koth-torture", str(place)]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode:
        return f"left out, for no disk can be made here: {mounted.stderr.strip()}"
    try:
        hill = Proving.made(place)
        for number in range(count):
            running = hill.begin()
            hill.wait_for_a_match(running, dice)
            filler = place / "filler"
            with suppress(OSError):  # the runner was faster, and had the rest
                filler.write_bytes(bytes(max(0, shutil.disk_usage(place).free - dice.randrange(1 << 16))))
            _in_words(finished(running), 2)
            filler.unlink()
            hill.look()
            tell(f"{number + 1} of {count} full disks")
        return hill.settle()
    finally:
        subprocess.run(["umount", str(place)], check=True)


def _end(running: subprocess.Popen[str]) -> None:
    running.send_signal(signal.SIGINT)
    _in_words(finished(running), 130)


def _in_words(done: Done, code: int) -> None:
    """See whether a runner ended with this status, and said why in a line."""
    if done.code != code or "Traceback" in done.err:
        raise SystemExit(f"the runner ended with status {done.code}, not {code}: {done.err}")


def torture(kills: int, harms: int, dice: random.Random, folder: Path, tell: Tell) -> None:
    """Kill runners and workers `kills` times in all, and harm servers and disks `harms` times each."""
    share = -(-kills // 3)
    for act, count in (
        (kill_workers, share),
        (kill_runners, share),
        (kill_cluster_workers, share),
        (kill_servers, harms),
        (fill_disk, harms),
    ):
        place = folder / act.__name__
        place.mkdir()
        print(f"\r{act.__name__.replace('_', ' ')}, {count} times: {act(count, dice, place, tell)}", flush=True)
