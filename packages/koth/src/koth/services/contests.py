"""New contests, and contests continued with more matches or other bots."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from koth.contest.contest import Contest
from koth.contest.job import ClusterLost
from koth.contest.knockout import check_knockout
from koth.contest.lock import lock_run
from koth.contest.preflight import COPIES, build, reuse_copy
from koth.contest.record import (
    RecordedEntrant,
    RunRecord,
    SkippedBot,
    check_version,
    extend_record,
    new_record,
    read_record,
    write_record,
)
from koth.contest.run import MakeExecutor, Outcome, current_schedule, outcome, run
from koth.contest.seating import seating
from koth.contest.secret_files import keep_secret, reveal_secrets, secrets_of
from koth.contest.stages import select_counting
from koth.contest.store import Store
from koth.discovery.folder import load_bot, split_entry
from koth.discovery.interpreters import Interpreters
from koth.engine.secret import Secret
from koth.engine.settings import check_size, choose_variants, expand_variants, read_settings
from koth.errors import BotError, KothError
from koth.escaping import positional, shell_word
from koth.files.bounded_read import check_no_links
from koth.game import Game, TimeControl
from koth.games import load as load_game
from koth.match import Entrant
from koth.replay.names import RUN_FILE
from koth.sandbox.failures import refuse_at_bugs
from koth.sandbox.isolation import LEVELS, Isolation
from koth.sandbox.levels import choose_level
from koth.services.entrants import FoundBots, NamedEntries, ReadyBots, find_bots, prepare_bots, removing_unused
from koth.services.machines import choose_executor
from koth.services.observer import SILENT, Observer
from koth.services.options import PlayingOptions, RunOptions
from koth.session.local import FunctionBot
from koth.standings.head import same_bots
from koth.standings.paired import least_blocks
from koth.standings.text import counted
from koth.standings.until import Goal
from koth.warmup import compiling_beside, first_time

MOST_BLOCKS = 192
"""The default maximum of blocks of each bot with a goal; more if a verdict needs more than half of these."""


def lengths_with_goal(game: Game, bots: int, seats: int | None) -> tuple[int, int]:
    """Return the least number of matches of each bot for a goal, and the default maximum.

    Raises KothError if the game does not allow these numbers of bots and seats.
    """
    least, rotations = least_blocks(game.contest_defaults, bots), seating(game, bots, seats).rotations
    return least * rotations, max(MOST_BLOCKS, 2 * least) * rotations


@dataclass(frozen=True)
class PlayedContest:
    """A contest, played to the end or until an interruption."""

    contest: Contest
    folder: Path
    bots: ReadyBots
    outcome: Outcome
    stopped: KeyboardInterrupt | ClusterLost | None = None
    """The reason for an interruption, if any."""


def run_contest(
    game_name: str, entries: NamedEntries, options: RunOptions, observer: Observer = SILENT
) -> PlayedContest:
    """Play a new contest of a game between these bots, or without entries between the game's default entrants.

    Raises KothError. After a Ctrl-C or the loss of the cluster, `stopped` of the played contest is the exception.
    """
    game = load_game(game_name)
    ruleset, overrides, settings = choose_variants(game, options.ruleset, options.settings)
    seed = options.seed
    if options.untrusted:
        check_seed(seed)
    contest = Contest(
        game=game_name,
        ruleset=ruleset,
        overrides=overrides,
        secret=Secret.from_option(seed),
        matches=options.matches or game.contest_defaults.matches,
        bots=(),
        time_control=options.time_control(game),
        isolation=options.confine(choose_level(options.isolation)),
        seed=seed if isinstance(seed, int) else None,
        replays=options.replays,
        seats=2 if options.round_robin else options.seats,
        seeds=options.dice or ("independent" if options.untrusted else "shared"),
        max_turns=options.max_turns,
        until=None if options.until is None else Goal.of(options.until),
        knockout=options.knockout,
        revealed=seed is not None,
    )
    folder = (
        Path(options.out)
        if options.out
        else _find_free_folder(Path("runs") / f"{game_name}-{time.strftime('%Y%m%d-%H%M%S')}")
    )
    pairs, least = options.round_robin, options.seats or 1
    return run_in_folder(game, settings, contest, entries, folder, options, observer, pairs, least)


def check_seed(seed: int | str | None) -> None:
    """Raise KothError for a seed that strangers can guess: a number."""
    if isinstance(seed, int):
        raise KothError(
            f"--untrusted: the seed {seed} can be guessed; give 32 hex digits, or none: then one is drawn"
        )


def _find_free_folder(folder: Path) -> Path:
    """Return `folder`; if it exists, add a number to its name."""
    numbers = itertools.count(2)
    free = folder
    while free.exists():
        free = folder.with_name(f"{folder.name}-{next(numbers)}")
    return free


def run_in_folder(
    game: Game,
    settings: Any,
    contest: Contest,
    entries: NamedEntries,
    folder: Path,
    options: PlayingOptions,
    observer: Observer,
    round_robin: int | None = None,
    least: int = 1,
) -> PlayedContest:
    """Find and prepare the bots of a contest, and play it in a new folder. Raises KothError.

    With `round_robin` every two bots meet at this number of tables; `least` bots must be able to play.
    """
    if (folder / RUN_FILE).exists():
        go_on = f"koth resume {shell_word(folder)}"
        raise KothError(f"{folder} already holds a run; choose another --out, or go on with it: {go_on}")
    entries = entries or NamedEntries([f"@{name}" for name in game.default_entrants])
    make_executor = choose_executor(options.jobs, options.cluster, observer, inline=bool(entries.functions))
    found = find_bots(game, entries, contest, options, observer)
    _confirm_single_bot(game, found, observer)
    with removing_unused(folder), lock_run(folder), closing(Store(folder)) as store:
        bots = prepare_bots(game, settings, found, folder, contest, observer, options.skip_broken)
        contest = replace(contest, bots=bots.ready)
        if len(contest.bots) < least:
            raise KothError(f"--seats {least}: a match takes {least} bots, and only {len(contest.bots)} can play")
        if contest.until is not None and options.matches is None:
            contest = replace(contest, matches=lengths_with_goal(game, len(contest.bots), contest.seats)[1])
        elif options.matches is None:
            enough = contest.least * contest.form.rotations
            if contest.matches < enough <= 2 * contest.matches:
                contest = replace(contest, matches=enough)
        if round_robin is not None:
            form = contest.form
            contest = replace(contest, matches=round_robin * (len(bots.ready) - 1) * form.rotations * form.variants)
        check_knockout(contest)
        contest.draw_schedule()
        keep_secret(folder, contest.secret)
        grants = options.grants.record()
        write_record(folder, new_record(contest, bots.skipped, bots.unrepeatable, grants))
        return _play(contest, store, bots, options, observer, make_executor)


def _confirm_single_bot(game: Game, found: FoundBots, observer: Observer) -> None:
    """Ask whether to play with one bot, which compares nothing. Raises KothError if the host declines."""
    if len(found.names) == 1 and not found.found.problems and game.seats.stop > 2:
        name = found.names[0]
        if not observer.agrees(f"only one bot, {name}: it plays alone, and nothing is compared. Play?"):
            raise KothError(f"nothing was played: {name} is the only bot; name others, too (koth list {game.name})")


def resume_contest(
    folder: Path, entries: NamedEntries, options: PlayingOptions, observer: Observer = SILENT
) -> PlayedContest:
    """Play the missing matches of a run, and optionally add matches and bots. Raises KothError.

    A bot with the name of an entrant is the entrant's new version. Functions must be passed again, by name.
    """
    record = read_record(folder)
    check_no_links(folder, apart=COPIES)
    game = load_game(record["game"])
    check_version(record, game, folder)
    settings = read_settings(game, record)
    for variant in range(len(expand_variants(record["settings"]))):
        check_size(game, read_settings(game, record, variant), record["seats"] or len(record["bots"]))
    if options.untrusted:
        check_seed(record["seed"])
    contest = _read_contest(folder, record, options, observer)
    grants = check_grants(record["interpreters"], options.grants, options.interpreters, folder)
    with lock_run(folder):
        found = find_bots(game, entries, contest, options, observer) if entries else FoundBots()
        before = [(item["name"], item["digest"]) for item in record["bots"]]
        same = {bot.name: bot for bot in found.functions if (bot.name, bot.digest) in before}
        others = [bot for bot in found.functions if bot.name not in same]
        found = replace(found, functions=others, names=[name for name in found.names if name not in same])
        known, given = {item["name"]: item for item in record["bots"]}, found.names
        left = {name for name in known if any(fnmatch(name, pattern) for pattern in options.exclude)}
        stay = [name for name in known if name not in given and name not in left]
        changed: dict[str, str] = {}
        with observer.doing(f"looking at the bots{first_time(game)}") as on_step, compiling_beside(game, on_step):
            bots: dict[str, Entrant] = {
                name: same.get(name) or _load_unchanged(game, folder, known[name], grants, contest, changed)
                for name in stay
            }
        with closing(Store(folder)) as store:
            store.remove_parts()
            unrepeatable = [name for name in record["unrepeatable"] if name in bots]
            ready = ReadyBots((), record["skipped"], unrepeatable)
            if found.names or found.found.problems:
                new = prepare_bots(game, settings, found, folder, contest, observer, options.skip_broken)
                bots |= {bot.name: bot for bot in new.ready}
                ready = replace(new, unrepeatable=[*unrepeatable, *new.unrepeatable])
            order = dict.fromkeys([*known, *bots])
            contest = replace(contest, bots=[bots[name] for name in order if name in bots])
            check_knockout(contest)
            can_join = contest.form.size < len(contest.bots) or not len(store)
            for name, text in changed.items():
                observer.note(f"{text}: {name} plays on as it was; {_join_text(folder, known[name], can_join)}")
            plan = contest.matches, contest.knockout, contest.entrants
            if plan != (record["matches"], record["knockout"], before):
                contest = _extend_contest(folder, record, contest, store, ready, observer)
            inline = any(isinstance(bot, FunctionBot) for bot in contest.bots)
            make_executor = choose_executor(options.jobs, options.cluster, observer, inline=inline)
            return _play(contest, store, ready, options, observer, make_executor)


def _play(
    contest: Contest,
    store: Store,
    bots: ReadyBots,
    options: PlayingOptions,
    observer: Observer,
    make_executor: MakeExecutor,
) -> PlayedContest:
    """Play the missing matches, and reveal the secrets of a finished contest."""
    _note_warnings(contest, bots, options, observer)
    played = set(store.numbers())
    missing = len({match.number for match in current_schedule(contest, store)} - played)
    missing += max(contest.knockout_matches - len(store.knockout().keys() & played), 0)
    stopped: KeyboardInterrupt | ClusterLost | None = None
    with observer.playing(contest, store, missing) as callbacks:
        try:
            end = run(contest, store, progress=callbacks, make_executor=make_executor)
        except (KeyboardInterrupt, ClusterLost) as error:
            store.remove_parts()
            end, stopped = outcome(contest, store), error
    if end.is_over:
        reveal_secrets(store)
        store.merge_log()
    return PlayedContest(contest, store.folder, bots, end, stopped)


def _note_warnings(contest: Contest, bots: ReadyBots, options: PlayingOptions, observer: Observer) -> None:
    for item in bots.skipped:
        observer.note(skipped_text(item))
    if len(contest.bots) == 1 and load_game(contest.game).seats.stop > 2:
        observer.note(f"a contest of one bot, {contest.bots[0].name}: nothing is compared")
    for names in same_bots(contest.entrants):
        observer.note(f"the same bot, byte for byte: {', '.join(names)}")
    if not contest.isolation.is_at_least("strong") and any(not isinstance(bot, FunctionBot) for bot in contest.bots):
        text = "run only your own (koth doctor says how to raise the level)"
        observer.note(f"bots run at isolation {contest.isolation.level}: {text}")
    if options.untrusted and not contest.revealed:
        which = f"extension {contest.stage} of this run" if contest.stage else "this run"
        observer.note(f"commitment to the secret of {which}: {contest.commitment}")
    if options.untrusted and contest.seeds == "shared" and contest.form.rotations > 1:
        observer.note(
            "bots can remember the dice of a table's first match in its others (only --dice independent prevents it)"
        )


def skipped_text(item: SkippedBot) -> str:
    """Return a line on a bot that was left out: of the reason, only the first line.

    After a line that ends with a colon, add the last line that a compiler marks as an error, or else the last line.
    """
    first, *rest = item["reason"].splitlines() or [""]
    announced = [line.strip() for line in rest if line.strip() and not line.startswith("$ ")]
    errors = [line for line in announced if "error:" in line.lower()] or announced
    reason = f"{first} {errors[-1]}" if first.endswith(":") and errors else first
    return f"left out: {item['bot']}: {reason}" if item["bot"] else f"left out: {reason}"


# --- a contest that goes on


def _read_contest(folder: Path, record: RunRecord, options: PlayingOptions, observer: Observer) -> Contest:
    """Return a record's contest, without bots, and with the number of matches in `options`."""
    matches = options.matches or record["matches"]
    if matches < record["matches"]:
        raise KothError(
            f"--matches {matches}: {folder} has {record['matches']} already; more can be added, not taken away"
        )
    *earlier, secret = secrets_of(folder, record)
    return Contest(
        game=record["game"],
        ruleset=record["ruleset"],
        overrides=record["settings"],
        secret=secret,
        matches=matches,
        bots=(),
        time_control=TimeControl(**record["time_control"]),
        isolation=options.confine(_choose_isolation(options.isolation, record["isolation"]["level"], observer)),
        seed=record["seed"],
        replays=record["replays"],
        seats=record["seats"],
        seeds=record["seeds"],
        max_turns=record["max_turns"],
        until=None if record["until"] is None else Goal.of(record["until"]),
        knockout=options.knockout or record["knockout"],
        revealed=record["revealed"],
        earlier=earlier,
    )


