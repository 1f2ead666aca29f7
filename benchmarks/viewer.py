"""How smoothly the viewer plays thousands of actors, everybody moving every turn, and how fast it seeks.

    python benchmarks/viewer.py [REPLAY]

It plays 5,000 zombies with 1,000 players on 140 x 140, and 4,800 aliens and prey on 110 x 110; or only REPLAY.
Headless Chromium without a graphics card, so everything is drawn by the processor. Frames are counted with
requestAnimationFrame while the page plays 8 turns a second, movement shown between turns. A busy machine costs
frames, so the processor time per frame of the page's main thread stands beside them, and the time from a frame's
begin to the end of its drawing: below 16.7 ms it can show 60 a second. Seeking is measured from asking for a random
turn until its frame is in the page.
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

from koth.recording import Recorder
from koth.replay import SUFFIX
from koth.viewer.summary import find_matches

SIDE, PLAYERS, ZOMBIES, BOTS, TURNS = 140, 1000, 5000, 20, 2000
SPECIES, ALIENS, AREA = 48, 4800, 110
SIZES = ((390, 844, 3), (1440, 900, 1), (1440, 900, 2), (2560, 1440, 1), (2560, 1440, 2))
"""CSS pixels, and device pixels per CSS pixel."""
ARGUMENTS = ("--no-sandbox", "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking")

COUNT = """seconds => new Promise((done) => {
    let frames = 0, worst = 0, begin = null, last = null;
    const took = [];
    requestAnimationFrame(function frame(now) {
        begin ??= now;
        if (last !== null) worst = Math.max(worst, now - last);
        last = now;
        frames += 1;
        // Asked for while this frame is drawn, the page's own drawing comes before this, and its picture after it.
        const {port1, port2} = new MessageChannel();
        port1.onmessage = () => took.push(performance.now() - now);
        port2.postMessage(0);
        if (now - begin < seconds * 1000) return requestAnimationFrame(frame);
        const median = took.sort((a, b) => a - b)[took.length >> 1];
        return done({frames, rate: (frames - 1) / (now - begin) * 1000, worst, median});
    });
})"""

SEEK = """async ([url, turns]) => {
    const {Source} = await import("/static/source.js");
    const source = new Source({url});
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


def zombies(path: Path) -> None:
    """A replay of zombies in which everybody steps at random, every turn."""
    dice = np.random.default_rng(0)
    everybody = PLAYERS + ZOMBIES
    squares = dice.permutation(SIDE * SIDE)[:everybody]
    x, y = squares % SIDE, squares // SIDE
    kind = np.repeat([3, 1], [PLAYERS, ZOMBIES])
    seat = np.concatenate([np.repeat(np.arange(BOTS), PLAYERS // BOTS), np.zeros(ZOMBIES, int)])
    facts = {"side": SIDE, "vision": 8, "players": PLAYERS // BOTS}
    recorder = Recorder(path, {**header("zombies", BOTS), "facts": facts})
    for turn in range(TURNS + 1):
        shots = np.column_stack([dice.integers(0, PLAYERS, 10), dice.integers(0, everybody, 10)])
        arrays = {"kind": kind, "seat": seat, "number": np.arange(everybody), "x": x, "y": y, "bullets": kind}
        values = {"side": SIDE, "clock": turn, "shots": shots.tolist(), "alive": [50] * BOTS, "score": [turn] * BOTS}
        recorder.frame(turn, {**values, **arrays}, "00000000")
        x = (x + dice.integers(-1, 2, everybody)) % SIDE
        y = (y + dice.integers(-1, 2, everybody)) % SIDE
    recorder.result({"turns": TURNS, "scores": {f"bot {seat}": TURNS for seat in range(BOTS)}, "faults": {}})


def aliens(path: Path) -> None:
    """A replay of aliens in which everybody steps at random, every turn, and a hundred fight."""
    dice = np.random.default_rng(0)
    bots, each = SPECIES - 5, ALIENS // SPECIES
    species = np.repeat(np.arange(SPECIES), each)
    x, y = dice.integers(0, AREA, (2, ALIENS))
    abilities = dict(
        zip(("life", "strength", "defense", "vision", "cleverness"), dice.integers(0, 30, (5, ALIENS)), strict=True)
    )
    total = sum(abilities.values())
    prey = ["Whale", "Cow", "Turtle", "Eagle", "Human"]
    facts = {"side": AREA, "instances": each, "prey_instances": each, "prey": prey}
    recorder = Recorder(path, {**header("aliens", bots), "facts": facts})
    for turn in range(TURNS + 1):
        fights = dice.integers(0, ALIENS, (50, 2))
        arrays = {"species": species, "x": x, "y": y, "hp": total, "total": total, "sight": total % 9, **abilities}
        values = {"side": AREA, "clock": turn, "prey": prey, "fights": fights.tolist()}
        counts = {"alive": [each] * SPECIES, "score": [turn] * SPECIES}
        recorder.frame(turn, {**values, **counts, **arrays}, "00000000")
        x = (x + dice.integers(-1, 2, ALIENS)) % AREA
        y = (y + dice.integers(-1, 2, ALIENS)) % AREA
    recorder.result({"turns": TURNS, "scores": {f"bot {seat}": TURNS for seat in range(bots)}, "faults": {}})


def header(game: str, bots: int) -> dict[str, Any]:
    """What stands in the first line of a replay of this game, but for its facts."""
    names = [{"name": f"bot {seat}", "hash": "0"} for seat in range(bots)]
    return {"game": game, "version": 1, "ruleset": "published", "settings": {}, "match": 0, "bots": names}


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


def measure(browser: Browser, address: str, turn: int, width: int, height: int, ratio: int) -> dict[str, Any]:
    """Play for six seconds at this size."""
    page: Page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=ratio)
    page.goto(f"{address}#turn={turn}&speed=8")
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


def seek(browser: Browser, address: str, name: str, last: int) -> str:
    """Go to forty turns, one after the other."""
    page = browser.new_page()
    page.goto(address)
    turns = np.random.default_rng(1).integers(0, last, 40).tolist()
    times = page.evaluate(SEEK, [f"/replays/{name}", turns])
    page.close()
    return f"seek: median {np.median(times):.0f} ms, worst {max(times):.0f} ms of {len(times)}"


def show(browser: Browser, replay: Path) -> None:
    """All that is measured on one replay."""
    turns = next(iter(find_matches(replay))).result
    assert turns is not None
    last = turns["turns"]
    print(f"{replay.name}: {last} turns, {replay.stat().st_size:,} bytes")
    command = [sys.executable, "-c", "from koth.cli import main; main()", "view", "--no-open", str(replay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[0]
        for width, height, ratio in SIZES:
            got = measure(browser, address, last // 2, width, height, ratio)
            print(
                f"{width} x {height} x {ratio}: {got['rate']:.1f} frames/s, worst gap {got['worst']:.0f} ms, "
                f"{got['cpu']:.1f} ms of the main thread per frame, drawn in {got['median']:.1f} ms in the median"
            )
        print(seek(browser, address, replay.name.removesuffix(SUFFIX), last))
        server.terminate()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        replays = [Path(word) for word in sys.argv[1:]]
        if not replays:
            replays = [Path(folder) / f"zombies{SUFFIX}", Path(folder) / f"aliens{SUFFIX}"]
            zombies(replays[0])
            aliens(replays[1])
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
        print(f"Chromium {browser.version}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        for replay in replays:
            show(browser, replay)
        browser.close()


if __name__ == "__main__":
    main()
