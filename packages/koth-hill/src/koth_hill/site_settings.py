"""Django's settings of one site, which follow from the hill's folder and the site's address."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from koth.errors import KothError
from koth.files.beneath import read_beneath, write_beneath

KEY = "site.key"
"""The file of the key that signs the site's sessions and links."""
LOCAL = ("127.0.0.1", "localhost")
YEAR = 365 * 24 * 3600


def site_settings(folder: Path, url: str) -> dict[str, Any]:
    """Return the settings of the site at `url` of the hill in `folder`. Raises KothError."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise KothError(f"--url {url}: give https://NAME, the address by which people reach the site")
    is_https = parts.scheme == "https"
    return {
        "SITE_URL": url.rstrip("/"),
        "SECRET_KEY": _key(folder),
        "ALLOWED_HOSTS": [parts.hostname] if parts.hostname not in LOCAL else list(LOCAL),
        "CSRF_TRUSTED_ORIGINS": [f"{parts.scheme}://{parts.netloc}"],
        "SESSION_COOKIE_SECURE": is_https,
        "CSRF_COOKIE_SECURE": is_https,
        "SECURE_SSL_REDIRECT": is_https,
        "SECURE_HSTS_SECONDS": YEAR if is_https else 0,
    }


def _key(folder: Path) -> str:
    """Return the site's key; make a missing key. Raises KothError."""
    try:
        if not os.path.lexists(folder / KEY):
            with write_beneath(folder, KEY, mode=0o600) as file:
                file.write(secrets.token_urlsafe(50).encode())
        return read_beneath(folder, KEY, 1 << 10).decode("ascii")
    except (OSError, ValueError) as error:
        raise KothError(f"{folder / KEY}: {error}") from None
