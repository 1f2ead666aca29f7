"""Authors' accounts: registration, invitations, passwords by signed link, hosts, suspension, and deletion."""

from __future__ import annotations

import secrets
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from koth.contest.private import remove_private
from koth.errors import KothError
from koth.names import alike
from koth_hill.connection import Hill
from koth_hill.faults import remove_words
from koth_hill.models import Author, Seat, Version
from koth_hill.registry import (
    HOST,
    RUNNER,
    end_all,
    find_needed_versions,
    find_or_make_author,
    log_action,
    normalize_author_name,
)
from koth_hill.tokens import digest_of

DELETED_NAME = "deleted author"
"""The beginning of the name of an author whose account is deleted."""
CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The 32 characters of codes, without the similar 0, 1, I and O."""
CODE_LENGTH = 8
"""Characters of a code."""
RESERVED_NAMES = (HOST, RUNNER)
"""Names that nobody can register."""


def register(name: str, password: str) -> Author:
    """Make an account with a password, for open registration. Raises KothError."""
    name = normalize_author_name(name)
    with transaction.atomic():
        names = Author.objects.select_for_update().values_list("name", flat=True)
        if alike(name, RESERVED_NAMES) or alike(name[: len(DELETED_NAME)], [DELETED_NAME]) or alike(name, names):
            raise KothError(f"choose another name: {name}, or a name like it, is taken")
        author = Author(name=name)
        author.set_password(password)
        author.save()
        log_action("author", f"{name} registered", name)
    return author


def invite(word: str, is_host: bool = False, actor: str | None = None) -> Author:
    """Return the author of this name; make a missing author, without a password.

    With `is_host` the author gets a host's rights. Raises KothError.
    """
    with transaction.atomic():
        author, is_new = find_or_make_author(word)
        name = author.name
        if not author.is_active:
            raise KothError(f"{name} is suspended")
        if is_host and not author.is_host:
            author.is_host = True
            author.save(update_fields=["is_host"])
        log_action(
            "invite", f"{name}: {'a new account' if is_new else 'a new password'}{' of a host' * is_host}", actor
        )
    return author


def invite_class(text: str, is_host: bool = False, actor: str | None = None) -> list[Author]:
    """Return the authors whose names are on the lines of a text; make missing authors, all or none.

    Ignore empty lines and lines that begin with #. Raises KothError that names all faulty lines.
    """
    lines = _list_names(text)
    if not lines:
        raise KothError("write a name on each line: there are none")
    found: dict[str, int] = {}
    invited, problems = [], []
    with transaction.atomic():
        for number, line in lines:
            try:
                author = invite(line, is_host, actor)
            except KothError as error:
                problems.append(f"line {number}: {error}")
                continue
            if author.name in found:
                problems.append(f"line {number}: {author.name} is on line {found[author.name]}, too")
            found.setdefault(author.name, number)
            invited.append(author)
        if problems:
            raise KothError("; ".join(problems))
    return invited


def _list_names(text: str) -> list[tuple[int, str]]:
    """Return the numbered lines of a text, except empty lines and lines that begin with #."""
    lines = enumerate(text.splitlines(), 1)
    return [(number, line) for number, line in lines if line.strip() and line.lstrip()[0] != "#"]


def find_known(text: str) -> list[str]:
    """Return for each line of a list whose name has an account already whose account an invitation opens."""
    known = []
    for number, line in _list_names(text):
        with suppress(KothError):  # `invite_class` names faulty lines
            author = Author.objects.filter(name=normalize_author_name(line)).first()
            if author is not None:
                bots = ", ".join(author.bots.values_list("name", flat=True)) or "no bots"
                known.append(
                    f"line {number}: {author.name} has an account since {author.joined:%Y-%m-%d}, with {bots}"
                )
    return known


def find_unused_codes() -> QuerySet[Author]:
    """Return the active authors, except hosts, with an unused code."""
    return Author.objects.filter(is_active=True, is_host=False).exclude(code="")


def suspend(author: Author, why: str, actor: str | None = None) -> None:
    """Suspend an author and the author's bots; the author can't sign in or send bots then. Raises KothError."""
    with transaction.atomic():
        author.refresh_from_db()
        if author.is_host:
            raise KothError(f"{author.name} is a host: make them an author first")
        Author.objects.filter(pk=author.pk).update(is_active=False)
        end_all(author, Version.State.SUSPENDED, why)
        log_action("author", f"{author.name} is suspended: {why}", actor)


