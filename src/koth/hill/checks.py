"""The check of a new version, as by `koth check`: whether the version may play, or the reason against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from django.db import transaction

from koth.contest.preflight import COPIES, build, other_seats_text
from koth.diagnostics.checkup import check, problem_text
from koth.discovery.entrants import find_entrants, find_only
from koth.discovery.folder import Word
from koth.discovery.packing import unpack
from koth.errors import KothError
from koth.hill import uploads
from koth.hill.copies import BotTools, size_of
from koth.hill.host_paths import remove_all_paths
from koth.hill.models import Author, Season, Version
from koth.hill.registry import RUNNER, note
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import SandboxError
from koth.services.checks import choose_samples
from koth.session.bot import Bot

CHECK_SEED = 1
SOURCES, CHECK = "sources", "check"
"""The folders of the unpacked sources and of the check, in a work folder."""


def find_bot(tools: BotTools, version: Version, folder: Path) -> Bot:
    """Return a version's bot, unpacked from its archive below a folder. Raises KothError."""
    place = unpack(bytes(version.archive), version.file, folder / SOURCES)
    bot = find_only(tools.game, Word(None, str(place), version.entry), tools.given, tools.isolation)
    if bot.digest != version.digest:
        raise KothError(f"{version}: the digest is {bot.digest} here, {version.digest} in the submission")
    return replace(bot, name=version.bot.name)


def build_bot(tools: BotTools, version: Version, folder: Path) -> Bot:
    """Return a version's bot, built in a private copy in `folder` and sealed by a digest. Raises KothError."""
    with tools.copies.work_folder() as sources:
        bot, problem = build(find_bot(tools, version, sources), folder, tools.isolation)
    if problem:
        raise KothError(problem)
    return bot


def build_for(tools: BotTools, version: Version, name: str, folder: Path, author: Author) -> Bot:
    """Return a version's bot, built and called `name`, for a match that an author requests.

    What another author's build prints is that author's: it may quote sources, so only the audit has it. Raises
    KothError.
    """
    try:
        return replace(build_bot(tools, version, folder), name=name)
    except (ArenaError, SandboxError):
        raise
    except KothError as error:
        if version.bot.author_id == author.pk:
            raise KothError(f"{name} can't be built: {error}") from None
        note("build", f"{version} can't be built in a match for {author.name}: {error}", RUNNER)
        raise KothError(f"{name} can't be built now") from None


def find_samples(tools: BotTools, seats: Sequence[int] = ()) -> list[Bot]:
    """Return the samples that a bot meets in its check, in matches of `seats` bots (empty: any number)."""
    return find_entrants(tools.game, choose_samples(tools.game, seats), tools.given, tools.isolation).bots


def find_problem(
    tools: BotTools, season: Season, seats: int | None, version: Version, on_doing: Callable[[str], None]
) -> str:
    """Return the reason, for the author, why a version may not play in matches of `seats` bots; empty if it may.

    Store in `version.disk` the size of the built bot.
    """
    with tools.copies.work_folder() as folder:
        try:
            bot = find_bot(tools, version, folder)
            check_seats(bot, seats)
        except KothError as error:
            return str(error)
        checkup = tools.checkup(season, CHECK_SEED, folder / CHECK, on_doing)
        why = problem_text(check(checkup, bot, find_samples(tools, bot.seats)))
        if not why:
            version.disk = size_of(replace(bot, folder=folder / CHECK / COPIES / bot.digest))
        return why


def check_seats(bot: Bot, seats: int | None) -> None:
    """Raise KothError if a bot does not play in matches of `seats` bots (None: any number)."""
    if seats is not None and not bot.plays_at(seats):
        raise KothError(other_seats_text(bot, seats))


def conclude(version: Version, why: str) -> None:
    """Let a version play, or refuse it for the reason `why`. Raises KothError if the version takes too much space."""
    why = remove_all_paths(why)
    state = Version.State.REFUSED if why else Version.State.PLAYING
    with transaction.atomic():
        version.bot.author.hold()
        checking = Version.objects.filter(pk=version.pk, state=Version.State.CHECKING)  # else it was withdrawn
        if checking.update(state=state, reason=why, disk=version.disk):
            if not why:
                uploads.check_room(version)
                older = version.bot.versions.filter(state=Version.State.PLAYING).exclude(pk=version.pk)
                older.update(state=Version.State.SUPERSEDED, reason=f"version {version.number} plays now")
            note("check", f"{version}: {state}" + (f": {why}" if why else ""), RUNNER)