def _choose_isolation(wanted: str | None, before: str, observer: Observer) -> Isolation:
    """Return the level of isolation of a continued run; `before` is the recorded level.

    A host who continues a stranger's folder has not chosen `before`: only options select less than the best level.
    """
    isolation = choose_level(wanted)
    if wanted is None and (before not in LEVELS or not isolation.is_at_least(before)):
        isolation = choose_level(before)  # raises the error that says why not
    if before != isolation.level:
        text = f"this run began at isolation {before}; it goes on at {isolation.level}"
        observer.note(f"{text} (if you trust its bots: --isolation {before})")
    return isolation


def check_grants(
    record: Mapping[str, Any], given: Interpreters, programs: Mapping[str, str], folder: Path
) -> Interpreters:
    """Return the interpreters and paths that bots may read, from a run's record. Raises BotError.

    A host who continues a stranger's folder has not chosen these paths: without options, bots may read only their
    interpreters.
    """
    recorded = Interpreters.from_record(record)
    for word, program in programs.items():
        if given.program_for(word) != recorded.program_for(word):
            raise BotError(f"{folder}: its bots were not started with {word}={program}; start a new run for that")
    if beyond := recorded.grants_beyond(given):
        raise BotError(
            f"{folder}: its bots could read more of this machine; to allow that again, set {' '.join(beyond)}"
        )
    return recorded