def reinstate(author: Author, actor: str | None = None) -> None:
    """Reinstate a suspended author. Raises KothError."""
    with transaction.atomic():
        author.refresh_from_db()
        if author.is_deleted:
            raise KothError(f"{author.name} is the name of a deleted account")
        Author.objects.filter(pk=author.pk).update(is_active=True)
        log_action("author", f"{author.name} is reinstated", actor)


def make_host(author: Author, is_host: bool, actor: str | None = None) -> None:
    """Give an author a host's rights, or remove these rights, except from the last host. Raises KothError."""
    with transaction.atomic():
        author.refresh_from_db()
        if not author.is_active:
            raise KothError(f"{author.name} is suspended")
        if not is_host:
            _check_other_hosts(author)
        Author.objects.filter(pk=author.pk).update(is_host=is_host)
        log_action("host", f"{author.name} is {'a' if is_host else 'no'} host", actor)


def make_first_host(word: str, password: str) -> Author:
    """Make a host's account, for a new author or one without a password. Raises KothError."""
    with transaction.atomic():
        author, _ = find_or_make_author(word)
        name = author.name
        if author.has_usable_password():
            raise KothError(f"choose another name: {name} has an account already")
        author.is_host = author.is_active = True
        author.set_password(password)
        author.save()
        log_action("host", f"{name} is a host")
    return author


def _check_other_hosts(author: Author) -> None:
    """Lock the hosts' rows until the transaction ends. Raises KothError if no other host can sign in."""
    if list(find_hosts().select_for_update()) == [author]:
        raise KothError(f"make another author a host first: {author.name} is the only host")


def find_hosts() -> QuerySet[Author]:
    """Return the authors who can sign in as hosts."""
    return Author.objects.filter(is_host=True, is_active=True).exclude(password__startswith="!")


def password_link(author: Author, url: str, key: str | None = None) -> str:
    """Return the address, on the site at `url`, where this author can set a password once, within two weeks.

    A process other than the site gives the site's signing key, as `key`.
    """
    generator = PasswordResetTokenGenerator()
    if key is not None:
        generator.secret = key
    words = urlsafe_base64_encode(force_bytes(author.pk)), generator.make_token(author)
    return f"{url}{reverse('set-password', args=words)}"


def make_code(author: Author) -> str:
    """Return a code of 40 bits with which this author can set a password once, within two weeks.

    The code replaces an earlier one; only the digest is kept. Hosts need the longer link instead.
    """
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    until = timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    Author.objects.filter(pk=author.pk, is_host=False).update(code=digest_of(code), code_until=until)
    return f"{code[: CODE_LENGTH // 2]}-{code[CODE_LENGTH // 2 :]}"


def find_author_by_code(code: str) -> Author | None:
    """Return the author with this code, in upper or lower case; None for an invalid code."""
    plain = "".join(c for c in code.upper() if c.isalnum())
    valid = Author.objects.filter(code=digest_of(plain), code_until__gt=timezone.now(), is_active=True, is_host=False)
    return valid.first() if plain else None


def delete(author: Author, hill: Hill, actor: str | None = None) -> None:
    """Delete an account: its name, password, tokens, tries, sources and logs.

    `actor` is the host who deletes it; None: the author. The author's bots stop playing; the bots' names, matches and
    published files stay. Raises KothError.
    """
    reason = "the author's account is deleted"
    own = Version.objects.filter(bot__author=author)
    with transaction.atomic():
        _check_other_hosts(author)
        name, author.name = author.name, f"{DELETED_NAME} {author.pk}"
        author.is_active = author.is_host = False
        author.is_deleted = True
        author.set_unusable_password()
        author.save()
        author.tokens.all().delete()
        author.tries.all().delete()  # the next sweep of a runner removes their files
        end_all(author, Version.State.WITHDRAWN, reason)
        author.versions.filter(bot=None).update(name="", sent="")
        own.exclude(pk__in=find_needed_versions()).update(archive=b"", is_shared=False)
        _forget_words(author)
        log_action(
            "author", f"the account of {name} is deleted: the name is {author.name} from now on", actor or name
        )
    for seat in _seats_of(author).select_related("match", "version__bot").defer("version__archive"):
        remove_private(hill.folder, seat.match_id, seat.name)


def _seats_of(author: Author) -> QuerySet[Seat]:
    return Seat.objects.filter(version__bot__author=author)


def _forget_words(author: Author) -> None:
    """Remove the texts of the faults of an author's bots."""
    seats = list(_seats_of(author).exclude(faults={}))
    for seat in seats:
        seat.faults, seat.moments = remove_words(seat.faults), {}
    Seat.objects.bulk_update(seats, ["faults", "moments"], batch_size=500)
