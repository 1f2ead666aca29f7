"""The viewer's cost of a frame and frames a second, in crowds of thousands and real matches; its speed of seeking.

    python benchmarks/viewer.py [--frames N] [--brief] [REPLAY ...]

It plays 5,000 zombies with 1,000 players on 140 x 140, 4,800 aliens and prey on 110 x 110 (everybody moves, every
turn), and a match of Pac-Man and one of Metal Man; or only the REPLAYs. Each is shown whole, close up (somebody
followed: names, rings, a trail) and through a bot's eyes (fog, and what it remembers). Headless Chromium without a
graphics card, so everything is drawn by the processor.

For the page a sixtieth of a second passes with every frame, whatever really passed, so that a busy machine draws the
same frames as an idle one: seven or eight for a turn. What a frame costs is told in milliseconds of processor time:
of the page's main thread, and of all of Chromium (what puts the page on the screen is a process of its own). An idle
machine shows 60 a second if no thread needs more than 16.7 ms; frames a second are what this one has shown. Seeking
is measured from asking for a random turn until its frame is in the page.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from koth.replay.names import SUFFIX
from koth.replay.reader import Replay
from koth.replay.writer import Recorder
from koth.viewer.summary import find_matches

SIDE, PLAYERS, ZOMBIES, BOTS, TURNS = 140, 1000, 5000, 20, 2000
SPECIES, ALIENS, AREA = 48, 4800, 110
Size = tuple[int, int]
SIZES: dict[int, tuple[Size, ...]] = {1: ((390, 844), (1440, 900), (2560, 1440)), 2: ((1440, 900), (2560, 1440))}
"""CSS pixels, by device pixels per CSS pixel."""
SCENES = {"whole": "", "close up": "&who={who}&view={x},{y},{zoom}", "eyes": "&eyes=0"}
CLOSE_UP = 45
"""Squares in view close up: as many as when somebody is followed."""
RESTS = 0.1
"""Seconds of the processor in a second, at most, while nothing is read or played."""
ARGUMENTS = ("--no-sandbox", "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking")

CLOCK = """(() => {
    const real = window.requestAnimationFrame.bind(window);
    let [now, drawn] = [0, 0];
    window.requestAnimationFrame = (call) => real((time) => {
        if (time !== drawn) now += 1000 / 60;
        drawn = time;
        call(now);
    });
})()"""

COUNT = """frames => new Promise((done) => {
    const begin = performance.now();
    let [last, worst, left] = [begin, 0, frames];
    requestAnimationFrame(function frame() {
        const now = performance.now();
        worst = Math.max(worst, now - last);
        last = now;
        left -= 1;
        if (left > 0) return requestAnimationFrame(frame);
        return done({rate: frames / (now - begin) * 1000, worst});
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
    match_info = {"side": SIDE, "vision": 8, "players": PLAYERS // BOTS}
    recorder = Recorder(path, {**header("zombies", BOTS), "facts": match_info})
    for turn in range(TURNS + 1):
        shots = np.column_stack([dice.integers(0, PLAYERS, 10), dice.integers(0, everybody, 10)])
        arrays = {"kind": kind, "seat": seat, "number": np.arange(everybody), "x": x, "y": y, "bullets": kind}
        values = {"side": SIDE, "clock": turn, "shots": shots.tolist(), "alive": [50] * BOTS, "score": [turn] * BOTS}
        recorder.add_frame(turn, {**values, **arrays}, "00000000")
        x = (x + dice.integers(-1, 2, everybody)) % SIDE
        y = (y + dice.integers(-1, 2, everybody)) % SIDE
    recorder.finish({"turns": TURNS, "scores": {f"bot {seat}": TURNS for seat in range(BOTS)}, "faults": {}})


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
    match_info = {"side": AREA, "instances": each, "prey_instances": each, "prey": prey}
    recorder = Recorder(path, {**header("aliens", bots), "facts": match_info})
    for turn in range(TURNS + 1):
        fights = dice.integers(0, ALIENS, (50, 2))
        arrays = {"species": species, "x": x, "y": y, "hp": total, "total": total, "sight": total % 9, **abilities}
        values = {"side": AREA, "clock": turn, "prey": prey, "fights": fights.tolist()}
        counts = {"alive": [each] * SPECIES, "score": [turn] * SPECIES}
        recorder.add_frame(turn, {**values, **counts, **arrays}, "00000000")
        x = (x + dice.integers(-1, 2, ALIENS)) % AREA
        y = (y + dice.integers(-1, 2, ALIENS)) % AREA
    recorder.finish({"turns": TURNS, "scores": {f"bot {seat}": TURNS for seat in range(bots)}, "faults": {}})


def header(game: str, bots: int) -> dict[str, Any]:
    """What stands in the first line of a replay of this game, but for its facts."""
    names = [{"name": f"bot {seat}", "hash": "0"} for seat in range(bots)]
    return {"game": game, "version": 1, "ruleset": "published", "settings": {}, "match": 1, "bots": names}


def processor_seconds(pid: int) -> tuple[float, float]:
    """What this process and all that it has started have used: the main threads of pages, and everything."""
    main = everything = 0.0
    for one in family(pid):
        for task in Path(f"/proc/{one}/task").glob("*"):
            try:
                spent = int((task / "schedstat").read_text().split()[0]) / 1e9
                is_page = b"--type=renderer" in Path(f"/proc/{one}/cmdline").read_bytes()
            except OSError:
                continue  # it has just ended
            everything += spent
            main += spent if is_page and task.name == str(one) else 0.0
    return main, everything


def family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, task.read_text().split())
    return found


def measure(page: Page, frames: int) -> dict[str, float]:
    """Play so many frames; the page is at rest before and after."""
    page.keyboard.press("Space")
    page.evaluate(COUNT, 10)
    before = processor_seconds(os.getpid())
    counted: dict[str, float] = page.evaluate(COUNT, frames)
    after = processor_seconds(os.getpid())
    page.keyboard.press("Space")
    main, everything = (1000 * (now - then) / frames for now, then in zip(after, before, strict=True))
    return {**counted, "main": main, "all": everything}


def seek(browser: Browser, address: str, name: str, last: int) -> str:
    """Go to forty turns, one after the other."""
    page = browser.new_page()
    page.goto(address)
    turns = np.random.default_rng(1).integers(0, last, 40).tolist()
    times = page.evaluate(SEEK, [f"/replays/{name}", turns])
    page.close()
    return f"seek: median {np.median(times):.0f} ms, worst {max(times):.0f} ms of {len(times)}"


def show(browser: Browser, replay: Path, frames: int, brief: bool) -> None:
    """All that is measured on one replay."""
    match = next(iter(find_matches(replay)))
    assert match.result is not None
    last = match.result["turns"]
    match_info = Replay(replay).header["facts"]
    side = match_info.get("side") or max(match_info["rows"], match_info["columns"])
    print(f"{replay.name}: {last} turns, {replay.stat().st_size:,} bytes")
    command = [sys.executable, "-c", "from koth.cli import main; main()", "view", str(replay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[0]
        for ratio, sizes in SIZES.items():
            if ratio > 1 and brief:
                continue
            page = browser.new_page(viewport={"width": 1440, "height": 900}, device_scale_factor=ratio)
            page.add_init_script(CLOCK)
            for scene, size in ((scene, size) for scene in SCENES for size in sizes):
                page.set_viewport_size({"width": size[0], "height": size[1]})
                begin(page, address, scene, max(last // 3, 1), side)
                got = measure(page, frames)
                costs = f"a frame costs {got['main']:4.1f} ms of the main thread, {got['all']:4.1f} in all"
                rate = f"{got['rate']:4.1f} frames/s, worst gap {got['worst']:3.0f} ms"
                print(f"{size[0]:>5} x {size[1]:<4} x {ratio} {scene:<8} {costs}; {rate}", flush=True)
            page.close()
        if not brief:
            print(seek(browser, address, replay.name.removesuffix(SUFFIX), last))
        server.terminate()


def begin(page: Page, address: str, scene: str, turn: int, side: int) -> None:
    """The page at rest at this turn, with nothing left to read."""
    words = SCENES[scene].format(who=0, x=side / 2, y=side / 2, zoom=max(side / CLOSE_UP, 1.3))
    page.goto(f"{address}#turn={turn}&speed=8{words}")
    page.wait_for_selector("#standings tbody tr")
    rests = False
    while not rests:
        before = processor_seconds(os.getpid())[1]
        page.wait_for_timeout(1000)
        rests = processor_seconds(os.getpid())[1] - before < RESTS


def played(game: str, folder: Path) -> Path:
    """The replay of a match between the samples that play by default."""
    command = [
        sys.executable,
        "-c",
        "from koth.cli import main; main()",
        "run",
        game,
        "--matches",
        "1",
        "--seed",
        "5",
    ]
    subprocess.run([*command, "--out", str(folder / game)], check=True, stdout=subprocess.DEVNULL)
    return next((folder / game / "replays").glob(f"*{SUFFIX}"))


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("replays", nargs="*", type=Path)
    reader.add_argument("--frames", type=int, default=180)
    reader.add_argument("--brief", action="store_true", help="one device pixel per CSS pixel, no seeking")
    told = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        replays = told.replays
        if not replays:
            replays = [Path(folder) / f"{game}{SUFFIX}" for game in ("zombies", "aliens")]
            zombies(replays[0])
            aliens(replays[1])
            replays += [played(game, Path(folder)) for game in ("pacman", "metalman")]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
        print(f"Chromium {browser.version}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        for replay in replays:
            show(browser, replay, told.frames, told.brief)
        browser.close()


if __name__ == "__main__":
    main()
