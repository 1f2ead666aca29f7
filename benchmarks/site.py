"""The site of a hill under load, beside the same site idle: `python benchmarks/site.py [--seconds N]`.

A hill of Pac-Man with the samples, its site and its runner on this machine (with `nice`, as docs/site.md says), all
connections on the loopback, each spectator at an address of its own. Three stretches of N seconds, in one run:

    alone   the runner without visitors: processor time that its bots are charged
    idle    the site without a runner: one visitor opens one page after another, and bots are sent
    busy    the runner plays on two cores, half of the spectators watch the home page, half a match in play, and
            bots are sent as often as when idle; the runner checks those that it comes to

Printed are the times from a request to the last byte of its answer, and what bots were charged.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import machine

from koth.hill.connection import open_hill

KOTH = (sys.executable, "-m", "koth")
GAME = "pacman"
SAMPLES = ("random_walk", "greedy", "explorer", "forager", "cautious", "hunter", "camper")
AUTHORS = 20
UPLOADS = 20
"""Bots that are sent in a minute."""
LIVE, REPLAY = 5.0, 3.0
"""Seconds between two looks of the home page, and of the viewer at a match in play."""
PAGES = ("/", "/matches", "/bots", "/bots/greedy", "/rules", "/seasons/1")
SOURCE = """# number {number}
class Bot:
    def act(self, obs):
        return "N"
"""
PART = re.compile(rb"/matches/(\d+)#live")


@dataclass
class Times:
    """Seconds of requests by what was asked for, and answers that are none."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))


@dataclass
class Browser:
    """A visitor at an address of its own."""

    host: str
    port: int
    source: str
    times: Times

    async def ask(self, name: str, path: str, head: str = "", body: bytes = b"") -> tuple[int, bytes]:
        """Send a request, and return status and body of its answer."""
        begin = time.perf_counter()
        reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=(self.source, 0))
        method = "POST" if body else "GET"
        lines = f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nConnection: close\r\n{head}"
        writer.write(f"{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.read(-1)
        writer.close()
        self.times.seconds[name].append(time.perf_counter() - begin)
        top, _, rest = answer.partition(b"\r\n\r\n")
        status = int(top.split(maxsplit=2)[1]) if top else 0
        if status not in (200, 201, 206, 304, 416):
            self.times.wrong[f"{name}: {status}"] += 1
        return status, rest


async def at_home(browser: Browser, end: float) -> None:
    """Look at the home page, and have its live parts renewed."""
    await browser.ask("home", "/")
    tag = ""
    while time.monotonic() < end:
        await asyncio.sleep(LIVE)
        head = f"If-None-Match: {tag}\r\n" if tag else ""
        status, rest = await browser.ask("live parts", "/live", head)
        if status == 200:
            tag = f'"{json.loads(rest)["tag"]}"'


async def at_a_match(browser: Browser, end: float) -> None:
    """Watch one match in play after another, as the viewer does."""
    while time.monotonic() < end:
        _, parts = await browser.ask("live parts", "/live")
        found = PART.search(parts)
        if found is None:
            await asyncio.sleep(REPLAY)
            continue
        match = f"/matches/{int(found[1])}"
        await browser.ask("a match", match)
        await browser.ask("a match's list", f"{match}/listing.json")
        size = 0
        while time.monotonic() < end:
            status, rest = await browser.ask("a match's replay", f"{match}/replay", f"Range: bytes={size}-\r\n")
            if status == 206:
                size += len(rest)
            elif size:
                break  # nothing new: it is over, or about to be
            await asyncio.sleep(REPLAY)


async def through_pages(browser: Browser, end: float) -> None:
    """Open one page after another."""
    names = {"/": "home"}
    while time.monotonic() < end:
        for path in PAGES:
            await browser.ask(names.get(path, path), path)
            await browser.ask("live parts", "/live")
            await asyncio.sleep(0.2)


async def send(browser: Browser, tokens: list[str], first: int, end: float) -> int:
    """Send bots at an even pace; return how many were confirmed."""
    confirmed = 0
    while time.monotonic() < end:
        number = first + confirmed
        mark, name = "koth-benchmark", f"sent{number}"
        source = SOURCE.format(number=number)
        body = (
            f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}.py"\r\n\r\n{source}'
            f"\r\n--{mark}--\r\n"
        ).encode()
        head = f"Authorization: Bearer {tokens[number % len(tokens)]}\r\n"
        head += f"Content-Type: multipart/form-data; boundary={mark}\r\n"
        began = time.monotonic()
        status, _ = await browser.ask("a bot sent", "/api/uploads", head, body)
        confirmed += status == 201
        await asyncio.sleep(max(0.0, 60 / UPLOADS - (time.monotonic() - began)))
    return confirmed


