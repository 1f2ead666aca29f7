"""The site's server: uvicorn, with threads in which Django answers requests."""

from __future__ import annotations

import contextlib
import socket
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from koth.contest.addresses import format_host, is_loopback
from koth.errors import KothError
from koth.hill.connection import open_hill

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that mean all addresses of a machine."""
THREADS = 4
"""The number of requests that Django answers at the same time: pages need not wait for a slow sign-in."""
ACCEPTED_AT_ONCE = 64
"""The most connections that wait to be accepted: asyncio accepts all of these before it counts any, some times in a
row, and they must fit into the other half of the files. Without a file for a connection, asyncio floods stderr."""


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


def serve(folder: Path, address: SiteAddress, open_browser: bool, say: Callable[[str], None]) -> None:
    """Serve the site of the hill in a folder until interrupted. Raises KothError.

    Call `say` with the site's address once visitors can open it, and with the address that makes a first host's
    account, if there is no host.
    """
    address.check()
    with _listen(address) as door:
        url = address.url_at(door.getsockname()[1])
        with open_hill(folder, url):
            from django.conf import settings

            from koth.hill.authors import find_hosts  # they need the settings of the site
            from koth.hill.site.host.new_host import new_host_link

            say(url)
            page = url
            if not find_hosts().exists():
                page = new_host_link(settings.SITE_URL)
                say(f"make a host's account at {page}")
            if open_browser:
                webbrowser.open(page)
            with contextlib.suppress(KeyboardInterrupt):
                _make_server(folder, address, is_proxied=url.startswith("https://")).run(sockets=[door])


@contextlib.contextmanager
def _listen(address: SiteAddress) -> Iterator[socket.socket]:
    """Yield a socket that listens at an address. Raises KothError."""
    with socket.socket(socket.AF_INET6 if ":" in address.host else socket.AF_INET) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((address.host, address.port))
        except OSError as error:
            raise KothError(f"--host {address.host} --port {address.port} can't be used: {error.strerror}") from None
        door.listen(ACCEPTED_AT_ONCE)
        yield door


def _make_server(folder: Path, address: SiteAddress, is_proxied: bool) -> Any:
    """Return uvicorn's server of the site; with a proxy, all connections come from the proxy."""
    import uvicorn
    from a2wsgi import WSGIMiddleware
    from django.core.wsgi import get_wsgi_application

    from koth.hill.site.connections import (
        CONNECTIONS_OF_ONE,
        Crowd,
        make_connection_class,
        raise_limit_of_files,
    )
    from koth.hill.site.request_limits import RequestLimits
    from koth.hill.site.visit_proxy import VisitProxy

    most = raise_limit_of_files()
    application: Any = WSGIMiddleware(get_wsgi_application(), workers=THREADS)
    return uvicorn.Server(
        uvicorn.Config(
            RequestLimits(application, visits=VisitProxy(folder)),
            http=make_connection_class(Crowd(most, most if is_proxied else CONNECTIONS_OF_ONE)),
            ws="none",
            log_level="error",
            lifespan="off",
            timeout_graceful_shutdown=2,
            backlog=ACCEPTED_AT_ONCE,
            server_header=False,
            proxy_headers=is_proxied,
            forwarded_allow_ips=address.proxy or LOOPBACK,
        )
    )
