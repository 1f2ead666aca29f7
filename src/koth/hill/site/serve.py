"""The site's server: uvicorn with Django's ASGI application."""

from __future__ import annotations

import contextlib
import socket
import webbrowser
from collections.abc import Callable

from koth.errors import KothError
from koth.hill.connection import Hill
from koth.hill.site.body_limit import with_limit
from koth.hill.site.served import serve_hill

HERE = "127.0.0.1"


def serve(hill: Hill, url: str | None, host: str, port: int, open_browser: bool, tell: Callable[[str], None]) -> None:
    """Serve the site of a hill until interrupted; `url` None: the machine's own address. Raises KothError.

    `tell` is called with the site's address once it can be visited.
    """
    import uvicorn
    from django.core.asgi import get_asgi_application

    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, port))
        except OSError as error:
            raise KothError(f"--host {host} --port {port} can't be used: {error.strerror}") from None
        door.listen(512)
        address = url or f"http://{HERE}:{door.getsockname()[1]}"
        serve_hill(hill, address)
        app = with_limit(get_asgi_application())
        tell(address)
        if open_browser:
            webbrowser.open(address)
        config = uvicorn.Config(app, ws="none", log_level="error", lifespan="off", timeout_graceful_shutdown=2)
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[door])
