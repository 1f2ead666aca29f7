"""`koth compare OLD NEW`: is the new bot better than the old one?"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NoReturn

from koth.cli.compared import Screen, code_of, print_alike, print_end
from koth.cli.exit_codes import ALIKE, INTERRUPTED
from koth.cli.run import Entrants, prepared
from koth.cli.said import HostOptions, interpreters, overrides, time_control_of
from koth.cli.screen import echo, waiting
from koth.contest.compare import Comparison, Side
from koth.contest.contest import Contest
from koth.contest.record import keep_secret, reveal_secrets, run_record, write_run
from koth.contest.run import Progress
from koth.contest.seating import seating
from koth.contest.store import Store
from koth.contest.workers import on_this_machine
from koth.discovery.commits import as_of, is_commit, tree_of
from koth.discovery.entrants import find_entrants, only
from koth.discovery.folder import Found
from koth.discovery.interpreters import Interpreters
from koth.discovery.plays import game_of
from koth.discovery.samples import sample_names
from koth.engine.secret import Secret
from koth.engine.settings import choose
from koth.errors import KothError, visible
from koth.game import Game
from koth.games import load
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose as isolation_level
from koth.session.bot import Bot
from koth.standings.text import unrepeatable_text

CAP = 96
"""Without --matches, so many blocks are played at most."""
RUNS = ("old", "new")
"""Folders of the two contests in `--out`."""


class CompareOptions(HostOptions):
    """Options of `koth compare`."""

    against: tuple[str, ...]
    matches: int | None
    margin: float | None
    max_turns: int | None
    seed: int | str | None
    ruleset: str | None
    sets: tuple[str, ...]
    jobs: int
    start_timeout: float | None
    out: Path | None
    isolation: str | None
    as_json: bool


def compare(words: tuple[str, str], game: str | None, options: CompareOptions) -> NoReturn:
    """Play until there is a verdict, print it, and end with its exit code."""
    out = options["out"]
    if out is not None and out.exists():
        raise KothError(f"{out} is there already; choose another --out")
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="koth-compare-")))
        paths = located(words, place / "commits")
        loaded = load(game or _game_of(paths))
        isolation = replace(isolation_level(options["isolation"]), trusts_processes=True)
        with waiting("looking for bots", plain=False):
            pair = [only(loaded, path, interpreters(options), isolation) for path in paths]
            if pair[0].digest == pair[1].digest:
                print_alike(loaded.name, words, options["as_json"])
                sys.exit(ALIKE)
            found = _found(loaded, paths, pair, options, isolation)
        for note in found.notes:
            echo(f"koth: {visible(note)}", err=True)
        contest = _contest(loaded, found, options, isolation)
        settings = choose(loaded, contest.ruleset, contest.overrides, files=False)[1]
        entrants = prepared(loaded, settings, found, place, contest, skip_broken=None)
        if entrants.unrepeatable:
            echo(f"koth: {visible(unrepeatable_text(entrants.unrepeatable))}", err=True)
        sides = _sides(loaded, contest, entrants, out or place, options, stack)
        comparison = Comparison(sides, options["margin"])
        interrupted = _is_interrupted(comparison, options["jobs"])
        print_end(comparison, out, interrupted, options["as_json"])
        sys.exit(INTERRUPTED if interrupted else code_of(comparison.seen))


# --- which bots


def located(words: tuple[str, str], into: Path) -> list[str]:
    """The two words of the command line, each as one that names a bot: a commit becomes the bot as it was then.

    It lay where the other one lies now, or here. Raises BotError.
    """
    targets = [Path(_target(word)) for word in words if not _target(word).startswith("@")]
    inside = [(tree_of(Path()) or Path()) / str(path).partition(":")[2] for path in targets if ":" in str(path)]
    place = next((path for path in [*targets, *inside] if path.exists()), Path())
    return [_located(word, place, into / name) for word, name in zip(words, RUNS, strict=True)]


def _located(word: str, place: Path, into: Path) -> str:
    target = _target(word)
    if target.startswith("@") or Path(target).exists():
        return word
    commit, colon, path = target.partition(":")
    tree = tree_of(place)
    if tree is None:
        return word  # whoever looks for bots says that it is not there
    if not is_commit(tree, commit):
        raise KothError(f"{word}: no such file or folder, and no commit of {tree}")
    place = tree / path if colon else place
    name = f"{place.stem if place.is_file() else place.resolve().name}@{commit}"
    given, equals, _ = word.rpartition("=")
    return f"{given if equals else name}={as_of(commit, place, tree, into)}"


def _target(word: str) -> str:
    """Return the path or sample in a word, without `NAME=` and `#ENTRY`."""
    return word if Path(word).exists() else word.rpartition("=")[2].partition("#")[0]


def _game_of(words: Sequence[str]) -> str:
    """Return the game that both bots are meant for, as far as either names one. Raises KothError."""
    try:
        return game_of(words[0])
    except KothError:
        return game_of(words[1])


def _found(
    game: Game, words: Sequence[str], pair: Sequence[Bot], options: CompareOptions, isolation: Isolation
) -> Found:
    """Return the two bots, then their rivals, each with a name of its own. Raises BotError."""
    given = interpreters(options)
    if options["against"] and game.seats.stop == 2:
        raise KothError(f"--against: a match of {game.name} has one seat: there is nobody to play against")
    rivals = options["against"] or [f"@{name}" for name in _rivals(game, pair, given, isolation)]
    found = find_entrants(game, [*words, *rivals], given, isolation)
    if found.problems:
        raise found.problems[0]
    if len(found.bots) <= game.seats.start:
        raise KothError(f"{game.name} is played by {game.seats.start} bots at least: --against BOT names rivals")
    return found


def _rivals(game: Game, pair: Sequence[Bot], given: Interpreters, isolation: Isolation) -> list[str]:
    """The samples of the game's field that are not of the pair, and as many others as are needed to fill a table.

    None where a match has one seat.
    """
    if game.seats.stop == 2:
        return []
    mine = {bot.digest for bot in pair}

    def fits(name: str) -> bool:
        found = find_entrants(game, [f"@{name}"], given, isolation)
        return bool(found.bots) and found.bots[0].digest not in mine

    rivals = [name for name in game.default_entrants if fits(name)]
    wanted = (game.contest_defaults.table or game.seats.start) - 1
    others = (name for name in sample_names(game.name) if name not in game.default_entrants and fits(name))
    return [*rivals, *islice(others, max(0, wanted - len(rivals)))]


# --- what is played


def _contest(game: Game, found: Found, options: CompareOptions, isolation: Isolation) -> Contest:
    """The contest of either, still with the other in its field. Raises KothError where it can't be played."""
    changed = overrides(options["sets"])
    ruleset, settings = choose(game, options["ruleset"], changed)
    seed, form = options["seed"], seating(game, len(found.bots) - 1)
    return Contest(
        game.name,
        ruleset,
        {key: getattr(settings, key) for key in changed},
        Secret.given(seed),
        options["matches"] or CAP * form.rotations,
        found.bots,
        time_control_of(game, options["start_timeout"]),
        isolation,
        seed=seed if isinstance(seed, int) else None,
        replays="none" if options["out"] is None else "all",
        table=form.size,
        turns=options["max_turns"],
        revealed=seed is not None,
    )