def _join_text(folder: Path, entry: RecordedEntrant, can_join: bool) -> str:
    """Return how the new version of a bot can play."""
    if not can_join:
        return "its new version can only join a new run, because all bots play in each match"
    again = f"{entry['name']}={entry['path']}"
    return f"its new version joins with: koth resume {shell_word(folder)} {positional(again)}"


def _load_unchanged(
    game: Game,
    folder: Path,
    entry: RecordedEntrant,
    grants: Interpreters,
    contest: Contest,
    changed: dict[str, str],
) -> Entrant:
    """Return a bot of the run's record, built and sealed: if the bot has changed, the run's own copy of it.

    Adds the change to `changed`. Raises KothError.
    """
    name, path = entry["name"], entry["path"]
    if path is None:
        raise KothError(f"{name} is a function: koth.resume({str(folder)!r}, {{{name!r}: FUNCTION}}) goes on with it")
    text = f"{path} has changed since the run began"
    try:
        with refuse_at_bugs(path):
            bot = load_bot(game, Path(path), grants, name, contest.isolation)
    except BotError as error:
        text, bot = str(error), None
    if bot is None or bot.digest != entry["digest"]:
        changed[name] = text
        return _load_copy(game, folder, entry, grants, contest, text)
    built, problem = build(bot, folder / COPIES, contest.isolation)
    if problem:
        raise KothError(f"{path}: {problem}")
    return built


