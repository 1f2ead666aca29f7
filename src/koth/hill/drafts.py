"""Drafts: bots that authors write on the site, to be checked and tried before they are submitted.

Separate processes (`koth.hill.draft_runner`) claim drafts here and play them: no draft waits for the season, and no
match that counts uses a draft.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from koth.discovery.locations import is_zip
from koth.discovery.packing import add_file
from koth.errors import KothError, visible
from koth.game import Game
from koth.hill import uploads
from koth.hill.claims import in_turn
from koth.hill.connection import DRAFTS, Hill
from koth.hill.fields import escape_unstorable
from koth.hill.host_paths import remove_all_paths
from koth.hill.models import Author, Draft, Policy, Version
from koth.hill.planning import DAY, within
from koth.hill.retention import remove_files
from koth.viewer.workbench import Now

KEPT_DRAFTS = 20
"""The number of an author's latest drafts whose matches are kept."""
KEPT_NAMES = 20
"""The number of names of an author's latest drafts whose texts are kept."""
MOST_CHARACTERS = 256 << 10
"""The largest number of characters in all texts of a bot."""
MOST_FILES = 30
"""The largest number of files of a bot that is written on the site."""

Texts = Sequence[tuple[str, str]]
"""Files of a bot, as pairs of the path in the bot's folder and the text."""


def count_left(author: Author, allowed: Policy) -> int:
    """Return the number of drafts that an author may still have checked or tried in these 24 hours."""
    return allowed.drafts_a_day - author.drafts.filter(asked__range=within()).count()


def find_latest(author: Author, name: str) -> Draft | None:
    """Return an author's latest draft with this name."""
    found: Draft | None = author.drafts.filter(name=name).order_by("-pk").first()
    return found


def ask(game: Game, author: Author, name: str, texts: Texts, rivals: Sequence[int] | None, allowed: Policy) -> Draft:
    """Record an author's request to try a bot against versions that play, or to check it (`rivals` is None).

    The draft replaces a waiting draft of the same author. Raises KothError.
    """
    if not name:
        raise KothError("give the bot a name first")
    file, data = as_sent(name, texts)
    uploads.check_file(file, data, name, allowed)
    known = Version.objects.filter(pk__in=rivals or (), state=Version.State.PLAYING)
    if known.count() < len(rivals or ()):
        raise KothError("choose other rivals: one of these no longer plays")
    if rivals and len(rivals) + 1 not in game.seats:
        raise KothError(f"{game.name} seats {game.seats.start} to {game.seats.stop - 1} bots, yours included")
    with transaction.atomic():
        author.lock()
        if count_left(author, allowed) <= 0:
            raise KothError(f"you have tried {allowed.drafts_a_day} drafts in 24 hours, which is the limit")
        author.drafts.filter(state=Draft.State.WAITING).update(state=Draft.State.OVER)
        author.drafts.filter(name=name).update(data=b"")
        kept = uploads.find_drafts(author).values_list("pk", flat=True)
        author.drafts.filter(pk__in=list(kept.reverse()[KEPT_NAMES - 1 :])).update(data=b"")
        author.drafts.filter(asked__lt=timezone.now() - DAY, data=b"").exclude(state=Draft.State.RUNNING).delete()
        draft: Draft = author.drafts.create(
            name=name, file=file, data=data, is_check=rivals is None, rivals=list(rivals or ())
        )
        uploads.make_room(author, allowed)
        return draft


