"""Finals: the contest of the bots that play when a season ends, until it is settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.db import transaction

from koth.contest.contest import Contest
from koth.contest.early_end import EndContest, end_early
from koth.contest.lock import is_held
from koth.discovery.folder import Word
from koth.discovery.packing import unpack
from koth.engine.secret import Secret
from koth.engine.settings import choose
from koth.errors import KothError
from koth.games import load
from koth.hill.connection import Hill
from koth.hill.models import Season, Version
from koth.hill.options import for_strangers
from koth.hill.registry import RUNNER, begin_final, count_unchecked, current_season, note
from koth.hill.seasons import check_rules, final_is_over, folder_of
from koth.replay.names import RUN_FILE
from koth.sandbox.levels import choose_level
from koth.services.contests import PlayedContest, resume_contest, run_in_folder
from koth.services.entrants import NamedEntries
from koth.services.observer import Observer, Progress, choose_observer
from koth.services.options import PlayingOptions
from koth.standings.until import Goal


def play(hill: Hill, options: PlayingOptions, observer: Observer) -> PlayedContest | int:
    """Play the season's final, or its missing matches, until the observer raises EndContest after a match.

    If the host has ended the final, end it with the matches on record; return the number of these matches. Raises
    KothError.
    """
    game, options = load(hill.game), for_strangers(hill, options)
    isolation = options.confine(choose_level(options.isolation))
    check_rules(game, current_season())
    season = begin_final()
    folder = folder_of(hill, season)
    if season.final_ends:  # the process that was to end it is gone
        return end_early(folder)
    if (folder / RUN_FILE).exists():
        played = resume_contest(folder, NamedEntries(()), options, observer)
    else:
        contest = Contest(
            game=hill.game,
            ruleset=season.ruleset,
            overrides=season.overrides,
            secret=Secret.from_hex(season.secret).mix([bot["digest"] for bot in season.finalists]),
            matches=options.matches or game.contest_defaults.matches,
            bots=(),
            time_control=game.time_control,
            isolation=isolation,
            replays=hill.replays,
            seats=hill.seats,
            seeds="independent",
            until=Goal.of("settled"),
            knockout=options.knockout,
        )
        settings = choose(game, season.ruleset, season.overrides, files=False)[1]
        entries = NamedEntries([_entry(bot["name"], bot["version"]) for bot in season.finalists])
        played = run_in_folder(game, settings, contest, entries, folder, options, observer)
    if played.stopped is None and not played.ended_early:
        Season.objects.filter(pk=season.pk).update(final_ends=False)  # it was ended after its last match
    return played


def _entry(bot: str, number: int) -> Word:
    """Return a version's name, and the path of its unpacked sources."""
    version = Version.objects.get(bot__name=bot, number=number)
    place = unpack(bytes(version.archive), version.file)
    return Word(bot, str(place), version.entry)


def leave_to_runner(
    hill: Hill, who: str | None = None, matches: int | None = None, knockout: int | None = None
) -> Season:
    """Leave the final to the next free runner, once all bots are checked. Raises KothError.

    With `matches` each bot plays at most that many; with `knockout` that many leaders then play a knockout.
    """
    check_rules(load(hill.game), current_season())
    with transaction.atomic():
        season = current_season()
        if season.state != Season.State.FROZEN or not count_unchecked():
            season = begin_final(who)  # else a runner fixes the bots, after their checks
        if final_is_over(hill, season):
            raise KothError(f"the final of season {season.pk} is over")
        waits = Season.objects.filter(pk=season.pk, final_waits=False)
        if waits.update(final_waits=True, final_matches=matches, final_knockout=knockout):
            note("season", f"the final of season {season.pk} waits for a runner", who)
    return season


def claim(season: Season) -> bool:
    """Claim a final that waits for a runner, if all bots are checked; return whether the claim succeeded."""
    if not season.final_waits or (season.state == Season.State.FROZEN and count_unchecked()):
        return False
    waiting = Season.objects.filter(pk=season.pk, final_waits=True)
    return waiting.exclude(state=Season.State.PUBLISHED).update(final_waits=False) == 1


def end(hill: Hill, who: str | None = None) -> Season:
    """End a final that has begun, with the matches played so far. Raises KothError.

    A process that plays the final ends it after the current match.
    """
    season = current_season()
    is_over = final_is_over(hill, season)
    if is_over is None or is_over:
        raise KothError(f"the final of season {season.pk} {'is over' if is_over else 'has no match yet'}")
    with transaction.atomic():
        Season.objects.filter(pk=season.pk).update(final_ends=True)
        note("season", f"the final of season {season.pk} is ended before all matches were played", who)
    if not is_held(folder_of(hill, season)):
        end_early(folder_of(hill, season))
        Season.objects.filter(pk=season.pk).update(final_waits=False)
    season.refresh_from_db()
    return season


def is_ended() -> bool:
    """Return whether the host ends the final of the season."""
    return current_season().final_ends


def play_for_runner(
    hill: Hill, season: Season, options: PlayingOptions, on_progress: Callable[[Progress], None]
) -> None:
    """Play a claimed final; after an interruption leave it to another runner. Raises KothError."""

    def progressed(progress: Progress) -> None:
        on_progress(progress)
        if is_ended():
            raise EndContest

    asked = replace(options, matches=season.final_matches, knockout=season.final_knockout)
    try:
        played = play(hill, asked, choose_observer(progressed))
        if isinstance(played, PlayedContest) and played.stopped is not None:
            raise played.stopped
    except BaseException:
        Season.objects.filter(pk=season.pk, state=Season.State.FINAL).update(final_waits=True)
        raise


def fail(season: Season, why: str) -> None:
    """Record why a final can't be played; no runner tries again until the host acts."""
    Season.objects.filter(pk=season.pk).update(final_waits=False)
    note("season", f"the final of season {season.pk} can't be played: {why}", RUNNER)
