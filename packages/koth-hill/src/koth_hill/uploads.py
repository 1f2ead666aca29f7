"""Bots that are sent to the site: it refuses visible errors at once, and a runner reads all other files."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from django.db import transaction
from django.db.models import QuerySet, Sum
from django.db.models.functions import Length

from koth.discovery.archives import Allowance, list_files
from koth.discovery.entrants import find_only
from koth.discovery.folder import BotSpec
from koth.discovery.locations import is_zip
from koth.errors import KothError, visible
from koth.names import problem_of
from koth.session.bot import Bot as FoundBot
from koth_hill import registry
from koth_hill.copies import BotTools, check_classes
from koth_hill.models import Author, Bot, Policy, Try, Version
from koth_hill.planning import within
from koth_hill.registry import LIVING_STATES, check_open, find_needed_versions, log_action

MOST_FILES = 2_000
"""The largest number of files and folders in what is sent."""
UNPACKED_RATIO = 20
"""The largest unpacked size of a zip, in multiples of the largest upload."""
FILE_NAME = re.compile(r"[^./\\\\#@-][^/\\\\#]{0,99}")
"""Names of files."""
LONGEST_FILE_NAME = 255
"""The largest size of a file's name in bytes, as file systems limit it."""
RESERVED_LETTERS = "/#=@"
"""Characters that a bot's name may not contain, because they have a meaning on the command line."""
SENT = "sent"
"""The folder of the file that was sent; other folders have the unpacked files."""


def read_policy() -> Policy:
    """Return the limits that the host has set."""
    return Policy.objects.first() or Policy()


def receive(author: Author, file: str, data: bytes, name: str = "") -> Version:
    """Record a file for a runner to read; the version is confirmed when this function returns. Raises KothError."""
    allowed = read_policy()
    check_file(author, file, data, name, allowed)
    with transaction.atomic():
        check_open()
        _check_daily_limit(author, allowed)
        waiting = author.versions.filter(bot=None, state__in=LIVING_STATES)
        unread = waiting.aggregate(sum=Sum(Length("archive")))["sum"] or 0
        if unread + len(data) > allowed.kept_bytes:
            raise KothError(
                f"{unread:,} bytes of yours wait to be read; the limit is {allowed.kept_bytes:,}: try again later"
            )
        version = Version.objects.create(author=author, name=name, sent=file, archive=data)
        log_action("submit", f"{author.name} sent {file}, {len(data):,} bytes", author.name)
    return version


def _check_daily_limit(author: Author, allowed: Policy) -> None:
    """Refuse a bot if the author has sent the allowed number in 24 hours. Raises KothError."""
    author.lock()
    if count_left(author, allowed) <= 0:
        raise KothError(
            f"you have sent {allowed.uploads_a_day} bots in 24 hours, which is the limit; try again later"
        )


def go_back(bot: Bot, number: int) -> Version:
    """Make the files of an older version the newest version; this counts as an upload. Raises KothError."""
    allowed = read_policy()
    with transaction.atomic():
        _check_daily_limit(bot.author, allowed)
        version = registry.go_back(bot, number)
        make_room(bot.author, allowed)
    return version


def _find_kept(author: Author) -> QuerySet[Version]:
    """Return the versions of an author whose sources are stored, with their bytes as `size`."""
    return author.versions.exclude(bot=None).exclude(archive=b"").annotate(size=Length("archive"))


def find_tries(author: Author) -> QuerySet[Try]:
    """Return the latest attempt of each name whose files are stored, oldest first, with the bytes as `size`."""
    return author.tries.exclude(data=b"").annotate(size=Length("data")).order_by("pk")


def size_of(author: Author) -> int:
    """Return the bytes of an author's stored sources and tries, and of the copies of bots that play.

    A bot has one copy: the new version's copy replaces the old version's.
    """
    copies: dict[int, int] = {}
    for bot, size in author.versions.filter(state__in=LIVING_STATES).exclude(bot=None).values_list("bot", "disk"):
        copies[bot] = max(copies.get(bot, 0), size)
    stored = sum(kept.aggregate(sum=Sum("size"))["sum"] or 0 for kept in (_find_kept(author), find_tries(author)))
    return stored + sum(copies.values())


def make_room(author: Author, allowed: Policy) -> None:
    """Remove an author's oldest sources of versions out of play (after a final), then the oldest tries except the
    latest, until the rest is within the limit.

    Raises KothError if the versions in play and the latest attempt alone exceed the limit.
    """
    size = size_of(author)
    unused = _find_kept(author).exclude(state__in=LIVING_STATES).exclude(pk__in=find_needed_versions())
    over = unused.order_by("pk").values_list("pk", "size")
    drafted = list(find_tries(author).values_list("pk", "size"))[:-1]
    for rows, key, found in ((Version.objects, "archive", over), (author.tries, "data", drafted)):
        for pk, one in found:
            if size <= allowed.kept_bytes:
                return
            rows.filter(pk=pk).update(**{key: b""})
            size -= one
    if size > allowed.kept_bytes:
        raise KothError(
            f"your bots would take {size:,} bytes, packed and unpacked; the most are {allowed.kept_bytes:,}: "
            "withdraw one that plays"
        )


def check_room(version: Version) -> None:
    """Make room for a version from the site, after its build. Raises KothError if the version is too large."""
    if version.sent:
        make_room(version.author, read_policy())


def count_left(author: Author, allowed: Policy) -> int:
    """Return the number of bots that an author may still send in these 24 hours."""
    return allowed.uploads_a_day - author.versions.filter(submitted__range=within()).exclude(sent="").count()


def check_name(file: str) -> None:
    """Refuse a text that is not a file name, such as a path. Raises KothError."""
    if not FILE_NAME.fullmatch(file) or not file.isprintable() or len(file.encode()) > LONGEST_FILE_NAME:
        raise KothError(f"{visible(file[:100])!r} is not the name of a file that can be sent")


def check_file(author: Author, file: str, data: bytes, name: str, allowed: Policy) -> None:
    """Refuse a file for its name, its size, or the table of a zip. Raises KothError."""
    shown = visible(file[:100])
    check_name(file)
    if name:
        problem = "leave out / # = @" if set(name) & set(RESERVED_LETTERS) else problem_of(name)
        called = name if problem else name_of(author, name)
        if problem := problem or problem_of(called):
            raise KothError(f"{called[:100]!r} is not a name for a bot: {problem}")
    if not data:
        raise KothError(f"{shown} is empty")
    if len(data) > allowed.largest_upload:
        raise KothError(f"{shown} has {len(data):,} bytes; the limit is {allowed.largest_upload:,}")
    if not is_zip(Path(file)):
        return
    inner = list_files(data, file, _allowance(allowed))
    zips = [place for place in inner if is_zip(Path(place))]
    if zips:
        raise KothError(f"{shown}: {visible(zips[0])!r} in this zip is a zip, too: unpack the inner zip first")
    for one, other in pairwise(sorted(f"{place}/" for place in inner)):
        if other.startswith(one):
            raise KothError(f"{shown}: {visible(one[:-1])!r} is a file and a folder in it")
    if not inner:
        raise KothError(f"{shown}: the zip has no files")


def _allowance(allowed: Policy, into: Path | None = None) -> Allowance:
    return Allowance(UNPACKED_RATIO * allowed.largest_upload, MOST_FILES, into)


def find_bot(tools: BotTools, name: str, data: bytes, wanted: str, folder: Path, allowed: Policy) -> FoundBot:
    """Return the bot in a file that an author sent or would send, unpacked below a folder. Raises KothError.

    `wanted` is the bot's name; empty: the name in the file.
    """
    file = folder / SENT / name
    file.parent.mkdir()
    file.write_bytes(data)
    word = BotSpec(wanted or None, str(file))
    found = find_only(tools.game, word, tools.given, tools.isolation, "send one only", _allowance(allowed, folder))
    check_classes(found, _allowance(allowed).bytes)
    return found


def name_of(author: Author, name: str) -> str:
    """Return the full name of a bot from the site: the author's name comes first, so that names can't collide.

    A bot of the author that the host has sent keeps its name.
    """
    is_known = Bot.objects.filter(author=author, name=name).exists()
    return name if is_known else f"{author.name}/{name}"