def _sides(
    game: Game, contest: Contest, entrants: Entrants, folder: Path, options: CompareOptions, stack: ExitStack
) -> tuple[Side, Side]:
    """Return both contests, with results and a record of their own; the stack closes the results."""

    def side(own: int) -> Side:
        one = replace(contest, bots=[entrants.ready[own], *entrants.ready[2:]])
        unrepeatable = [bot.name for bot in one.bots if bot.name in entrants.unrepeatable]
        store = stack.enter_context(closing(Store(folder / RUNS[own])))
        keep_secret(store.folder, one.secret)
        given = interpreters(options).record()
        write_run(store.folder, run_record(one, game, [], unrepeatable, options["jobs"], given))
        return Side(one, store)

    return side(0), side(1)


def _is_interrupted(comparison: Comparison, jobs: int) -> bool:
    """Play, with a bar on the screen; whether Ctrl-C has ended it before it was over."""
    with Screen(comparison) as screen:
        try:
            comparison.play(partial(on_this_machine, jobs), Progress(screen.match_done, screen.heard), screen.looked)
        except KeyboardInterrupt:
            for side in comparison.sides:
                side.store.remove_parts()
            comparison.look_now()
            return True
    for side in comparison.sides:
        reveal_secrets(side.store.folder)
        side.store.rest()
    return False
