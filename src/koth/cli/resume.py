"""`koth resume`: a contest that goes on, as it was, with more matches, or with other bots."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import click

from koth.cli.run import (
    ContestOptions,
    Elsewhere,
    Entrants,
    isolation_of,
    looked_for,
    play_out,
    prepared,
    refuse_guessable,
)
from koth.cli.said import on_record
from koth.cli.screen import counted, echo, waiting
from koth.contest.contest import Contest
from koth.contest.lock import only_run
from koth.contest.preflight import COPIES, build
from koth.contest.record import check_version, extended, keep_secret, read_run, secrets_of, settings_of, write_run
from koth.contest.stages import counting
from koth.contest.store import Store
from koth.discovery.folder import Found, load
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.engine.settings import check_size
from koth.errors import KothError
from koth.escaping import positional, shell_word
from koth.files.bounded_read import check_no_links
from koth.game import Game, TimeControl
from koth.games import load as load_game
from koth.sandbox.failures import refuse_at_bugs
from koth.session.bot import Bot
from koth.standings.until import Goal
from koth.warmup import compiling_beside, first_time


class ResumeOptions(ContestOptions):
    """Options of `koth resume`."""

    new_standings: bool


def resume(folder: Path, words: Sequence[str], options: ResumeOptions, elsewhere: Elsewhere) -> None:
    """Go on with the run in `folder`: with what is missing, with more matches, with the bots that `words` name, too.

    A bot of a name that plays already is its new version.
    """
    record = read_run(folder)
    check_no_links(folder, apart=COPIES)
    game = load_game(record["game"])
    check_version(record, game, folder)
    settings = settings_of(record, game)
    check_size(game, settings, record["table"] or len(record["bots"]))
    if options["untrusted"]:
        refuse_guessable(record["seed"])
    contest = _contest(folder, record, options)
    given = on_record(record["interpreters"], options, folder)
    with only_run(folder):
        found = looked_for(game, words, given, contest.isolation, options) if words else Found()
        named = {bot.name for bot in found.bots}
        stay = [entry for entry in record["bots"] if not (entry["name"] in named or _is_out(entry["name"], options))]
        with waiting(f"looking at the bots{first_time(game)}") as on_doing, compiling_beside(game, on_doing):
            bots = {entry["name"]: _as_it_was(game, folder, entry, given, contest) for entry in stay}
        store = Store(folder)
        try:
            store.remove_parts()
            entrants = Entrants((), record["skipped"], [name for name in record["unrepeatable"] if name in bots])
            if words:
                new = prepared(game, settings, found, folder, contest, skip_broken=options["skip_broken"])
                bots |= {bot.name: bot for bot in new.ready}
                entrants = replace(new, unrepeatable=[*entrants.unrepeatable, *new.unrepeatable])
            order = dict.fromkeys([entry["name"] for entry in record["bots"]])
            contest = replace(contest, bots=[bots[name] for name in {**order, **dict.fromkeys(bots)} if name in bots])
            if contest.games != record["games"] or contest.entrants != [
                (b["name"], b["hash"]) for b in record["bots"]
            ]:
                contest = _extension(folder, record, contest, store, entrants, options["new_standings"])
            play_out(contest, store, folder, entrants, options, elsewhere)
        finally:
            store.close()


def _contest(folder: Path, record: Mapping[str, Any], options: ContestOptions) -> Contest:
    """Return the contest of a record, without its bots, and with as many matches as are wanted now."""
    matches = options["matches"] or record["games"]
    if matches < record["games"]:
        raise KothError(
            f"--matches {matches}: {folder} has {record['games']} already; more can be added, not taken away"
        )
    *earlier, secret = secrets_of(folder, record)
    return Contest(
        record["game"],
        record["ruleset"],
        record["settings"],
        secret,
        matches,
        (),
        TimeControl(**record["budgets"]),
        isolation_of(options, record["isolation"]["level"]),
        seed=record["seed"],
        replays=record["replays"],
        table=record["table"],
        seeds=record["seeds"],
        turns=record["turns"],
        singly=record["timings"],
        until=None if record["until"] is None else Goal.of(record["until"]),
        revealed=record["revealed"],
        earlier=earlier,
    )


def _is_out(name: str, options: ContestOptions) -> bool:
    """Return whether a bot that played so far is to play no more."""
    return any(fnmatch(name, pattern) for pattern in options["exclude"])


def _as_it_was(game: Game, folder: Path, entry: Mapping[str, Any], given: Interpreters, contest: Contest) -> Bot:
    """Return a bot of the run's record, built and sealed, if it is unchanged. Raises KothError."""
    if entry["path"] is None:
        raise KothError(f"{entry['name']} was no program: only a contest of programs can be gone on with")
    with refuse_at_bugs(entry["path"]):
        bot = load(game, Path(entry["path"]), given, entry["name"], contest.isolation)
    if bot.digest != entry["hash"]:
        again = f"{entry['name']}={entry['path']}"
        text = f"it joins as a new version: koth resume {shell_word(folder)} {positional(again)}"
        raise KothError(f"{entry['path']} has changed since the run began; {text}")
    built, problem = build(bot, folder / COPIES, contest.isolation)
    if problem:
        raise KothError(f"{entry['path']}: {problem}")
    return built


def _extension(
    folder: Path, record: Mapping[str, Any], contest: Contest, store: Store, entrants: Entrants, new_standings: bool
) -> Contest:
    """Return the contest with a stage of its own: with a new secret, or the next branch of one that the host gave.

    Raises KothError where no earlier match would count and the host has not agreed to that.
    """
    if not store.fields():  # it was interrupted before its schedule was stored
        raise KothError(f"{folder}: go on with it as it was first (koth resume alone), then with other bots")
    _agree_to_losses(contest, store, new_standings)
    earlier = [*contest.earlier, contest.secret]
    secret = earlier[0].branch(len(earlier)) if contest.revealed else Secret.drawn()
    contest = replace(contest, secret=secret, earlier=earlier)
    contest.form  # noqa: B018  (raises where they can't be seated)
    keep_secret(folder, secret, contest.stage)
    write_run(folder, extended(record, contest, entrants.skipped, entrants.unrepeatable))
    return contest


def _agree_to_losses(contest: Contest, store: Store, new_standings: bool) -> None:
    """Say how many played matches no longer count with the contest's bots; ask the host if none will count.

    Scores from matches with other bots are samples of another contest: a mean over both would compare bots that had
    different rivals. Raises KothError where the host does not agree, or can't be asked.
    """
    counted_now = set(store.indexes()) - store.uncounted()
    stay = counting(store.schedule(), [*store.fields(), contest.entrants], contest.form.size)
    lost = counted_now - {match.index for match in stay}
    if not lost:
        return
    if lost != counted_now:
        of = f"{len(lost):,} of {counted(len(counted_now), 'match', 'matches')}"
        echo(f"koth: {of} played so far no longer count: not all of their bots take part any more", err=True)
        return
    warning = (
        f"with these bots none of the {counted(len(lost), 'match', 'matches')} played so far counts any more: all "
        "bots play in each match, so all scores were made against other rivals. They stay on record. A contest that "
        "was begun with koth run --seats N (fewer than there are bots) keeps the matches whose bots all stay"
    )
    if new_standings:
        echo(f"koth: {warning}", err=True)
    elif not sys.stdin.isatty():
        raise KothError(f"{warning}; to begin new standings here: --new-standings")
    elif not click.confirm(f"{warning}.\nBegin new standings?", err=True):
        raise KothError("nothing was changed")
