"""Actions of hosts and authors on bots, matches and seasons; each is recorded in the audit."""

from __future__ import annotations

import getpass
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from koth import __version__
from koth.contest.knockout import check_pairs
from koth.discovery.entrants import check_apart
from koth.discovery.packing import LARGEST_ARCHIVE, pack
from koth.engine.secret import Secret
from koth.errors import BotError, KothError, choices
from koth.game import Game
from koth.games import package_of
from koth.names import LONGEST_NAME, alike, problem_of
from koth.sandbox.copies import BYTES, folder_size
from koth.session.bot import Bot
from koth_hill import models
from koth_hill.models import Season, Version
from koth_hill.standings import describe_end

HOST = "host"
"""The author of bots that are submitted without an author's name."""
RUNNER = "runner"
"""The name of runners in the audit."""
UNCHECKED_STATES = (Version.State.RECEIVED, Version.State.CHECKING)
"""States of versions that are still to be checked."""
LIVING_STATES = (*UNCHECKED_STATES, Version.State.PLAYING)
"""States of versions that play or may play later."""
SILENT_AFTER = timedelta(minutes=2)
"""The time without a sign of life after which a runner counts as ended."""
LONGEST_AUDIT_TEXT = 10_000
"""The largest number of characters of an audit entry."""


def log_action(action: str, text: str, actor: str | None = None) -> None:
    """Record an action and its actor (default: the user of this machine) in the audit."""
    models.AuditEntry.objects.create(
        actor=(actor or getpass.getuser())[:60], action=action, text=text[:LONGEST_AUDIT_TEXT]
    )


def begin_season(
    game: Game, ruleset: str, overrides: Mapping[str, Any], rank_by: str | None = None, actor: str | None = None
) -> Season:
    """Begin a season of a game by these rules, with a new secret; `rank_by` defaults to the game's."""
    secret = Secret.draw()
    season = Season.objects.create(
        ruleset=ruleset,
        overrides=dict(overrides),
        game_version=game.version,
        layout={
            "seats": [game.seats.start, game.seats.stop - 1],
            "group": game.contest_defaults.seats,
            "aggregate": game.contest_defaults.aggregate,
            "seats_alike": game.contest_defaults.seats_alike,
            "rank_by": rank_by or game.contest_defaults.rank_by,
        },
        package=package_of(game),
        koth=__version__,
        secret=str(secret),
        commitment=secret.commitment,
    )
    log_action(
        "season", f"season {season.pk} of {game.name} ({ruleset}) opened, commitment {secret.commitment}", actor
    )
    return season


def is_run() -> bool:
    """Return whether a runner is at work: it has begun, and gave a sign of life in the last minutes."""
    return models.Runner.objects.filter(ended=None, seen__gt=timezone.now() - SILENT_AFTER).exists()


def current_season() -> Season:
    """Return the newest season."""
    return Season.objects.latest("pk")


def freeze(actor: str | None = None) -> Season:
    """Stop accepting bots. Raises KothError."""
    text = "no more bots are accepted"
    return _set_state((Season.State.OPEN,), Season.State.FROZEN, text, actor, frozen=timezone.now())


def unfreeze(actor: str | None = None) -> Season:
    """Accept bots again, before the season's final. Raises KothError."""
    return _set_state((Season.State.FROZEN,), Season.State.OPEN, "bots are accepted again", actor, frozen=None)


def count_unchecked() -> int:
    """Return the number of bots that must be checked before a final."""
    return Version.objects.filter(state__in=UNCHECKED_STATES).count()


def begin_final(
    game: Game, matches: int | None, knockout: int | None, actor: str | None = None, seconds: int | None = None
) -> Season:
    """Begin a season's final, which the runner plays once all bots are checked. Raises KothError.

    Every bot plays `matches` matches (default: the game's); with `knockout` that many leaders then play a knockout.
    Each bot's last match, in the standings and in each round, is shown for `seconds` before its result counts.
    """
    if knockout is not None:
        check_pairs(game)
    playing = Version.objects.filter(state=Version.State.PLAYING, bot__is_boss=False).count()
    is_frozen, least = current_season().state == Season.State.FROZEN, max(2, game.seats.start)
    if is_frozen and playing + count_unchecked() < least:
        play = "plays" if playing == 1 else "play"
        raise KothError(f"a final needs {least} bots, and {playing} {play} (bosses apart)")
    text = "its final begins"
    settings = {"final_matches": matches or game.contest_defaults.matches, "final_knockout": knockout}
    settings["final_seconds"] = seconds
    return _set_state((Season.State.FROZEN,), Season.State.FINAL, text, actor, **settings)


