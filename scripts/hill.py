"""make hill: a hill with its site on this machine, which the samples enter one by one while it plays.

Prints the name and password of a host and of an author. Ctrl-C ends all.
"""

from __future__ import annotations

import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

from koth.sandbox.levels import choose_level
from koth_hill.connection import open_hill

KOTH = (sys.executable, "-m", "koth")
SAMPLES = ("random_walk", "greedy", "explorer", "forager", "cautious", "hunter", "camper", "shortsighted")
HOST, AUTHOR = "heidi", "anna"
PAUSE = 15
"""Seconds between two samples."""


def main() -> None:
    hill = Path("runs") / time.strftime("hill-%Y%m%d-%H%M%S")
    koth("init", "pacman", hill, "--seats", 2)
    passwords = {name: secrets.token_urlsafe(9) for name in (HOST, AUTHOR)}
    with open_hill(hill):
        from koth_hill.authors import make_host, register  # they need the hill

        register(AUTHOR, passwords[AUTHOR])
        make_host(register(HOST, passwords[HOST]), True)
    running = [
        subprocess.Popen(
            [
                *KOTH,
                "hill",
                "serve",
                hill,
                "--port",
                "0",
            ]
        ),
        subprocess.Popen(
            ["nice", *KOTH, "hill", "run", hill, "--isolation", choose_level().level], stderr=subprocess.PIPE
        ),
    ]
    subprocess.Popen(["cat"], stdin=running[1].stderr)  # lines without a spinner: others write to this terminal, too
    try:
        print(f"sign in as {HOST} ({passwords[HOST]}, the host) or {AUTHOR} ({passwords[AUTHOR]}, an author)")
        for number, sample in enumerate(SAMPLES):
            koth("submit", hill, f"@{sample}", "--author", AUTHOR if number == 0 else f"{sample}'s author")
            watch(running, PAUSE if number else 0)
        watch(running, float("inf"))
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


def watch(running: list[subprocess.Popen[bytes]], seconds: float) -> None:
    """Wait; end as soon as the site or the runner has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if any(process.poll() is not None for process in running):
            sys.exit("the site, or the runner, has ended")
        time.sleep(1)


def koth(*words: object) -> None:
    """Run `koth hill`, and end with it if it fails."""
    if code := subprocess.run([*KOTH, "hill", *map(str, words)], check=False).returncode:
        sys.exit(code)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:
        print("ended")
