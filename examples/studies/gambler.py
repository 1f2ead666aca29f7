"""An author that is a script: it draws a sample in each round, and keeps the best one by the arena's scores."""

import json
import os
import random
import shutil
from pathlib import Path

from koth.discovery.samples import find_sample

SAMPLES = {
    "pacman": ["camper", "explorer", "forager", "greedy", "hunter", "random_walk"],
    "zombies": ["convoy", "coward", "fox", "herd", "hermit", "runner", "wanderer"],
}

game, me = os.environ["KOTH_GAME"], os.environ["KOTH_AUTHOR"]
table = {line["bot"]: line["score"] for line in json.loads(Path("arena/standings.json").read_text())}
notes = Path("best.json")  # what lies in the folder stays there from round to round
best = json.loads(notes.read_text()) if notes.exists() else {"score": -1}
if table[me] > best["score"]:
    best = {"score": table[me], "bot": Path("bot/bot.py").read_text()}
    notes.write_text(json.dumps(best))
if os.environ["KOTH_ROUND"] == "3":
    Path("bot/bot.py").write_text(best["bot"])
    print(f"the best so far: {best['score']}")
else:
    name = random.Random(os.environ["KOTH_SEED"]).choice(SAMPLES[game])
    shutil.copy(find_sample(game, name), "bot/bot.py")
    print(f"a try: {name}")