def end_final(actor: str | None = None) -> Season:
    """End a season's final: its played matches, and matches in play, count. Raises KothError."""
    with transaction.atomic():
        season = current_season()
        final = Season.objects.filter(pk=season.pk, state=Season.State.FINAL, final_ended__isnull=True)
        if not final.update(final_ended=timezone.now()):
            raise KothError(f"season {season.pk} has no final that is being played")
        left = models.Match.objects.filter(season=season, state=models.Match.State.SCHEDULED, round__isnull=False)
        count = left.update(state=models.Match.State.VOID, reason="the final ended before this match was played")
        log_action(
            "season", f"the final of season {season.pk} is over{f'; {count} matches were left' * bool(count)}", actor
        )
    season.refresh_from_db()
    return season


def find_needed_versions() -> list[int]:
    """Return the versions in the final that is being played, which needs their sources."""
    season = current_season()
    return season.finalists if season.state == Season.State.FINAL else []


def publish(actor: str | None = None) -> Season:
    """End a season, keep its standings and reveal its secret; matches not played become void. Raises KothError."""
    before = (Season.State.OPEN, Season.State.FROZEN, Season.State.FINAL)
    with transaction.atomic():
        ended = current_season()
        if ended.state == Season.State.FINAL and ended.final_ended is None:
            raise KothError(f"the final of season {ended.pk} is not over: a runner plays it, or end it first")
        more = {"published": timezone.now(), "standings": describe_end(ended)}
        season = _set_state(before, Season.State.PUBLISHED, "the secret is revealed", actor, **more)
        left = season.matches.filter(state__in=(models.Match.State.SCHEDULED, models.Match.State.PLAYING))
        left.update(state=models.Match.State.VOID, reason="the season ended before this match was played")
    return season


def _set_state(before: Sequence[str], state: str, text: str, actor: str | None, **more: Any) -> Season:
    """Set the state of the newest season. Raises KothError if the season's state is not one of `before`."""
    with transaction.atomic():
        season = current_season()
        if season.state not in before:
            raise KothError(f"season {season.pk} is {season.state}, not {' or '.join(before)}")
        Season.objects.filter(pk=season.pk).update(state=state, **more)
        log_action("season", f"season {season.pk} is {state}: {text}", actor)
    season.refresh_from_db()
    return season


def submit(game: Game, found: Bot, author: str | None, is_boss: bool = False) -> Version:
    """Add a host's bot as the newest version of the bot with its name; add an unknown author. Raises KothError."""
    values = _describe(game, found)
    with transaction.atomic():
        check_open()
        sender, _ = find_or_make_author(author or HOST)
        if not sender.is_active:
            raise KothError(f"{sender.name} is suspended and can't send bots")
        version = Version(author=sender, **values)
        _add_to_bot(version, found.name, f": NAME={found.path}")
        models.Bot.objects.filter(pk=version.bot_id).update(is_boss=is_boss)
    return version


def read(game: Game, version: Version, found: Bot) -> None:
    """Record which bot a runner has found in a version's files, and the version's number. Raises KothError."""
    values = _describe(game, found)
    with transaction.atomic():
        version.author.lock()
        check_open(version.submitted)
        if not Version.objects.filter(pk=version.pk, state=version.state).exists():
            raise KothError("the version is no longer checked")
        for key, value in values.items():
            setattr(version, key, value)
        _add_to_bot(version, found.name, actor=RUNNER)


