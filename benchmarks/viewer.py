"""How smoothly the viewer plays 5,000 zombies and 1,000 players on 140 x 140, everybody moving every turn.

    python benchmarks/viewer.py

Headless Chromium without a graphics card, so everything is drawn by the processor. Frames are counted with
requestAnimationFrame while the page plays 8 turns a second, movement shown between turns. A busy machine
costs frames, so the processor time per frame of the page's main thread stands beside them: below 16.7 ms it
can show 60 a second. Seeking is measured from asking for a random turn until its frame is in the page.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from koth.replay import Recorder

SIDE, PLAYERS, ZOMBIES, BOTS, TURNS = 140, 1000, 5000, 20, 2000
ARGUMENTS = ("--no-sandbox", "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking")

COUNT = """seconds => new Promise((done) => {
    let frames = 0, worst = 0, begin = null, last = null;
    requestAnimationFrame(function frame(now) {
        begin ??= now;
        if (last !== null) worst = Math.max(worst, now - last);
        last = now;
        frames += 1;
        if (now - begin < seconds * 1000) requestAnimationFrame(frame);
        else done({frames, rate: (frames - 1) / (now - begin) * 1000, worst});
    });
})"""

SEEK = """async ([url, turns]) => {
    const {Source} = await import("/static/source.js");
    const source = new Source(url);
    const until = async (claim) => { while (!claim()) await new Promise((next) => setTimeout(next)); };
    await until(() => source.scanned >= 0 && source.scanned === source.turns);
    const times = [];
    for (const turn of turns) {
        const begin = performance.now();
        source.want([turn], turn);
        await until(() => source.at(turn));
        times.push(performance.now() - begin);
    }
    source.close();
    return times;
}"""


def synthetic(path: Path) -> None:
    """A replay in which everybody steps at random, every turn."""
    dice = np.random.default_rng(0)
    everybody = PLAYERS + ZOMBIES
    squares = dice.permutation(SIDE * SIDE)[:everybody]
    x, y = squares % SIDE, squares // SIDE
    kind = np.repeat([3, 1], [PLAYERS, ZOMBIES])
    seat = np.concatenate([np.repeat(np.arange(BOTS), PLAYERS // BOTS), np.zeros(ZOMBIES, int)])
    facts = {"side": SIDE, "vision": 8, "players": PLAYERS // BOTS}
    bots = [{"name": f"bot {seat}", "hash": "0"} for seat in range(BOTS)]
    header = {"game": "zombies", "version": 1, "ruleset": "published", "settings": {}, "seed": 0}
    recorder = Recorder(path, {**header, "bots": bots, "facts": facts})
    for turn in range(TURNS + 1):
        shots = np.column_stack([dice.integers(0, PLAYERS, 10), dice.integers(0, everybody, 10)])
        arrays = {"kind": kind, "seat": seat, "number": np.arange(everybody), "x": x, "y": y, "bullets": kind}
        values = {"side": SIDE, "clock": turn, "shots": shots.tolist(), "alive": [50] * BOTS, "score": [turn] * BOTS}
        recorder.frame(turn, {**values, **arrays}, "00000000")
        x = (x + dice.integers(-1, 2, everybody)) % SIDE
        y = (y + dice.integers(-1, 2, everybody)) % SIDE
    recorder.result({"turns": TURNS, "scores": {bot["name"]: TURNS for bot in bots}, "faults": {}})


def main_thread_seconds() -> dict[int, float]:
    """Processor seconds of the main thread of every page."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            command = (folder / "cmdline").read_bytes()
            words = (folder / "task" / folder.name / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if b"--type=renderer" in command:
            found[int(folder.name)] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return found


def measure(browser: Browser, address: str, width: int, height: int) -> dict[str, Any]:
    """Play for six seconds at this size."""
    page: Page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(f"{address}#turn={TURNS // 2}&speed=8")
    page.wait_for_selector("#standings tbody tr")
    page.wait_for_timeout(8000)  # until the whole match has been read for the charts
    page.keyboard.press("Space")
    page.wait_for_timeout(500)
    before = main_thread_seconds()
    counted: dict[str, Any] = page.evaluate(COUNT, 6)
    after = main_thread_seconds()
    page.close()
    spent = max(after[pid] - before.get(pid, 0) for pid in after)
    return {**counted, "cpu": 1000 * spent / counted["frames"]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        replay = Path(folder) / "synthetic.koth.gz"
        synthetic(replay)
        print(
            f"{ZOMBIES} zombies, {PLAYERS} players, {SIDE} x {SIDE}, {TURNS} turns: {replay.stat().st_size:,} bytes"
        )
        command = [sys.executable, "-c", "from koth.cli import main; main()", "view", "--no-open", str(replay)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = server.stdout.readline().split()[0]
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
            print(f"Chromium {browser.version}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
            for width, height in ((390, 844), (1366, 768), (2560, 1440)):
                got = measure(browser, address, width, height)
                print(
                    f"{width} x {height}: {got['rate']:.1f} frames/s, worst gap {got['worst']:.0f} ms, "
                    f"{got['cpu']:.1f} ms of the main thread per frame"
                )
            page = browser.new_page()
            page.goto(address)
            turns = np.random.default_rng(1).integers(0, TURNS, 40).tolist()
            times = page.evaluate(SEEK, ["/replays/synthetic", turns])
            print(f"seek: median {np.median(times):.0f} ms, worst {max(times):.0f} ms of {len(times)}")
            browser.close()
            server.terminate()


if __name__ == "__main__":
    main()
