"""Authors: they come by invitation or register, set their password by a signed link, and may delete their account."""

from __future__ import annotations

import unicodedata

from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from koth.contest.private import remove_private
from koth.errors import KothError
from koth.hill.connection import Hill
from koth.hill.faults import without_words
from koth.hill.models import Author, Bot, Seat, Upload, Version
from koth.hill.registry import HOST, LIVING, NAME, RUNNER, in_final, note
from koth.hill.trials import remove_files

DELETED = "deleted author"
"""The beginning of the name of an author whose account is deleted."""
RESERVED = (HOST, RUNNER)
"""Names that nobody takes by registering."""


def author_name(word: str) -> str:
    """Return an author's name as it is kept. Raises KothError for a word that is none."""
    name = " ".join(unicodedata.normalize("NFKC", word[: 4 * NAME]).split())
    if not name or len(name) > NAME or not name.isprintable():
        raise KothError(f"{word[:NAME]!r}: a name has 1 to {NAME} characters, and all of them can be seen")
    return name


def register(name: str, password: str) -> Author:
    """Make an account with a password, for open registration. Raises KothError."""
    name = author_name(name)
    folded = name.casefold()
    with transaction.atomic():
        names = Author.objects.select_for_update().values_list("name", flat=True)
        if folded in RESERVED or folded.startswith(DELETED) or any(folded == other.casefold() for other in names):
            raise KothError(f"the name {name} is taken")
        author = Author(name=name)
        author.set_password(password)
        author.save()
        note("author", f"{name} registered", name)
    return author


def invite(word: str, is_host: bool = False, who: str | None = None) -> Author:
    """Return the author of this name, made without a password if there is none; `link` lets them set one.

    With `is_host` the author may do what a host may. Raises KothError.
    """
    name = author_name(word)
    with transaction.atomic():
        author, is_new = Author.objects.get_or_create(name=name, defaults={"password": "!", "is_host": is_host})
        if not author.is_active:
            raise KothError(f"{name} is suspended")
        if is_host and not author.is_host:
            author.is_host = True
            author.save(update_fields=["is_host"])
        note("invite", f"{name}: {'a new account' if is_new else 'a new password'}{' of a host' * is_host}", who)
    return author


def link(author: Author, url: str) -> str:
    """Return the address, on the site at `url`, where this author sets a password: once, and within two weeks."""
    words = urlsafe_base64_encode(force_bytes(author.pk)), default_token_generator.make_token(author)
    return f"{url}{reverse('set-password', args=words)}"


def delete(author: Author, hill: Hill) -> None:
    """Close an account: its name, password, tokens, uploads, trials, sources and logs go.

    Its bots play no more; their names, their matches and what was published of them stay. Raises KothError.
    """
    reason = "its author's account is deleted"
    own = Version.objects.filter(bot__author=author)
    trials = list(author.trials.all())
    with transaction.atomic():
        hosts = Author.objects.select_for_update().filter(is_host=True, is_active=True)
        if list(hosts) == [author]:
            raise KothError("you are the only host: make somebody else one first")
        name, author.name = author.name, f"{DELETED} {author.pk}"
        author.is_active = author.is_host = False
        author.is_deleted = True
        author.set_unusable_password()
        author.save()
        author.tokens.all().delete()
        author.trials.all().delete()
        unread = author.uploads.filter(state__in=(Upload.State.WAITING, Upload.State.READING))
        unread.update(state=Upload.State.REFUSED, reason=reason)
        author.uploads.update(data=b"", name="", file="")
        own.filter(state__in=LIVING).update(state=Version.State.WITHDRAWN, reason=reason)
        own.exclude(digest__in=in_final()).update(archive=b"")
        _forget_words(author)
        Bot.objects.filter(author=author).update(shows_source=False, licence="")
        note("author", f"{name} deleted their account: {author.name} from now on", name)
    for match, bot in _seats_of(author).values_list("match_id", "version__bot__name"):
        remove_private(hill.folder, match, bot)
    for trial in trials:
        remove_files(hill, trial)


def _seats_of(author: Author) -> QuerySet[Seat]:
    """Return the seats of an author's bots in matches."""
    return Seat.objects.filter(version__bot__author=author)


def _forget_words(author: Author) -> None:
    """Remove the texts of the faults of an author's bots."""
    seats = list(_seats_of(author).exclude(faults={}))
    for seat in seats:
        seat.faults = without_words(seat.faults)
    Seat.objects.bulk_update(seats, ["faults"], batch_size=500)