def as_sent(name: str, texts: Texts) -> tuple[str, bytes]:
    """Return the name and content of the file to send for a bot: the only file, or a zip of the bot's folder.

    Raises KothError for texts that can't be sent.
    """
    if len(texts) > MOST_FILES:
        raise KothError(f"the bot has {len(texts)} files; the most are {MOST_FILES} here: send it as a zip")
    size = sum(len(text) for _, text in texts)
    if size > MOST_CHARACTERS:
        raise KothError(f"the source has {size:,} characters; the most are {MOST_CHARACTERS:,}")
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
        if len(infos) > MOST_FILES or size > MOST_CHARACTERS:
            raise KothError(
                f"the bot has {len(infos)} files with {size:,} bytes, and the editor takes {MOST_FILES} with "
                f"{MOST_CHARACTERS:,}: {elsewhere}"
            )
        return [(info.filename.removeprefix(f"{folder}/"), _text(files, info, elsewhere)) for info in infos]


def _text(files: zipfile.ZipFile, info: zipfile.ZipInfo, elsewhere: str) -> str:
    with files.open(info) as file:
        data = file.read(MOST_CHARACTERS)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise KothError(f"{visible(info.filename)} is not a text, so the editor can't open the bot: {elsewhere}")
    return text


def texts_of(draft: Draft) -> Texts:
    """Return the texts of a draft's files."""
    data = bytes(draft.data)
    return texts_in(data, draft.name) if is_zip(Path(draft.file)) else [(draft.file, data.decode())]


def find_waiting() -> QuerySet[Draft]:
    """Return the drafts that wait, in the order in which they are played."""
    return in_turn(Draft.objects.filter(state=Draft.State.WAITING), "author__drafts", "asked")


def claim(player: str) -> Draft | None:
    """Claim the next draft whose author has no other draft in play; return None if no such draft waits.

    `player` names the process that plays it.
    """
    running = Draft.objects.filter(state=Draft.State.RUNNING)
    for draft in find_waiting().exclude(author__in=running.values("author")).select_related("author"):
        with transaction.atomic():
            draft.author.hold()
            mine = Draft.objects.filter(pk=draft.pk, state=Draft.State.WAITING)
            is_free = not running.filter(author=draft.author).exists()
            if is_free and mine.update(state=Draft.State.RUNNING, player=player):
                return draft
    return None


def end_abandoned(player: str) -> None:
    """End the drafts that an earlier process named `player` has abandoned."""
    for draft in Draft.objects.filter(state=Draft.State.RUNNING, player=player).select_related("author"):
        end(draft, "try again: the process that played the draft has ended")


def record_state(draft: Draft, now: Mapping[str, Any], is_over: bool = False) -> bool:
    """Record the state of a draft; return whether the author still waits for this draft, not for a newer one."""
    own = Draft.objects.filter(pk=draft.pk, state=Draft.State.RUNNING)
    state = Draft.State.OVER if is_over else Draft.State.RUNNING
    said = own.update(now=_clean(now), state=state)
    return bool(said) and not draft.author.drafts.filter(state=Draft.State.WAITING).exists()


def end(draft: Draft, why: str, said: str = "") -> None:
    """End a draft in play, with a reason; `said` is the output of a program."""
    record_state(draft, Now(state="broken", text=why, said=said).as_json(), is_over=True)


def hill_of_drafts(hill: Hill) -> Hill:
    """Return the hill's folder of drafts, in which replays and logs have the same paths as in the hill's folder."""
    return replace(hill, folder=hill.folder / DRAFTS)


def remove_old(hill: Hill, author: Author) -> None:
    """Remove the files of an author's drafts, except the latest."""
    over = author.drafts.filter(state=Draft.State.OVER).exclude(now=None)
    for pk in list(over.order_by("-pk").values_list("pk", flat=True)[KEPT_DRAFTS:]):
        remove_files(hill_of_drafts(hill).folder, pk)
        Draft.objects.filter(pk=pk).update(now=None)


def _clean(value: Any) -> Any:
    """Return a JSON value whose texts every database accepts, without paths of the host."""
    if isinstance(value, str):
        return escape_unstorable(remove_all_paths(value))
    if isinstance(value, Mapping):
        return {key: _clean(part) for key, part in value.items()}
    return [_clean(part) for part in value] if isinstance(value, list) else value