def _describe(game: Game, found: Bot) -> dict[str, Any]:
    """Return the columns of a version that tell what was found in its files. Raises KothError."""
    if found.name in game.reserved_names:
        raise BotError(f"{found.path}: no bot of {game.name} may be called {found.name}")
    check_apart([found])
    return {
        "digest": found.digest,
        "entry": found.entry,
        "archive": pack(found.path, LARGEST_ARCHIVE),
        "file": found.path.name,
        "protocol": found.protocol,
        "options": dict(found.options),
        "language": found.language,
        "disk": folder_size(found.path, BYTES) if found.path.is_dir() else found.path.stat().st_size,
    }


def _add_to_bot(version: Version, name: str, how: str = "", actor: str | None = None) -> None:
    """Store a version as the newest one of its author's bot of this name. Raises KothError."""
    try:
        bot = _find_or_make_bot(version.author, name)
    except KothError as error:
        raise KothError(f"{error}; give yours another name{how}") from None
    _add_version(bot, version)
    log_action("submit", f"{version} of {version.author.name}, digest {version.digest}", actor)


def normalize_author_name(word: str) -> str:
    """Return an author's name in the stored form. Raises KothError for an invalid name."""
    name = " ".join(unicodedata.normalize("NFKC", word[: 4 * LONGEST_NAME]).split())
    if len(name) > LONGEST_NAME:
        raise KothError(f"{name[: LONGEST_NAME // 2]!r} ... is too long: use at most {LONGEST_NAME} characters")
    if problem := problem_of(name):
        raise KothError(f"{name!r} is not a name for an author: {problem}")
    return name


def find_or_make_author(word: str) -> tuple[models.Author, bool]:
    """Return the author of this name, and whether koth added the author, without a password. Raises KothError."""
    name = normalize_author_name(word)
    author = models.Author.objects.filter(name=name).first()
    if author is not None:
        return author, False
    if other := alike(name, models.Author.objects.values_list("name", flat=True)):
        raise KothError(f"{name!r} looks like {other}, another author: choose another name")
    return models.Author.objects.get_or_create(name=name, defaults={"password": "!"})


def _find_or_make_bot(sender: models.Author, name: str) -> models.Bot:
    """Return an author's bot of this name; add a missing bot. Raises KothError."""
    bot = models.Bot.objects.filter(name=name).select_related("author").first()
    if bot is None:
        if problem := problem_of(name):
            raise KothError(f"{name!r} is not a name for a bot: {problem}")
        others = dict(models.Bot.objects.exclude(author=sender).values_list("name", "author__name"))
        if other := alike(name, others):
            raise KothError(f"{name!r} looks like {other}, a bot of {others[other]}'s")
        bot, _ = models.Bot.objects.get_or_create(name=name, defaults={"author": sender})
    if bot.author_id != sender.pk:
        raise KothError(f"{bot.name} is a bot of {bot.author.name}'s")
    return bot


def go_back(bot: models.Bot, number: int) -> Version:
    """Add the files of an older version as the newest version, to be checked again. Raises KothError."""
    with transaction.atomic():
        check_open()
        old = bot.versions.filter(number=number).first()
        if old is None or not old.archive:
            raise KothError(f"{bot.name} has no version {number}")
        if old.state == Version.State.SUSPENDED:
            raise KothError(f"version {number} of {bot.name} is suspended: {old.reason}")
        same = "digest", "entry", "archive", "file", "protocol", "options", "language", "disk"
        version = Version(author=bot.author, sent=old.sent or old.file, **{key: getattr(old, key) for key in same})
        _add_version(bot, version)
        log_action("submit", f"{version} of {bot.author.name}, as version {number} was", bot.author.name)
    return version


def check_open(sent: datetime | None = None) -> None:
    """Raise KothError if the season does not accept a bot sent at this time (default: now)."""
    if why := current_season().refusal(sent):
        raise KothError(why)


def set_closing(closes: datetime | None, actor: str | None = None) -> Season:
    """Set the time after which the season accepts no bot; None removes the closing time. Raises KothError."""
    season = current_season()
    check_open()
    if closes is not None and closes <= timezone.now():
        raise KothError("that closing time has passed: freeze the season instead")
    Season.objects.filter(pk=season.pk).update(closes=closes)
    season.refresh_from_db()
    log_action("season", f"season {season.pk} {season.closing}", actor)
    return season


