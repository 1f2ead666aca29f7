"""Tokens: keys with which an author's programs act for the author. Only digests are stored."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from koth.errors import KothError
from koth_hill.models import Author, Token
from koth_hill.registry import log_action

MOST_TOKENS = 20
"""The largest number of tokens of an author."""
LONGEST_TOKEN_NAME = 40
"""The largest number of characters in a token's name."""
TOKEN_PREFIX = "koth_"
"""The beginning of every token, by which scanners for secrets recognise one."""
MINUTE = timedelta(minutes=1)


def make_token(author: Author, name: str) -> str:
    """Return a new token for an author; koth stores only the digest. Raises KothError."""
    name = name.strip()
    if not 0 < len(name) <= LONGEST_TOKEN_NAME or not name.isprintable():
        raise KothError(f"give the token a name of 1 to {LONGEST_TOKEN_NAME} visible characters")
    with transaction.atomic():
        author.lock()
        if author.tokens.count() >= MOST_TOKENS:
            raise KothError(f"revoke a token first: you have {MOST_TOKENS}, which is the limit")
        word = TOKEN_PREFIX + secrets.token_urlsafe(32)
        Token.objects.create(author=author, name=name, digest=digest_of(word))
        log_action("token", f"{author.name} made the token {name}", author.name)
    return word


def find_author(word: str) -> Author | None:
    """Return the author with this token; None for an unknown token, or if the author is suspended."""
    token = Token.objects.filter(digest=digest_of(word), author__is_active=True).select_related("author").first()
    if token is None:
        return None
    now = timezone.now()
    if token.used is None or abs(now - token.used) > MINUTE:
        Token.objects.filter(pk=token.pk).update(used=now)
    return token.author


def digest_of(word: str) -> str:
    """Return the digest that koth keeps of a secret word."""
    return hashlib.sha256(word.encode("utf-8", "surrogateescape")).hexdigest()
