"""The documents for an author: rules, guide, standings, own matches, and why the author's bot failed."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path

from koth.contest.private import copy_private
from koth.contest.reading import Audience, MatchReader
from koth.contest.results import replay_place
from koth.contest.run_reader import RunReader
from koth.errors import visible
from koth.files.folders import remove
from koth.game import Game
from koth.replay.names import REPLAYS
from koth.services.guide import guide_of, rules_of
from koth.services.standings import report_standings
from koth.services.why import explain_faults
from koth_studies.record import ARENA, CONTEST, WHY, write_file


class AuthorReader(RunReader):
    """The reader of a round's contest for one author, with paths in the author's folder."""

    def __init__(self, folder: Path, author: str, has_replays: bool) -> None:
        self._has_replays = has_replays
        super().__init__(folder, Audience(frozenset({author})))

    def replay_word(self, number: int) -> str:
        """Return the path of a match's replay in the author's folder."""
        return f"{ARENA}/{replay_place(number)}" if self._has_replays and self.replay(number) else ""


def write_documents(
    arena: Path, game: Game, author: str, last: Path, minutes: float, withheld: Collection[str]
) -> None:
    """Replace the folder `arena` by an author's documents for a turn of `minutes` minutes.

    `last` is the last round's folder. Raises OSError and KothError.
    """
    remove(arena)
    arena.mkdir()
    found = [line.format(name=author) for key, line in RESULT_LINES.items() if key not in withheld]
    readme = README.format(
        game=game.title,
        number=int(last.name) + 1,
        name=author,
        minutes=f"{minutes:g}",
        found="".join(found),
        key=game.name,
        bots=" ".join(f"@{bot}" for bot in game.default_entrants[:2]),
    )
    for file, text in (("README.md", readme), ("rules.md", rules_of(game.name)), ("guide.md", guide_of(game.name))):
        (arena / file).write_text(text, encoding="utf-8")
    (arena / WHY).write_bytes((last / author / WHY).read_bytes())
    reader = AuthorReader(last / CONTEST, author, "replays" not in withheld)
    if "standings" not in withheld:
        write_file(arena, "standings.json", report_standings(reader).rows)
    if "replays" not in withheld:
        (arena / REPLAYS).mkdir()
    for row in reader.matches():
        if author not in row.scores:
            continue
        if "replays" not in withheld and (replay := reader.replay(row.number)) is not None:
            shutil.copyfile(replay, arena / replay_place(row.number))
        if "logs" not in withheld:
            copy_private(last / CONTEST, arena, row.number, author)


def write_why_text(contest: Path, author: str, problem: str, withheld: Collection[str]) -> str:
    """Return why an author's version was refused, and why the bot failed in matches. Raises KothError."""
    reader = AuthorReader(contest, author, "replays" not in withheld)
    parts = [f"{visible(problem, keep=chr(10))}\n"] if problem else []
    if "why" not in withheld:
        plays = any(author in row.scores for row in reader.matches())
        parts.append(_fault_text(reader, author) if plays else "it played no match\n")
    return "\n".join(parts)


def _fault_text(reader: MatchReader, bot: str) -> str:
    """Return why a bot failed: a line for each fault, then details of each fault."""
    report = explain_faults(reader, bot)
    lines = [*report.lines(), *(["", *report.lines(reader)] if report.faults else [])]
    return "".join(f"{line}\n" for line in lines)


RESULT_LINES = {
    "standings": "* `arena/standings.json`: the table.\n",
    "why": "* `arena/why.txt`: why your version was refused, or why it failed in matches, and how these ended.\n",
    "replays": "* `arena/replays`: your matches: `koth view FILE`, "
    "`koth debug FILE --bot {name} --source bot --turn N`.\n",
    "logs": "* `arena/stderr` and `arena/notes`: what your bot wrote to stderr, and its notes.\n",
}
"""Lines of an author's task about results; a study may withhold them."""

README = """\
# {game}, round {number}: you are {name}

Your bot lies in `bot/`. Change it, so that it does better; whatever lies there when you end is sent to the arena,
checked, and plays against the others. You have {minutes} minutes. A bot that does not pass the check, or an error of
yours, costs the round: then your last version plays on.

Keep notes for the next rounds in files of your own, anywhere in this folder but in `arena/`, which is replaced.

Of the last round:

{found}
And always:

* `arena/rules.md`: the rules. `arena/guide.md`: how a bot is written, and its messages.
* `koth check bot --game {key}` shows what is wrong with the bot.
* `koth run {key} bot {bots} --matches 8 --out /tmp/try` plays against samples.
* `koth compare OLD bot --game {key}` shows whether the bot is better than an older one.
"""
