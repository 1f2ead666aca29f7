"""The hill that this process serves, and Django's settings that follow from its address."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from koth.errors import KothError
from koth.files.beneath import read_beneath, written_beneath
from koth.hill.connection import Hill

KEY = "site.key"
"""The file of the key that sessions and links are signed with."""
LOCAL = ("127.0.0.1", "localhost")
YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class Served:
    """A hill with a site; `url` is the site's address without a slash at its end."""

    hill: Hill
    url: str


_served: list[Served] = []


def served() -> Served:
    """Return the hill that is served."""
    return _served[0]


def serve_hill(hill: Hill, url: str) -> None:
    """Set Django's settings for the site of a hill at this address. Raises KothError."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise KothError(f"--url {url}: wanted is https://NAME, the address by which people reach the site")
    is_https = parts.scheme == "https"
    settings.SECRET_KEY = _key(hill)
    settings.ALLOWED_HOSTS = [parts.hostname] if parts.hostname not in LOCAL else list(LOCAL)
    settings.CSRF_TRUSTED_ORIGINS = [f"{parts.scheme}://{parts.netloc}"]
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = is_https
    settings.SECURE_SSL_REDIRECT = is_https
    settings.SECURE_HSTS_SECONDS = YEAR if is_https else 0
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if is_https else None
    _served[:] = [Served(hill, url.rstrip("/"))]


def _key(hill: Hill) -> str:
    """Return the site's key, made when there is none yet. Raises KothError."""
    try:
        if not os.path.lexists(hill.folder / KEY):
            with written_beneath(hill.folder, KEY, mode=0o600) as file:
                file.write(secrets.token_urlsafe(50).encode())
        return read_beneath(hill.folder, KEY, 1 << 10).decode("ascii")
    except (OSError, ValueError) as error:
        raise KothError(f"{hill.folder / KEY}: {error}") from None