async def idle(address: tuple[str, int], tokens: list[str], seconds: float) -> Times:
    """Measure the site with one visitor, while bots are sent."""
    times, end = Times(), time.monotonic() + seconds
    visitor, sender = (Browser(*address, source, times) for source in ("127.0.1.1", "127.0.2.1"))
    await asyncio.gather(through_pages(visitor, end), send(sender, tokens, 0, end))
    return times


async def busy(address: tuple[str, int], tokens: list[str], seconds: float, spectators: int) -> Times:
    """Measure the site with all spectators, while bots are sent."""
    times, end = Times(), time.monotonic() + seconds

    async def spectator(number: int) -> None:
        browser = Browser(*address, f"127.0.{3 + number // 250}.{1 + number % 250}", times)
        await asyncio.sleep(number / spectators * LIVE)  # they come one after another
        await (at_home if number % 2 else at_a_match)(browser, end)

    visitor, sender = (Browser(*address, source, times) for source in ("127.0.1.1", "127.0.2.1"))
    spectating = (spectator(number) for number in range(spectators))
    await asyncio.gather(*spectating, through_pages(visitor, end), send(sender, tokens, 10_000, end))
    return times


def make(folder: Path) -> list[str]:
    """Make the hill; return the tokens of its authors."""
    koth = [*KOTH, "hill"]
    subprocess.run([*koth, "init", GAME, folder, "--seats", "2"], check=True, stdout=subprocess.DEVNULL)
    for name in SAMPLES:
        words = [*koth, "submit", folder, f"@{name}", "--author", name]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    with open_hill(folder):
        from koth.hill.models import Author, Policy, Version
        from koth.hill.tokens import make_token

        Version.objects.update(state=Version.State.PLAYING)
        Policy.objects.create(uploads_a_day=10_000)
        authors = [Author.objects.create(name=f"author {number}", password="!") for number in range(AUTHORS)]
        return [make_token(author, "benchmark") for author in authors]


@contextlib.contextmanager
def running(*command: object) -> Iterator[subprocess.Popen[str]]:
    """Run a command in a process, and end it."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


@dataclass
class Charged:
    """Matches between samples that were played after another one, and what their bots were charged."""

    last: int = 0
    count: int = 0
    per_100_turns: float = 0.0


def charged(folder: Path, after: int = 0) -> Charged:
    """Return what the bots were charged in matches after this one."""
    with open_hill(folder):
        from koth.hill.models import Match

        played = Match.objects.filter(state=Match.State.PLAYED, pk__gt=after)
        samples = played.exclude(seats__version__bot__name__startswith="sent").exclude(turns=None)
        rows = [100 * seconds / turns for seconds, turns in samples.values_list("seconds", "turns")]
        last = played.order_by("-pk").values_list("pk", flat=True).first() or after
    return Charged(last, len(rows), statistics.mean(rows) if rows else 0.0)


def processor_time(process: subprocess.Popen[str]) -> float:
    """Return the processor seconds of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], share: float) -> float:
    """Return the value that so many are below."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def show(name: str, times: Times) -> None:
    """Print what a stretch has measured."""
    print(f"{name}:{'':<24}requests     median        99 %")
    for what, found in sorted(times.seconds.items()):
        row = 1000 * statistics.median(found), 1000 * percentile(found, 0.99)
        print(f"  {what:<26}{len(found):>8}{row[0]:>8.0f} ms{row[1]:>9.0f} ms")
    for what, count in times.wrong.items():
        print(f"  refused or failed: {what}, {count} times")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0, help="Length of each of the three stretches.")
    parser.add_argument("--spectators", type=int, default=200)
    chosen = parser.parse_args()
    print(machine.name())
    with tempfile.TemporaryDirectory(prefix="koth-site-") as name:
        folder = Path(name) / "hill"
        tokens = make(folder)
        runner = ("nice", *KOTH, "hill", "run", folder, "--jobs", "2", "--isolation", "none")
        with running(*runner):
            while not charged(folder).count:  # rules are compiled, bots built
                time.sleep(1)
            first = charged(folder).last
            time.sleep(chosen.seconds)
            alone = charged(folder, first)
        with running(*KOTH, "hill", "serve", folder, "--port", "0", "--no-open") as site:
            assert site.stdout is not None
            parts = urlsplit(site.stdout.readline().split()[0])
            address = parts.hostname or "", parts.port or 0
            show("idle", asyncio.run(idle(address, tokens, chosen.seconds)))
            with running(*runner):
                before = processor_time(site)
                show("busy", asyncio.run(busy(address, tokens, chosen.seconds, chosen.spectators)))
                share = (processor_time(site) - before) / chosen.seconds
                beside = charged(folder, alone.last)
    print(f"  the site took {share:.2f} of a core")
    print(f"charged per 100 turns: alone {alone.per_100_turns:.3f} s ({alone.count} matches)", end="")
    print(f", busy {beside.per_100_turns:.3f} s ({beside.count} matches between samples)")


if __name__ == "__main__":
    main()