def _add_version(bot: models.Bot, version: Version) -> None:
    """Store a version as the newest one of a bot. Raises KothError if an equal version plays or may play later."""
    list(models.Bot.objects.select_for_update().filter(pk=bot.pk))  # the author may go back to a version now
    others = bot.versions.exclude(pk=version.pk)
    same = others.filter(digest=version.digest, state__in=LIVING_STATES).first()
    if same is not None:
        raise KothError(f"send changed files: these are version {same.number} of {bot.name} ({same.state})")
    version.bot, version.number = bot, 1 + (bot.versions.aggregate(last=Max("number"))["last"] or 0)
    others.filter(state=Version.State.RECEIVED).update(
        state=Version.State.SUPERSEDED, reason=f"version {version.number} came before the check"
    )
    version.save()


def find_bot(name: str) -> models.Bot:
    """Return the bot of this name. Raises KothError."""
    bot = models.Bot.objects.filter(name=name).select_related("author").first()
    if bot is None:
        names = list(models.Bot.objects.values_list("name", flat=True))
        raise KothError(f"there is no bot {name!r}{choices(name, names) if names else ': no bot was sent yet'}")
    return bot


def withdraw(name: str, actor: str | None = None) -> list[Version]:
    """Take a bot's versions out of play; matches stay, and the author may send the bot again. Raises KothError."""
    return _end_play(find_bot(name), Version.State.WITHDRAWN, "withdrawn", "withdraw", actor)


def suspend(name: str, why: str, actor: str | None = None) -> list[Version]:
    """Take a bot's versions out of play for a reason. Raises KothError."""
    return _end_play(find_bot(name), Version.State.SUSPENDED, why, "suspend", actor)


def check_again(name: str, actor: str | None = None) -> Version:
    """Put a bot's newest version, which was refused, into the queue of checks again. Raises KothError."""
    bot = find_bot(name)
    with transaction.atomic():
        bot.author.lock_row()
        version: Version = bot.versions.latest("number")
        refused = bot.versions.filter(pk=version.pk, state=Version.State.REFUSED).exclude(archive=b"")
        if not refused.update(state=Version.State.RECEIVED, reason="", tries=0):
            raise KothError(f"{version} is {version.state}: koth checks only refused versions again")
        log_action("check", f"{version}: to be checked again", actor)
        version.refresh_from_db(fields=["state"])
    return version


def void(number: int, why: str, actor: str | None = None) -> models.Match:
    """Exclude a match from ratings and scores; the match stays on record. Raises KothError.

    A runner then computes the ratings again.
    """
    with transaction.atomic():
        match = models.Match.objects.filter(pk=number).first()
        if match is None:
            raise KothError(f"there is no match {number}")
        if match.round is not None and match.season.matches.filter(round__gt=match.round).exists():
            raise KothError(f"match {number} counts: a later round of the final follows from it")
        played = models.Match.objects.filter(pk=number, state=models.Match.State.PLAYED)
        if not played.update(state=models.Match.State.VOID, reason=why):
            raise KothError(f"match {number} is {match.state}: only a played match can be made void")
        log_action("void", f"match {number}: {why}", actor)
    return match


def end_all(author: models.Author, state: str, reason: str) -> None:
    """Take all bots of an author out of play, and refuse what is not read yet."""
    living = author.versions.filter(state__in=LIVING_STATES)
    living.filter(bot=None).update(state=Version.State.REFUSED, reason=reason, archive=b"")
    living.exclude(bot=None).update(state=state, reason=reason)


def _end_play(bot: models.Bot, state: str, reason: str, action: str, actor: str | None) -> list[Version]:
    with transaction.atomic():
        bot.author.lock_row()
        versions = list(bot.versions.filter(state__in=LIVING_STATES).defer("archive"))
        if not versions:
            raise KothError(f"no version of {bot.name} plays")
        bot.versions.filter(pk__in=[version.pk for version in versions]).update(state=state, reason=reason)
        for version in versions:
            log_action(action, f"{version}: {reason}", actor)
    return versions
