"""The site of a hill under load, in processor-shared wall time: `python benchmarks/site.py [--seconds N]`.

A hill of Pac-Man with the samples, its site and its runner on this machine. All connections are on the loopback; the
benchmark stands in for the proxy before a site, and gives each visitor an address of its own. Stretches of N seconds:

    idle        one visitor opens pages, and bots are sent
    spectators  the same beside a runner and 200 spectators, half of the home page, half of a match in play
    a class     the same beside thirty browsers of one address, which come in the same second
    abuse       the times of one visitor beside slow bodies, unread answers, floods, passwords, idle connections

Printed are the times from a request to the last byte of its answer; refusals that pages repeat are counted, and their
waits are in the times. `a page that says busy` is one that a browser shows for two seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import re
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import machine

from koth.contest.results import replay_place
from koth_hill.connection import open_hill

KOTH = (sys.executable, "-m", "koth")
GAME = "pacman"
SAMPLES = ("random_walk", "greedy", "explorer", "forager", "cautious", "hunter", "camper")
AUTHORS, PUPILS = 20, 30
MATCHES = 40
"""Matches that are played before anything is measured."""
UPLOADS = 20
"""Bots that are sent in a minute."""
LIVE, REPLAY = 5.0, 3.0
"""Seconds between two looks of the home page, and of the viewer at a match in play."""
PAGES = ("/", "/matches", "/bots", "/bots/greedy", "/rules", "/seasons/1")
SITE = "hill.test"
SOURCE = """# number {number}
class Bot:
    def act(self, obs):
        return "N"
"""
PART = re.compile(rb"/matches/(\d+)#live")
TOKEN = re.compile(rb'csrfmiddlewaretoken" value="(.*?)"')
LARGE = 30 << 20
"""The size in bytes of an answer that nobody reads."""


@dataclass
class Hill:
    """What the benchmark knows of the hill."""

    folder: Path
    tokens: list[str]
    links: list[str]
    """The addresses at which pupils set passwords."""
    logs: list[tuple[str, list[str]]]
    """Sessions of authors, and the addresses of their bots' transcripts."""


