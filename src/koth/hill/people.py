"""Actions of the host on people: invite a class, suspend and reinstate authors, make hosts."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from koth.errors import KothError, choices
from koth.hill.authors import invite
from koth.hill.models import Author, Version
from koth.hill.registry import end_all, note


def find_author(name: str) -> Author:
    """Return the author of this name. Raises KothError."""
    author = Author.objects.filter(name=name).first()
    if author is None:
        names = list(Author.objects.values_list("name", flat=True))
        raise KothError(f"there is no author {name!r}{choices(name, names) if names else ''}")
    return author


def invite_class(text: str, who: str | None = None, is_host: bool = False) -> list[Author]:
    """Return the authors whose names are on the lines of a text; make missing authors, all or none.

    Ignore empty lines and lines that begin with #. Raises KothError that names all faulty lines.
    """
    lines = [
        (number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line.lstrip()[0] != "#"
    ]
    if not lines:
        raise KothError("write a name on each line: there are none")
    found: dict[str, int] = {}
    authors, problems = [], []
    with transaction.atomic():
        for number, line in lines:
            try:
                author = invite(line, is_host, who)
            except KothError as error:
                problems.append(f"line {number}: {error}")
                continue
            if author.name in found:
                problems.append(f"line {number}: {author.name} is on line {found[author.name]}, too")
            found.setdefault(author.name, number)
            authors.append(author)
        if problems:
            raise KothError("; ".join(problems))
    return authors


def find_unused_codes() -> QuerySet[Author]:
    """Return the active authors, except hosts, with an unused code."""
    return Author.objects.filter(is_active=True, is_host=False).exclude(code="")


def suspend_author(name: str, why: str, who: str | None = None) -> Author:
    """Suspend an author, who then can't sign in or send bots, and suspend the author's bots. Raises KothError."""
    with transaction.atomic():
        author = find_author(name)
        if author.is_host:
            raise KothError(f"{name} is a host: make them an author first")
        Author.objects.filter(pk=author.pk).update(is_active=False)
        end_all(author, Version.State.SUSPENDED, why)
        note("author", f"{name} is suspended: {why}", who)
    return author


def reinstate_author(name: str, who: str | None = None) -> Author:
    """Reinstate a suspended author. Raises KothError."""
    with transaction.atomic():
        author = find_author(name)
        if author.is_deleted:
            raise KothError(f"{name} is the name of a deleted account")
        Author.objects.filter(pk=author.pk).update(is_active=True)
        note("author", f"{name} is reinstated", who)
    return author


def make_host(name: str, is_host: bool, who: str | None = None) -> Author:
    """Give an author a host's rights, or remove these rights, except from the last host. Raises KothError."""
    with transaction.atomic():
        hosts = list(Author.objects.select_for_update().filter(is_host=True, is_active=True))
        author = find_author(name)
        if not is_host and hosts == [author]:
            raise KothError(f"make another author a host first: {name} is the only host")
        if not author.is_active:
            raise KothError(f"{name} is suspended")
        Author.objects.filter(pk=author.pk).update(is_host=is_host)
        note("host", f"{name} is {'a' if is_host else 'no'} host", who)
    return author
