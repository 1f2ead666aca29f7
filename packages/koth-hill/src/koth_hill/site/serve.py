"""The site's server: waitress, with threads in which Django answers requests."""

from __future__ import annotations

import contextlib
import resource
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from koth.contest.addresses import format_host, is_loopback
from koth.discovery.packing import LARGEST_ARCHIVE
from koth.errors import KothError
from koth.viewer.server import open_in_browser
from koth_hill.connection import open_hill

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that mean all addresses of a machine."""
PROXY_HEADERS = {"x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"}
CONNECTIONS = 2000
"""The most connections; others wait until one ends."""
FILES_OF_CONNECTION = 4
"""The open files that a connection may take: its socket, the body of a request, and answers."""
SILENCE_TIMEOUT = 20
"""Seconds without a byte from or to a visitor after which a connection without an open request is closed."""
LARGEST_HEAD = 1 << 15
"""The largest size in bytes of a request's head."""
BYTES_IN_MEMORY = 1 << 16
"""The size in bytes above which a request's body or an answer is kept in a file."""
FORM_PARTS = 1 << 16
"""The size in bytes of the rest of a form with a bot."""


@dataclass(frozen=True)
class SiteAddress:
    """The address at which a site listens, and the site's public `url`; None: the same address.

    `proxy` is the address of the TLS proxy before the site; the site trusts the proxy's headers about visitors. With
    `plain`, passwords may cross a network without TLS.
    """

    url: str | None
    host: str
    port: int
    proxy: str | None = None
    plain: bool = False

    def check(self) -> None:
        """Raise KothError for settings that let others on the network read passwords or forge their address."""
        is_https = (self.url or "").startswith("https://")
        if self.proxy and not is_https:
            raise KothError("give --url https://NAME with --proxy")
        if self.url is None and self.plain and self.host in EVERYWHERE:
            raise KothError(
                f"--host {self.host}: give this machine's address for others with --url http://ADDRESS:PORT"
            )
        if is_https or self.plain:
            return
        open_to = [] if is_loopback(self.host) else [f"--host {self.host}"]
        if self.url is not None and not is_loopback(urlsplit(self.url).hostname or LOOPBACK):
            open_to.append(f"--url {self.url}")
        if open_to:
            raise KothError(
                f"{' '.join(open_to)}: without TLS everybody on the way reads passwords; say --url https://NAME and "
                "put a TLS proxy before the site, or say --plain-http where the network is yours"
            )

    def url_at(self, port: int) -> str:
        """Return the address for browsers, if the site listens at this port."""
        return self.url or f"http://{format_host(self.host)}:{port}"


def serve(folder: Path, address: SiteAddress, say: Callable[[str], None]) -> None:
    """Serve the site of the hill in a folder until interrupted. Raises KothError.

    Call `say` with the site's address once visitors can open it, and with the address that makes a first host's
    account, if there is no host.
    """
    address.check()
    with _listen(address) as door:
        url = address.url_at(door.getsockname()[1])
        with open_hill(folder, url):
            from django.conf import settings

            from koth_hill.authors import find_hosts  # they need the settings of the site
            from koth_hill.site.host.new_host import new_host_link

            trusted = (address.proxy or LOOPBACK) if url.startswith("https://") else None
            server = make_server(door, trusted)
            say(url)
            page = url
            if not find_hosts().exists():
                page = new_host_link(settings.SITE_URL)
                say(f"make a host's account at {page}")
            open_in_browser(page)
            server.run()


@contextlib.contextmanager
def _listen(address: SiteAddress) -> Iterator[socket.socket]:
    """Yield a socket that listens at an address. Raises KothError."""
    with socket.socket(socket.AF_INET6 if ":" in address.host else socket.AF_INET) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((address.host, address.port))
        except OSError as error:
            raise KothError(f"--host {address.host} --port {address.port} can't be used: {error.strerror}") from None
        yield door


def make_server(door: socket.socket, trusted_proxy: str | None) -> Any:
    """Return the server of the open hill's site; believe what `trusted_proxy` says of visitors."""
    from django.core.wsgi import get_wsgi_application
    from waitress.server import create_server

    from koth_hill.site.limits import LARGEST_FORM, THREADS
    from koth_hill.uploads import read_policy

    largest = max(LARGEST_FORM, min(read_policy().largest_upload, LARGEST_ARCHIVE))
    proxy = {"trusted_proxy": trusted_proxy, "trusted_proxy_headers": PROXY_HEADERS} if trusted_proxy else {}
    return create_server(
        get_wsgi_application(),
        sockets=[door],
        threads=THREADS,
        connection_limit=min(CONNECTIONS, _raise_limit_of_files() // FILES_OF_CONNECTION),
        asyncore_use_poll=True,
        channel_timeout=SILENCE_TIMEOUT,
        cleanup_interval=SILENCE_TIMEOUT // 4,
        max_request_header_size=LARGEST_HEAD,
        max_request_body_size=largest + FORM_PARTS,
        inbuf_overflow=BYTES_IN_MEMORY,
        outbuf_overflow=BYTES_IN_MEMORY,
        outbuf_high_watermark=1 << 40,  # a thread never waits for a visitor that does not read
        log_socket_errors=False,
        ident="",
        clear_untrusted_proxy_headers=True,
        **proxy,
    )


def _raise_limit_of_files() -> int:
    """Raise the limit of open files as far as the system allows and connections need; return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS * FILES_OF_CONNECTION
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft
