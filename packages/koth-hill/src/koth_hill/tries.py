"""Tries: matches of bots that authors ask for before they submit, or of versions that they have sent.

The runner's threads (`koth_hill.request_server`) play them: no try waits for the season, and no match that counts
uses a try.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from koth.discovery.locations import is_zip
from koth.discovery.packing import add_file
from koth.errors import KothError, visible
from koth.game import Game
from koth.viewer.workbench import Now
from koth_hill import uploads
from koth_hill.connection import TRIES, Hill
from koth_hill.fields import escape_unstorable
from koth_hill.host_paths import remove_all_paths
from koth_hill.models import Author, Match, Policy, Seat, Try, Version
from koth_hill.planning import DAY, within
from koth_hill.retention import remove_files

KEPT_TRIES = 20
"""The number of an author's latest tries whose matches are kept."""
KEPT_NAMES = 20
"""The number of names of an author's latest tries whose texts are kept."""
MOST_BYTES = 256 << 10
"""The largest size of all texts of a bot in bytes."""
MOST_FILES = 30
"""The largest number of files of a bot that is written on the site."""

TRIED_STATES = (Version.State.PLAYING, Version.State.SUPERSEDED, Version.State.WITHDRAWN)
"""States of own versions that an author may try."""

Texts = Sequence[tuple[str, str]]
"""Files of a bot, as pairs of the path in the bot's folder and the text."""


def count_left(author: Author, allowed: Policy) -> int:
    """Return the number of tries that an author may still ask for in these 24 hours."""
    return allowed.tries_a_day - author.tries.filter(asked__range=within()).count()


def find_latest(author: Author, name: str) -> Try | None:
    """Return an author's latest try with this name."""
    found: Try | None = author.tries.filter(name=name).order_by("-pk").first()
    return found


def find_rivals(author: Author) -> QuerySet[Version]:
    """Return the versions against which an author may try a bot: all that play, and own ones with stored sources."""
    return Version.objects.filter(Q(state=Version.State.PLAYING) | find_own(author)).exclude(archive=b"")


def find_own(author: Author) -> Q:
    """Return the condition for an author's versions that may be tried."""
    return Q(bot__author=author, state__in=TRIED_STATES)


def find_again(author: Author, seat: Any) -> tuple[Seat, list[Version]]:
    """Return an own seat in a played match, and the versions at the others, without archives, in order of seats.

    Raises KothError if the author has no such seat, or if a rival's source is no longer stored.
    """
    own = Seat.objects.filter(version__author=author, match__state=Match.State.PLAYED)
    found = own.select_related("match__season").filter(pk=seat).first()
    if found is None:
        raise KothError("only a played match of a bot of yours can be played again")
    others = Version.objects.filter(seats__match=found.match).exclude(seats=found)
    if others.filter(archive=b"").exists():
        raise KothError(f"match {found.match_id} can't be played again: the source of a rival is no longer stored")
    return found, list(others.select_related("bot").defer("archive").order_by("seats__place"))


def find_playing(author: Author, name: str) -> QuerySet[Version]:
    """Return the version of an author's bot that plays, if one does."""
    named = Version.objects.filter(bot__author=author, bot__name=uploads.name_of(author, name))
    return named.filter(state=Version.State.PLAYING)


def find_old(author: Author, name: str) -> Version:
    """Return the version of an author's bot that plays, for a comparison with a new one. Raises KothError."""
    found = find_playing(author, name).select_related("bot").first()
    if found is None:
        raise KothError(f"no version of {visible(name)} plays: there is nothing to compare with")
    return found


def ask(
    game: Game,
    author: Author,
    name: str,
    bot: Texts | Version,
    kind: Try.Kind,
    rivals: Sequence[int],
    allowed: Policy,
    again: int | None = None,
) -> Try:
    """Record an author's request to try texts or an own version against some of `find_rivals`.

    `again` is the author's seat in a match that is played again: then its rivals are the try's. The try replaces a
    waiting try of the same author. Raises KothError.
    """
    seat = None
    if again is not None and kind == Try.Kind.MATCH:
        seat, others = find_again(author, again)
        rivals = [other.pk for other in others]
    elif kind == Try.Kind.COMPARE:
        old = find_old(author, name)
        rivals = [pk for pk in rivals if pk != old.pk]
    if not name:
        raise KothError("give the bot a name first")
    version = bot if isinstance(bot, Version) else None
    file, data = ("", b"") if isinstance(bot, Version) else as_sent(name, bot)
    if version is None:
        uploads.check_file(author, file, data, name, allowed)
    if seat is None and find_rivals(author).filter(pk__in=rivals).count() < len(rivals):
        raise KothError("choose other rivals: one of these no longer plays")
    if rivals and len(rivals) + 1 not in game.seats:
        raise KothError(f"{game.name} seats {game.seats.start} to {game.seats.stop - 1} bots, yours included")
    with transaction.atomic():
        author.lock()
        if count_left(author, allowed) <= 0:
            raise KothError(f"you have asked for {allowed.tries_a_day} tries in 24 hours, which is the limit")
        author.tries.filter(state=Try.State.WAITING).update(state=Try.State.OVER)
        if version is None:
            author.tries.filter(name=name).update(data=b"")
        kept = uploads.find_tries(author).values_list("pk", flat=True)
        author.tries.filter(pk__in=list(kept.reverse()[KEPT_NAMES - 1 :])).update(data=b"")
        author.tries.filter(asked__lt=timezone.now() - DAY, data=b"").exclude(state=Try.State.RUNNING).delete()
        attempt: Try = author.tries.create(
            name=name, file=file, data=data, version=version, kind=kind, rivals=list(rivals), again=seat,
        )  # fmt: skip
        uploads.make_room(author, allowed)
        return attempt


def as_sent(name: str, texts: Texts) -> tuple[str, bytes]:
    """Return the name and content of the file to send for a bot: the only file, or a zip of the bot's folder.

    Raises KothError for texts that can't be sent.
    """
    if len(texts) > MOST_FILES:
        raise KothError(f"the bot has {len(texts)} files; the most are {MOST_FILES} here: send it as a zip")
    size = sum(len(text.encode()) for _, text in texts)
    if size > MOST_BYTES:
        raise KothError(f"the source has {size:,} bytes; the most are {MOST_BYTES:,} here: send it as a file")
    if odd := [file for file, text in texts if "\0" in text]:
        raise KothError(f"{visible(odd[0][:100])} is not a text: send it as a file")
    if zips := [file for file, _ in texts if is_zip(Path(file))]:
        raise KothError(f"{visible(zips[0][:100])} would be a zip, which is not a text: send a zip as a file")
    if len(texts) == 1:
        ((file, text),) = texts
        return file, text.encode()
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in texts:
            for part in file.split("/"):
                uploads.check_name(part)
            if f"{name}/{file}" in archive.namelist():
                raise KothError(f"two files are called {visible(file)}; rename one of them")
            add_file(archive, f"{name}/{file}", text.encode())
    return f"{name}.zip", data.getvalue()


def texts_in(archive: bytes, folder: str) -> Texts:
    """Return the texts of the files in a bot's zip.

    `folder` is the name of the bot's folder in the zip, if any. Raises KothError if a file is not a text, or the
    files are too large for the editor.
    """
    elsewhere = "change it on your machine, and send its folder as a zip"
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        infos = files.infolist()
        size = sum(info.file_size for info in infos)
        if len(infos) > MOST_FILES or size > MOST_BYTES:
            raise KothError(
                f"the bot has {len(infos)} files with {size:,} bytes, and the editor takes {MOST_FILES} with "
                f"{MOST_BYTES:,}: {elsewhere}"
            )
        return [(info.filename.removeprefix(f"{folder}/"), _text(files, info, elsewhere)) for info in infos]


def _text(files: zipfile.ZipFile, info: zipfile.ZipInfo, elsewhere: str) -> str:
    with files.open(info) as file:
        data = file.read(MOST_BYTES)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise KothError(f"{visible(info.filename)} is not a text, so the editor can't open the bot: {elsewhere}")
    return text


def texts_of(attempt: Try) -> Texts:
    """Return the texts of a try's files."""
    data = bytes(attempt.data)
    return texts_in(data, attempt.name) if is_zip(Path(attempt.file)) else [(attempt.file, data.decode())]


def record_state(attempt: Try, now: Mapping[str, Any], is_over: bool = False) -> bool:
    """Record the state of a try; return whether the author still waits for this try, not for a newer one."""
    own = Try.objects.filter(pk=attempt.pk, state=Try.State.RUNNING)
    state = Try.State.OVER if is_over else Try.State.RUNNING
    said = own.update(now=_clean(now), state=state)
    return bool(said) and not attempt.author.tries.filter(state=Try.State.WAITING).exists()


def end(attempt: Try, why: str, said: str = "") -> None:
    """End a try in play, with a reason; `said` is the output of a program."""
    record_state(attempt, Now(state="broken", text=why, said=said).as_json(), is_over=True)


def hill_of_tries(hill: Hill) -> Hill:
    """Return the hill's folder of tries, in which replays and logs have the same paths as in the hill's folder."""
    return replace(hill, folder=hill.folder / TRIES)


def remove_old(hill: Hill, author: Author) -> None:
    """Remove the files of an author's tries, except the latest."""
    over = author.tries.filter(state=Try.State.OVER).exclude(now=None)
    for pk in list(over.order_by("-pk").values_list("pk", flat=True)[KEPT_TRIES:]):
        remove_files(hill_of_tries(hill).folder, pk)
        Try.objects.filter(pk=pk).update(now=None)


def _clean(value: Any) -> Any:
    """Return a JSON value whose texts every database accepts, without paths of the host."""
    if isinstance(value, str):
        return escape_unstorable(remove_all_paths(value))
    if isinstance(value, Mapping):
        return {key: _clean(part) for key, part in value.items()}
    return [_clean(part) for part in value] if isinstance(value, list) else value
