"""Whether another koth plays the same matches: `python -m scripts.same_matches OTHER/src`.

Contests of samples and of misbehaving bots, over every protocol, are played with these sources and those of another
version. Replays, scores and faults must be the same; of late bots only the kind, since times differ.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1] / "packages/koth/src"
HEAD = """
import json, os, sys, time
def read():
    line = sys.stdin.readline()
    message = json.loads(line) if line else {"bye": True}
    if "bye" in message: sys.exit()
    return message
def say(text): print(text, flush=True)
read(); say('{"ready": true}')
n = 0
while True:
    q = read(); n += 1
    answer = json.dumps({"ask": q["ask"], "moves": {str(p["number"]): "NORTH" for p in q.get("players", [])}})
"""
BAD = {
    "garbage": "say('north' if n % 3 == 0 else answer)",
    "twice": "say(answer + '\\n' + answer)",
    "stale": "say(json.dumps({'ask': q['ask'] - 1, 'moves': {}}) + '\\n' + answer)",
    "foreign": "say(json.dumps({'ask': q['ask'] + 9, 'moves': {}}) + '\\n' + answer)",
    "illegal": "say(answer.replace('NORTH', 'UP'))",
    "missing": "say(json.dumps({'ask': q['ask'], 'moves': {}}))",
    "crash": "say(answer) if n < 5 else sys.exit(3)",
    "closed": "say(answer) if n < 5 else (os.close(1), time.sleep(600))",
    "flood": "say(answer) if n < 5 else say('x' * 300000)",
    "silent": "say(answer) if n < 5 else time.sleep(600)",
    "spins": "say(answer) if n < 5 else [None for _ in iter(int, 1)]",
}
"""What a bot of zombies that speaks JSON does with each question `q`, its `n`th."""
CLASS = """
from koth.games.zombies.bot import Move
class Raises:
    def do_turn(self, context):
        return Move.values()[context.game_clock // (context.game_clock % 4)]
"""
CONTESTS = [
    ("zombies", ["@runner", "@gunner", "@lighthouse"], 60),
    ("zombies", ["@herd", "raises"], 60),
    *(("zombies", ["@coward", name], 12) for name in BAD),
    ("pacman", ["@greedy", "@grazer", "@json_greedy", "@shortsighted"], 80),
    ("pacman", ["@bloodhound", "@cautious", "@camper", "@ghostbuster"], 80),
    ("aliens", ["@hive", "@castle", "@duelist", "@coward"], 60),
    ("metalman", ["@hunter", "@ambusher", "@latecomer", "@explorer"], 60),
]
"""Game, bots and turns of each contest."""


def main() -> None:
    """Play all contests with both sources, and print each difference."""
    sources = {"here": HERE, "other": Path(sys.argv[1]).resolve()}
    differences = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for bot, source in BAD.items():
            (folder / bot).mkdir()
            (folder / bot / "koth.toml").write_text('protocol = "json"\ncommand = ["python", "main.py"]\n')
            (folder / bot / "main.py").write_text(f"{HEAD}    {source}\n")
        (folder / "raises.py").write_text(CLASS)
        (folder / "raises").symlink_to("raises.py")
        for number, (game, bots, turns) in enumerate(CONTESTS):
            found = {
                which: play(folder, f"{which}{number}", src, game, bots, turns) for which, src in sources.items()
            }
            differ = [key for key in found["here"] if found["here"][key] != found["other"][key]]
            differences += bool(differ)
            print(f"{game} {' '.join(bots)}: {'the same' if not differ else 'DIFFERENT: ' + ', '.join(differ)}")
            for key in differ:
                print(*(f"  {which}: {found[which][key]!r:.600}" for which in sources), sep="\n")
    sys.exit(f"{differences} of {len(CONTESTS)} contests differ" if differences else 0)


def play(folder: Path, out: str, source: Path, game: str, bots: list[str], turns: int) -> dict[str, Any]:
    """Play one contest; return its replays' text, results and faults."""
    words = [bot if bot.startswith("@") else str((folder / bot).resolve()) for bot in bots]
    argv = [
        sys.executable,
        "-m",
        "koth",
        "run",
        game,
        *words,
        "--seed",
        "7",
        "--matches",
        str(len(bots)),
        "--jobs",
        "1",
    ]
    argv += ["--seats", str(len(bots)), "--max-turns", str(turns), "--dice", "shared", "--out", str(folder / out)]
    done = subprocess.run(
        argv, env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True, text=True, check=False
    )
    if not (folder / out / "results.sqlite").exists():
        sys.exit(done.stderr)
    replays = sorted((folder / out / "replays").glob("*.gz"))
    with closing(sqlite3.connect(folder / out / "results.sqlite")) as database:
        scores = database.execute("SELECT * FROM scores ORDER BY 1, 2").fetchall()
        faults = database.execute(
            'SELECT "match", bot, kind, count, turn, text FROM faults ORDER BY 1, 2, 3'
        ).fetchall()
    run = json.loads((folder / out / "run.json").read_text())
    return {
        "replays": [gzip.decompress(path.read_bytes()) for path in replays],
        "scores": scores,
        "faults": [(*row[:5], row[5] if row[2] != "late" else "") for row in faults],
        "digests": [bot["digest"] for bot in run["bots"] if "digest" in bot],
    }


if __name__ == "__main__":
    main()
