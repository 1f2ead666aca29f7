"""The check of a new version, as by `koth check`: whether the version may play, or the reason against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from django.db import transaction

from koth.contest.preflight import other_seats_text
from koth.diagnostics.checkup import MATCH_STEPS, check, problem_text
from koth.discovery.entrants import find_entrants, find_only
from koth.discovery.folder import BotSpec
from koth.discovery.packing import unpack
from koth.errors import KothError
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import SandboxError
from koth.services.checks import choose_samples
from koth.session.bot import Bot
from koth_hill import registry, uploads
from koth_hill.copies import BotTools, Copies, size_of
from koth_hill.host_paths import remove_all_paths
from koth_hill.models import Author, Season, Version
from koth_hill.registry import RUNNER, log_action

CHECK_SEED = 1
STEPS = 1 + len(MATCH_STEPS)
"""The steps of a check-up that find problems: the start and the matches; remarks, which come later, refuse no bot."""
SOURCES, CHECK = "sources", "check"
"""The folders of the unpacked sources and of the check, in a work folder."""


def read(tools: BotTools, version: Version, folder: Path) -> Bot:
    """Return the bot of a version that is being checked, recorded if a site received it. Raises KothError."""
    if version.bot_id is not None:
        return find_bot(tools, version, folder)
    uploads.check_name(version.sent)  # the row may be a stranger's
    allowed = uploads.read_policy()
    found = uploads.find_bot(tools, version.sent, bytes(version.archive), version.name, folder, allowed)
    found = replace(found, name=uploads.name_of(version.author, found.name))
    try:
        with transaction.atomic():
            registry.read(tools.game, version, found)
            uploads.make_room(version.author, allowed)
    except KothError:
        version.refresh_from_db()
        raise
    return found


def find_bot(tools: BotTools, version: Version, folder: Path) -> Bot:
    """Return a version's bot, unpacked from its archive below a folder. Raises KothError."""
    place = unpack(bytes(version.archive), version.file, folder / SOURCES)
    bot = find_only(tools.game, BotSpec(None, str(place), version.entry), tools.given, tools.isolation)
    if bot.digest != version.digest:
        raise KothError(f"{version}: the digest is {bot.digest} here, {version.digest} in the submission")
    return replace(bot, name=version.bot.name)


def build_bot(tools: BotTools, version: Version, copies: Copies | None = None) -> Bot:
    """Return the bot of a version, built once in the shared copies or in others, and sealed. Raises KothError."""
    copies = copies or tools.copies
    if version.pk not in copies.bots:
        with tools.copies.work_folder() as sources:
            bot, problem = copies.build(find_bot(tools, version, sources), tools.isolation)
        if problem:
            raise KothError(problem)
        copies.bots[version.pk] = bot
    return copies.bots[version.pk]


def build_for(tools: BotTools, version: Version, name: str, copies: Copies, author: Author) -> Bot:
    """Return a version's bot, built and called `name`, for a match that an author requests.

    What another author's build prints is that author's: it may quote sources, so only the audit has it. Raises
    KothError.
    """
    try:
        return replace(build_bot(tools, version, copies), name=name)
    except (ArenaError, SandboxError):
        raise
    except KothError as error:
        if version.author_id == author.pk:
            raise KothError(f"{name} can't be built: {error}") from None
        log_action("build", f"{version} can't be built in a match for {author.name}: {error}", RUNNER)
        raise KothError(f"{name} can't be built now") from None


def find_samples(tools: BotTools, seats: Sequence[int] = ()) -> list[Bot]:
    """Return the samples that a bot meets in its check, in matches of `seats` bots (empty: any number)."""
    return find_entrants(tools.game, choose_samples(tools.game, seats), tools.given, tools.isolation).bots


def find_problem(
    tools: BotTools,
    season: Season,
    seats: int | None,
    version: Version,
    bot: Bot,
    folder: Path,
    on_doing: Callable[[str], None],
) -> str:
    """Return the reason, for the author, why a bot may not play in matches of `seats` bots; empty if it may.

    Keep the built bot for the matches, and store its size in `version.disk`.
    """
    try:
        check_seats(bot, seats)
    except KothError as error:
        return str(error)
    (folder / CHECK).mkdir()
    copies = tools.copies
    checkup = tools.checkup(season, CHECK_SEED, folder / CHECK, on_doing)
    checkup = replace(checkup, build_copy=lambda bot, _, isolation, seconds: copies.build(bot, isolation, seconds))
    steps = check(checkup, bot, find_samples(tools, bot.seats))
    why = problem_text(islice(steps, STEPS))
    if not why:
        built, _ = copies.build(bot, tools.isolation)
        copies.bots[version.pk], version.disk = built, size_of(built)
    return why


def check_seats(bot: Bot, seats: int | None) -> None:
    """Raise KothError if a bot does not play in matches of `seats` bots (None: any number)."""
    if seats is not None and not bot.plays_at(seats):
        raise KothError(other_seats_text(bot, seats))


def record_check(version: Version, why: str) -> None:
    """Let a version play, or refuse it for the reason `why`. Raises KothError if the version takes too much space."""
    why = remove_all_paths(why)
    state = Version.State.REFUSED if why else Version.State.PLAYING
    unread = {"archive": b""} if version.bot_id is None else {}
    with transaction.atomic():
        version.author.lock_row()
        checking = Version.objects.filter(pk=version.pk, state=Version.State.CHECKING)  # else it was withdrawn
        if checking.update(state=state, reason=why, disk=version.disk, **unread):
            if not why:
                uploads.check_room(version)
                older = version.bot.versions.filter(state=Version.State.PLAYING).exclude(pk=version.pk)
                older.update(state=Version.State.SUPERSEDED, reason=f"version {version.number} plays now")
            log_action("check", f"{version}: {state}" + (f": {why}" if why else ""), RUNNER)
