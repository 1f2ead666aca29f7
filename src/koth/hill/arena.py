"""The documents of an author of rounds: rules, guide, standings, its own matches, and why its bot failed in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.contest.private import copy_private
from koth.contest.reading import MatchReader
from koth.contest.results import replay_place
from koth.files.folders import remove
from koth.game import Game
from koth.hill.rounds_record import ARENA, ROUND, ROUND_SHAPE, WHY, Plan, read, write
from koth.hill.season_reader import SeasonReader
from koth.replay.names import REPLAYS
from koth.standings.text import rank_texts


@dataclass(frozen=True)
class Papers:
    """The papers of authors beside results: pages by file name, a first bot, and why a bot failed in matches."""

    pages: Mapping[str, str]
    start: Callable[[Path], None]
    why: Callable[[MatchReader, str], str]


class RoundReader(SeasonReader):
    """The matches of an author in a round, named as the author finds them."""

    def named(self, number: int) -> str:
        """Return the path of a match's replay in the author's folder."""
        return f"{ARENA}/{replay_place(number)}" if self._has_file(number) else ""


def hand_out(game: Game, plan: Plan, papers: Papers, name: str, last: Path, arena: Path) -> None:
    """Write what the author `name` gets into the folder `arena`; `last` is the folder of the last round."""
    remove(arena)
    arena.mkdir()
    for file, text in papers.pages.items():
        (arena / file).write_text(text, encoding="utf-8")
    (arena / "README.md").write_text(_readme(game, plan, name, int(last.name) + 1), encoding="utf-8")
    table = read(last, ROUND, ROUND_SHAPE)["standings"]
    write(arena, "standings.json", table)
    (arena / "standings.md").write_text(_table(table), encoding="utf-8")
    (arena / WHY).write_bytes((last / name / WHY).read_bytes())


def hand_out_matches(hill: Path, name: str, matches: Sequence[int], arena: Path) -> None:
    """Copy the replays of these matches, and what the author's bot left in them, out of the hill's folder.

    Raises OSError.
    """
    (arena / REPLAYS).mkdir()
    for match in matches:
        place = replay_place(match)
        if (hill / place).is_file():
            shutil.copyfile(hill / place, arena / place)
        copy_private(hill, arena, match, name)


def _readme(game: Game, plan: Plan, name: str, number: int) -> str:
    return README.format(
        game=game.title,
        number=number,
        name=name,
        minutes=f"{plan.timeout / 60:g}",
        bots=" ".join(f"@{bot}" for bot in game.default_entrants[:2]),
        key=game.name,
    )


def _table(standings: Mapping[str, Any]) -> str:
    """Return standings as Markdown."""
    numbers = ["rating", "interval", "score"] if standings["rank_by"] == "rating" else ["score", "interval"]
    columns = ["rank", "bot", *numbers, "matches"]
    cells = [{**line, **rank_texts(line, standings["rank_by"])} for line in standings["lines"]]
    rows = [columns, ["---"] * len(columns), *([str(line[column]) for column in columns] for line in cells)]
    table = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"Standings after {standings['matches']} matches", "", *table, ""])


README = """\
# {game}, round {number}: you are {name}

Your bot lies in `bot/`. Change it, so that it does better; whatever lies there when you end is sent to the arena,
checked, and plays against the others. You have {minutes} minutes. A bot that does not pass the check, or an error of
yours, costs the round: then your last version plays on.

Keep notes for the next rounds in files of your own, anywhere in this folder but in `arena/`, which is written anew.

Of the last round:

* `arena/standings.md` and `arena/standings.json`: the table.
* `arena/why.txt`: why your version was refused, or why it failed in matches, with the messages, and how these ended.
* `arena/replays`: your matches: `koth view FILE`, `koth debug FILE --bot {name} --source bot --turn N`.
* `arena/stderr` and `arena/notes`: what your bot wrote to stderr, and its notes.

And always:

* `arena/rules.md`: the rules. `arena/guide.md`: how a bot is written, and its messages.
* `koth check bot --game {key}` shows what is wrong with the bot.
* `koth run {key} bot {bots} --matches 8 --out /tmp/try` plays against samples.
* `koth compare OLD bot --game {key}` shows whether the bot is better than an older one.
"""
