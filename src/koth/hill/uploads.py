"""Bots that come by the site: refused at once for what can be seen from outside, then read by a runner."""

from __future__ import annotations

import re
import tempfile
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from koth.discovery.archives import Allowance, look_at
from koth.discovery.entrants import only
from koth.discovery.interpreters import Interpreters
from koth.discovery.locations import ZIP
from koth.discovery.manifest import checked_name
from koth.errors import KothError, visible
from koth.files.cache import cache_folder
from koth.game import Game
from koth.hill.models import Author, Policy, Runner, Upload
from koth.hill.registry import RUNNER, check_open, note, submit
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import Isolation, SandboxError

DAY = timedelta(days=1)
FILES = 2_000
"""Files and folders in an upload."""
RATIO = 20
"""A zip may hold so many times the largest upload."""
FILE = re.compile(r"[^./\\\\#@-][^/\\\\#]{0,99}")
"""Names of files."""
NAME = re.compile(r"[^/#=@]{1,40}")
"""Names of bots that are asked for."""


def policy() -> Policy:
    """Return what the host allows."""
    return Policy.objects.first() or Policy()


def receive(author: Author, file: str, data: bytes, name: str = "") -> Upload:
    """Keep a bot that was sent, for a runner to read; it is confirmed once this returns. Raises KothError."""
    allowed = policy()
    _look(file, data, name, allowed)
    with transaction.atomic():
        check_open()
        list(Author.objects.select_for_update().filter(pk=author.pk))  # one upload of an author at a time
        if left(author, allowed) <= 0:
            raise KothError(
                f"you have sent {allowed.uploads_a_day} bots in 24 hours, which is the most; come back later"
            )
        upload = Upload.objects.create(author=author, name=name, file=file, data=data, size=len(data))
        note("upload", f"upload {upload.pk} of {author.name}: {file}, {len(data):,} bytes", author.name)
    return upload


def left(author: Author, allowed: Policy) -> int:
    """Return how many bots an author may still send in these 24 hours."""
    return allowed.uploads_a_day - author.uploads.filter(received__gte=timezone.now() - DAY).count()


def _look(file: str, data: bytes, name: str, allowed: Policy) -> None:
    """Refuse a file for its name, its size, or the list of what is in it. Raises KothError."""
    told = visible(file[:100])
    if not FILE.fullmatch(file) or not file.isprintable():
        raise KothError(f"{told!r} is no name of a file that can be sent")
    if name and not (NAME.fullmatch(name) and name == checked_name(name, Path(file))):
        raise KothError(f"{name[:100]!r} is no name for a bot: it has 1 to 40 characters, and none of / # = @")
    if not data:
        raise KothError(f"{told} is empty")
    if len(data) > allowed.largest_upload:
        raise KothError(f"{told} has {len(data):,} bytes; the most are {allowed.largest_upload:,}")
    if Path(file).suffix != ZIP:
        return
    inner = look_at(data, file, Allowance(RATIO * allowed.largest_upload, FILES))
    zips = [place for place in inner if place.endswith(ZIP)]
    if zips:
        raise KothError(f"{told}: {visible(zips[0])!r} in it is a zip, too; unpack it first")
    if not inner:
        raise KothError(f"{told}: there is no file in it")


def claim(runner: Runner) -> Upload | None:
    """Claim the oldest upload that waits; None where there is none."""
    waiting = Upload.objects.filter(state=Upload.State.WAITING)
    while (upload := waiting.select_related("author").first()) is not None:
        if waiting.filter(pk=upload.pk).update(state=Upload.State.READING, runner=runner):
            return upload
    return None


def take(game: Game, upload: Upload, given: Interpreters, isolation: Isolation) -> Upload:
    """Make a version of an upload that was claimed, as `koth hill submit` does, or put on record why it is none."""
    reading = Upload.objects.filter(pk=upload.pk, state=Upload.State.READING)  # else its author deleted the account
    with tempfile.TemporaryDirectory(prefix="koth-upload-") as folder:
        file = Path(folder) / upload.file
        file.write_bytes(bytes(upload.data))
        try:
            found = only(
                game, f"{upload.name}={file}" if upload.name else str(file), given, isolation, "send one only"
            )
            with transaction.atomic():
                if reading.update(state=Upload.State.TAKEN, data=b""):
                    version = submit(game, found, upload.author.name, RUNNER)
                    Upload.objects.filter(pk=upload.pk).update(version=version)
        except (ArenaError, SandboxError):
            raise
        except KothError as error:
            reason = _own_words(str(error), folder)
            if reading.update(state=Upload.State.REFUSED, reason=reason, data=b""):
                note("upload", f"upload {upload.pk} of {upload.author.name} is refused: {reason}", RUNNER)
    upload.refresh_from_db(fields=["state", "reason", "version"])
    return upload


def _own_words(text: str, folder: str) -> str:
    """Return a message with the names of files as their author knows them, not as they lie on this machine."""
    for place in (re.escape(folder), rf"{re.escape(str(cache_folder('zips')))}/[^/\s]+"):
        text = re.sub(rf"{place}/", "", text)
    return text