@dataclass
class Times:
    """Seconds of requests by what was asked for, answers that are none, and refusals that were repeated."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wrong: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)


@dataclass
class Browser:
    """A visitor at an address of its own."""

    port: int
    address: str
    times: Times
    repeats: bool = True
    cookies: dict[str, str] = field(default_factory=dict)

    async def ask(self, name: str, path: str, head: str = "", body: bytes = b"") -> tuple[int, bytes]:
        """Send a request, again while the site is busy, and return status and body of its answer."""
        begin = time.perf_counter()
        while True:
            status, top, rest = await self._ask(path, head, body)
            wait = re.search(rb"(?i)retry-after: (\d+)", top)
            if not (self.repeats and status == 429 and wait and int(wait[1]) <= 3):
                break
            self.times.repeated[name] += 1
            await asyncio.sleep(1 + 2 * random.random())
        self.times.seconds[name].append(time.perf_counter() - begin)
        is_early = status == 404 and name == "a match's replay"  # the match has not begun
        if status not in (200, 201, 206, 302, 304, 416) and not is_early:
            self.times.wrong[f"{name}: {status}"] += 1
        return status, rest

    async def _ask(self, path: str, head: str, body: bytes) -> tuple[int, bytes, bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        cookies = "; ".join(f"{key}={value}" for key, value in self.cookies.items())
        writer.write(self.head(path, head + f"Cookie: {cookies}\r\n" * bool(cookies), len(body)) + body)
        answer = await reader.read(-1)
        writer.close()
        top, _, rest = answer.partition(b"\r\n\r\n")
        for key, value in re.findall(rb"(?i)set-cookie:\s*(\w+)=([^;]*)", top):
            self.cookies[key.decode()] = value.decode()
        return int(top.split(maxsplit=2)[1]) if top else 0, top, rest

    def head(self, path: str, more: str = "", size: int = 0) -> bytes:
        """Return the head of a request as the proxy passes it on."""
        lines = f"{'POST' if size else 'GET'} {path} HTTP/1.1\r\nHost: {SITE}\r\nOrigin: https://{SITE}\r\n"
        lines += f"X-Forwarded-For: {self.address}\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n{more}"
        return f"{lines}Content-Length: {size}\r\n\r\n".encode()


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
    while time.monotonic() < end:
        for path in PAGES:
            await browser.ask("pages", path)
            await browser.ask("live parts", "/live")
            await asyncio.sleep(0.1)


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
        status, _ = await browser.ask("a bot sent", "/api/versions", head, body)
        confirmed += status == 201
        await asyncio.sleep(max(0.0, 60 / UPLOADS - (time.monotonic() - began)))
    return confirmed


async def spectators(port: int, times: Times, end: float, count: int, at_once: bool) -> None:
    """Have spectators watch: each at an address of its own, or all at one address and in the same second."""

    async def watch(number: int) -> None:
        await asyncio.sleep(0 if at_once else number / count * LIVE)
        browser = Browser(port, "203.0.113.9" if at_once else f"198.51.{number // 250}.{1 + number % 250}", times)
        await (at_home if number % 2 else at_a_match)(browser, end)

    await asyncio.gather(*map(watch, range(count)))


# --- abuse


@contextlib.asynccontextmanager
async def connected(port: int, sent: list[bytes], drip: bytes = b"") -> AsyncIterator[None]:
    """Open connections that send something, then perhaps a byte a second, and read nothing."""
    doors = []
    for one in sent:
        door = socket.socket()
        door.setblocking(False)
        doors.append(door)
        with contextlib.suppress(OSError):
            await asyncio.wait_for(asyncio.get_running_loop().sock_connect(door, ("127.0.0.1", port)), 0.5)
            door.send(one)

    async def keep() -> None:
        while drip:
            await asyncio.sleep(1)
            for door in doors:
                with contextlib.suppress(OSError):
                    door.send(drip)

    keeping = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeping.cancel()
        for door in doors:
            door.close()


async def flood(port: int, hill: Hill, addresses: int, seconds: float) -> None:
    """Ask for transcripts and replays, 200 at once from each address, and again and again."""
    times, end = Times(), time.monotonic() + seconds

    async def loop(address: int, number: int) -> None:
        browser = Browser(port, f"192.0.2.{address}", times, repeats=False)
        session, logs = hill.logs[address]
        if number % 2:
            browser.cookies["sessionid"] = session
        path = logs[number % len(logs)] if number % 2 else f"/matches/{1 + number % MATCHES}/replay"
        while time.monotonic() < end:
            await browser.ask("flood", path)

    await asyncio.gather(*(loop(address, number) for address in range(addresses) for number in range(200)))
    print(f"(flood: {len(times.seconds['flood']) / seconds:.0f} requests a second)")


async def passwords(port: int, hill: Hill, times: Times) -> None:
    """Have thirty pupils of one address set passwords at once, three of them mistyping ten times."""

    async def pupil(number: int, link: str) -> None:
        browser = Browser(port, "203.0.113.9", times)
        path = "/" + link.split("/", 3)[3]
        await browser.ask("a pupil's link", path)
        path = f"{path.rpartition('/')[0]}/set-password"
        begin = time.perf_counter()
        for again in range(10 if number < 3 else 0, -1, -1):
            _, form = await browser.ask("a pupil's form", path)
            (token,) = TOKEN.findall(form) or [b""]
            second = f"a long word {number}" + "x" * bool(again)
            body = f"csrfmiddlewaretoken={token.decode()}&new_password1=a long word {number}&new_password2={second}"
            head = "Content-Type: application/x-www-form-urlencoded\r\nX-Requested-With: koth\r\n"
            _, answer = await browser.ask("a password", path, head, body.replace(" ", "+").encode())
        if b"/write" not in answer:
            times.wrong[f"pupil {number} has no password"] += 1
        times.seconds["a pupil with a password"].append(time.perf_counter() - begin)

    await asyncio.gather(*(pupil(number, link) for number, link in enumerate(hill.links)))


async def beside(name: str, port: int, seconds: float, abuse: Callable[[Times, float], Awaitable[None]]) -> None:
    """Measure one visitor's times beside something."""
    times, end = Times(), time.monotonic() + seconds
    visitor = Browser(port, "203.0.113.200", times)
    await asyncio.gather(through_pages(visitor, end), abuse(times, end))
    show(name, times)