def _load_copy(
    game: Game, folder: Path, entry: RecordedEntrant, grants: Interpreters, contest: Contest, changed: str
) -> Entrant:
    """Return a bot of the run's record from the run's own copy. Raises KothError if the copy has changed."""
    name, copy, place = entry["name"], folder.absolute() / COPIES / entry["digest"], split_entry(entry["path"] or "")
    try:
        with refuse_at_bugs(str(copy)):
            where = Path(f"{copy}#{place[1]}") if place[1] else copy
            bot = load_bot(game, where, grants, name, contest.isolation)
        bot = replace(bot, name=name, digest=entry["digest"], path=Path(place[0]), entry=place[1])
        if (bot.protocol, bot.language) == (entry["protocol"], entry["language"]) and (
            kept := reuse_copy(bot, folder / COPIES)
        ):
            return kept
        problem = "it has changed, too"
    except (BotError, OSError) as error:
        problem = str(error)
    raise KothError(f"{changed}, and the run's copy {copy} can't play: {problem}; {_join_text(folder, entry, True)}")


def _extend_contest(
    folder: Path,
    record: RunRecord,
    contest: Contest,
    store: Store,
    bots: ReadyBots,
    observer: Observer,
) -> Contest:
    """Return the contest with a new stage and a new secret, or the next branch of a secret that the host gave.

    Raises KothError if no earlier match would count.
    """
    if not store.entrants():  # it was interrupted before its schedule was stored
        raise KothError(
            f"{folder}: its first matches were never planned: koth resume without bots does it, then others can join"
        )
    _check_losses(contest, store, observer)
    earlier = [*contest.earlier, contest.secret]
    secret = earlier[0].branch(len(earlier)) if contest.revealed else Secret.draw()
    contest = replace(contest, secret=secret, earlier=earlier)
    contest.form  # noqa: B018  (raises where they can't be seated)
    keep_secret(folder, secret, contest.stage)
    write_record(folder, extend_record(record, contest, bots.skipped, bots.unrepeatable))
    return contest


def _check_losses(contest: Contest, store: Store, observer: Observer) -> None:
    """Note how many played matches no longer count with the contest's bots. Raises KothError if no match counts.

    Matches with bots that left do not count: otherwise means would compare bots with different rivals.
    """
    counted_now = set(store.numbers()) - store.uncounted_matches()
    stay = select_counting(store.schedule(), [*store.entrants(), contest.entrants], contest.form.size)
    lost = counted_now - {match.number for match in stay}
    played = counted(len(counted_now), "match", "matches")
    if lost and lost == counted_now:
        raise KothError(
            f"with these bots none of the {played} played so far counts any more: all bots play in each match, so "
            "all scores were made against other rivals. Begin a new run with them; one with --seats N (fewer than "
            "there are bots) keeps the matches whose bots all stay"
        )
    if lost:
        observer.note(
            f"{len(lost):,} of {played} played so far no longer count: not all of their bots take part any more"
        )
