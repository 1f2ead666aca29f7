"""The pages on adding a game are true: their commands and programs run, and what they print stands on them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.docs.pages import BLOCK, DOCS
from tests.elsewhere import Elsewhere

PAGES = DOCS / "new-game.md", DOCS / "plain-games.md"
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCKS = {name: text for name, _, text in BLOCK.findall(TEXT)}
GOLD = DOCS.parent / "examples" / "gold"
PRINTED = {"declare": "declared", "plain": "plained", "lists": "listed", "try": "tried"}
"""Programs, and the blocks with what they print."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    place = Elsewhere(tmp_path_factory.mktemp("page"))
    place.koth("new-game", "gold")
    place.koth("new-game", "silver", "--plain")
    for game in ("gold", "silver"):
        place.install(place.folder / f"koth-{game}")
    return place


def test_every_block_is_tried() -> None:
    tried = {"commands", "plain-commands", *PRINTED, *PRINTED.values()}
    assert (BLOCKS.keys(), TEXT.count("```")) == (tried, 2 * len(tried))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["commands", "plain-commands"])
def test_the_commands_run(name: str, made: Elsewhere) -> None:
    for line in BLOCKS[name].splitlines():
        program, *words = shlex.split(line)
        if program == "python":
            made.run(*words, "-p", "no:cacheprovider")
        elif program == "koth" and words[0] not in ("new-game", "view"):  # which is made already; which does not end
            made.koth(*words)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_programs_run_and_print_what_is_told(name: str, made: Elsewhere) -> None:
    printed = made.run("-c", BLOCKS[name]).stdout
    if os.environ.get("KOTH_UPDATE") == "1":
        old = rf"(<!-- block: {PRINTED[name]} -->\n```text\n).*?```\n"
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            page.write_text(
                re.sub(old, lambda found: found[1] + printed + "```\n", text, flags=re.S), encoding="utf-8"
            )
    else:
        assert printed == BLOCKS[PRINTED[name]]


SAME = """
import koth_gold, koth_gold.state, koth_silver, koth_silver.match
from koth.testing import Case, begin, play, policy_of

def told(game, settings):
    case, frames = Case(game, settings, 3), []
    batch = begin(case, [5])
    def note(_):
        frame = game.frame(settings, batch.state, 0)
        gold = sorted(zip(frame["gold_x"].tolist(), frame["gold_y"].tolist()))
        frames.append((frame["x"].tolist(), frame["y"].tolist(), gold, frame["score"]))
    play(batch, policy_of(case, 5), 20, note)
    return frames

arrays = told(koth_gold.GAME, koth_gold.state.Settings(side=5, turns=15))
assert arrays == told(koth_silver.GAME, koth_silver.match.Settings(side=5, turns=15))
assert len(arrays) == 15 and sum(arrays[-1][-1]) > 5
"""


def test_both_forms_of_the_game_are_the_same_game(made: Elsewhere) -> None:
    """They have rules and bots in common; the same answers lead to the same matches."""
    made.run("-c", SAME)


PORTIONS = """
from dataclasses import replace
from koth.buffers import UNLIMITED
from koth.testing import Case, begin, policy_of, trail
from koth_gold import GAME
from koth_gold.portions import turn

class Portioned(type(GAME)):
    turn = staticmethod(turn)

def played(case, **options):
    return trail(begin(case, range(5), **options), policy_of(case, *range(5)), 9)

case = Case(GAME, replace(GAME.rulesets["standard"], side=5, turns=9), 2)
other = replace(case, game=Portioned())
assert played(other) == played(other, portion=64) == played(other, portion=UNLIMITED) == played(case)
"""


LINER = """
def read():
    return [line.split() for line in iter(input, "go")]

(_, side), (_, seat) = read()
print("go", flush=True)
while (lines := read())[0] != ["end"]:
    (_, turn), *rest = lines
    x = [int(x) for what, x, _ in rest if what == "bot"][int(seat)]
    print("east" if turn == "5" else "move east" if x < int(side) - 1 else "", flush=True)
    print("go", flush=True)
"""


@pytest.mark.slow
def test_the_example_makes_a_game_with_words_and_classes_of_its_own(made: Elsewhere) -> None:
    shutil.copytree(GOLD, made.folder / "site/koth_gold", dirs_exist_ok=True)
    made.run("-c", PORTIONS)
    made.run("-c", "from koth.testing import check; from koth_gold import GAME; check(GAME, GAME.rulesets['rich'])")
    (made.folder / "wordy").mkdir()
    wanderer = (made.folder / "site/koth_gold/bots/wanderer.py").read_text()
    (made.folder / "wordy" / "bot.py").write_text(re.sub(r"return (.*)", r'return {"go": \1}', wanderer))
    (made.folder / "wordy" / "koth.toml").write_text('protocol = "python"\n')
    (made.folder / "liner").mkdir()
    (made.folder / "liner" / "bot.py").write_text(LINER)
    (made.folder / "liner" / "koth.toml").write_text('command = "python bot.py"\nprotocol = "text"\n')
    words = ("run", "gold", "wordy", "@collector", "liner", "--matches", "1", "--set", "turns=9")
    told = json.loads(made.koth(*words, "--out", "own", "--json").stdout)
    faults = {line["bot"]: line["faults"] for line in told["standings"]}
    assert faults == {"wordy": {}, "collector": {}, "liner": {"garbage": 3}}, "once in each of three matches"
    replay = min((made.folder / "own" / "replays").iterdir())
    shown = made.koth("debug", str(replay), "--bot", "wordy", "--turn", "3").stdout
    assert "turn: 2" in shown
    assert '"go"' in shown
    assert Path(made.folder / "own" / "run.json").exists()