async def measure(port: int, hill: Hill, seconds: float, count: int, runner: tuple[object, ...]) -> None:
    """Measure all stretches."""
    sender = Browser(port, "203.0.113.201", Times())

    async def sending(times: Times, end: float) -> None:
        sender.times = times
        await send(sender, hill.tokens, int(time.time() * 10), end)

    async def watched(times: Times, end: float) -> None:
        await asyncio.gather(sending(times, end), spectators(port, times, end, count, at_once=False))

    await beside("idle", port, seconds, sending)
    with running(*runner):
        await beside(f"{count} spectators and a runner", port, seconds, watched)
        await beside("thirty browsers of one address", port, seconds, lambda times, end: spectators(
            port, times, end, 30, at_once=True))  # fmt: skip
    one = Browser(port, "192.0.2.1", Times())
    body, large = one.head("/join", size=100_000), one.head("/api/matches/1/replay")
    for name, sent, drip in (
        ("ten slow bodies", [body] * 10, b"x"),
        ("ten unread answers of 30 MB", [large] * 10, b""),
        ("1,000 slow bodies", [body] * 1000, b"x"),
        ("2,100 idle connections", [b"G"] * 2100, b""),
    ):

        async def held(times: Times, end: float, sent: list[bytes] = sent, drip: bytes = drip) -> None:
            async with connected(port, sent, drip):
                await asyncio.sleep(max(0.0, end - time.monotonic()))

        if name.startswith("2,100"):
            await asyncio.sleep(25)
        await beside(name, port, seconds, held)
    await asyncio.sleep(25)
    await beside("thirty pupils set passwords", port, seconds, lambda times, end: passwords(port, hill, times))
    for addresses in (1, 4):

        async def flooded(times: Times, end: float, addresses: int = addresses) -> None:
            make = multiprocessing.get_context("fork").Process  # of its own: the visitor is not to wait for it
            process = make(target=lambda: asyncio.run(flood(port, hill, addresses, seconds)))
            process.start()
            await asyncio.to_thread(process.join)

        await beside(f"200 requests for transcripts and replays from each of {addresses}", port, seconds, flooded)


def make(folder: Path) -> Hill:
    """Make the hill, with matches that were played."""
    koth = [*KOTH, "hill"]
    subprocess.run([*koth, "init", GAME, folder, "--seats", "2"], check=True, stdout=subprocess.DEVNULL)
    for name in SAMPLES:
        words = [*koth, "submit", folder, f"@{name}", "--author", name]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    words = [*koth, "run", folder, "--jobs", "2", "--isolation", "none", "--matches", MATCHES]
    subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (folder / replay_place(1)).write_bytes(random.randbytes(LARGE))
    with open_hill(folder, f"https://{SITE}"):
        from django.test import Client

        from koth_hill import authors
        from koth_hill.models import Author, Policy, Seat
        from koth_hill.tokens import make_token

        Policy.objects.create(uploads_a_day=10_000)
        known = [Author.objects.create(name=f"author {number}", password="!") for number in range(AUTHORS)]
        pupils = [authors.invite(f"pupil {number}") for number in range(PUPILS)]
        logs = []
        for author in Author.objects.filter(name__in=SAMPLES):
            client = Client()
            client.force_login(author, backend="django.contrib.auth.backends.ModelBackend")
            seats = Seat.objects.filter(version__bot__author=author).values_list("match_id", "place")
            paths = [f"/matches/{match}/log/{place}/text" for match, place in seats]
            logs.append((client.cookies["sessionid"].value, paths))
        links = [authors.password_link(author, f"https://{SITE}") for author in pupils]
        return Hill(folder, [make_token(author, "benchmark") for author in known], links, logs)


@contextlib.contextmanager
def running(*command: object) -> Iterator[subprocess.Popen[str]]:
    """Run a command in a process, and end it."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def processor_time(process: subprocess.Popen[str]) -> float:
    """Return the processor seconds of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], share: float) -> float:
    """Return the value that so many are below."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def show(name: str, times: Times) -> None:
    """Print what a stretch has measured."""
    print(f"{name}:")
    for what, found in sorted(times.seconds.items()):
        row = 1000 * statistics.median(found), 1000 * percentile(found, 0.99), 1000 * max(found)
        print(
            f"  {what:<26}{len(found):>6} times, median {row[0]:>5.0f} ms, 99 % {row[1]:>6.0f}, most {row[2]:>6.0f}"
        )
    for what, count in times.repeated.items():
        print(f"  refused and repeated: {what}, {count} times{' (a page that says busy)' * (what == 'pages')}")
    for what, count in times.wrong.items():
        print(f"  refused or failed: {what}, {count} times")
    sys.stdout.flush()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20.0, help="Length of each stretch.")
    parser.add_argument("--spectators", type=int, default=200)
    chosen = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 1 << 13), hard))
    print(machine.name())
    with tempfile.TemporaryDirectory(prefix="koth-site-") as name, socket.socket() as free:
        hill = make(Path(name) / "hill")
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        runner = ("nice", *KOTH, "hill", "run", hill.folder, "--jobs", "2", "--isolation", "none")
        with running(*KOTH, "hill", "serve", hill.folder, "--port", port, "--url", f"https://{SITE}") as site:
            assert site.stdout is not None
            site.stdout.readline()
            asyncio.run(measure(port, hill, chosen.seconds, chosen.spectators, runner))
            print(f"the site took {processor_time(site):.0f} s of a core")


if __name__ == "__main__":
    main()
