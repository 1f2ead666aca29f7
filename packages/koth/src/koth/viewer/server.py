"""The local server for `koth view`: the page, the games' pictures and the replays, on 127.0.0.1 only.

Starlette and uvicorn are imported only when a server starts.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from koth.contest.reading import MatchReader
from koth.contest.run_reader import RunReader
from koth.errors import KothError
from koth.games import GameError, home, names
from koth.replay.names import RUN_FILE, match_number
from koth.replay.reader import ReplayError, open_replay, run_folder_of
from koth.viewer.bundle import bundle
from koth.viewer.contest import Dashboard
from koth.viewer.frame_cache import restore_frames
from koth.viewer.listing import listing
from koth.viewer.page_data import ContestTitle, MatchDetails
from koth.viewer.summary import MatchSummary, find_matches, read_recorded

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

VIEWER_HOST = "127.0.0.1"
HOST_NAMES = frozenset({VIEWER_HOST, "localhost"})
"""Valid names in a Host header: with another name, the request comes from a foreign page (DNS rebinding)."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
MEDIA = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
SCRIPTS = ("main.js", "play.js", "worker.js")
"""The scripts of pages, which are sent together with the modules that they import."""
LARGEST_HEAD = 1 << 16
"""The largest size of a request's head in bytes."""


class ViewerError(KothError):
    """Raised when the viewer can't start."""


def static_files() -> dict[str, Path]:
    """Return the page's files by name."""
    folder = Path(str(resources.files("koth.viewer") / "static"))
    return {file.name: file for file in sorted(folder.iterdir()) if file.suffix in MEDIA}


def read_script(files: Mapping[str, Path], name: str) -> str | None:
    """Return a page's script and all modules that it imports, which a browser asks for at once; None for others."""
    if name not in SCRIPTS:
        return None
    sources = {file: path.read_text(encoding="utf-8") for file, path in files.items() if path.suffix == ".js"}
    return bundle(name, sources, is_module=True)


def file_of_game(game: str, name: str) -> Path | None:
    """Return a file in a game's folder, without importing the game; None if the file does not exist."""
    try:
        file = home(game).folder / name
    except GameError:
        return None
    return file if file.is_file() else None


def picture_of(game: str) -> Path | None:
    """Return a game's `draw.js`, or else the default picture; None if there is no such game."""
    return file_of_game(game, "draw.js") or (static_files()["default-picture.js"] if game in names() else None)


class WatchedReplays:
    """The replays being watched; `find` returns the current matches, given the known matches by name."""

    def __init__(
        self, find: Callable[[Mapping[str, MatchSummary]], list[MatchSummary]], known: Sequence[MatchSummary] = ()
    ) -> None:
        self._find = find
        self._known = {match.name: match for match in known}

    def look(self) -> list[MatchSummary]:
        """Look for matches again; return the matches that can be shown."""
        with contextlib.suppress(ReplayError):  # none yet, or removed since the start
            self._known = {match.name: match for match in self._find(self._known)}
        return [match for match in self._known.values() if match.can_be_shown]

    def match(self, name: str) -> MatchSummary | None:
        """Return the match called `name`, or None."""
        if name not in self._known:
            self.look()
        return self._known.get(name)


class DetailSource(Protocol):
    """A source of matches' details and messages, such as `koth.viewer.contest.Dashboard`."""

    @property
    def names(self) -> list[str]: ...

    @property
    def title(self) -> ContestTitle: ...

    def details(self, name: str) -> MatchDetails | None: ...

    def talk(self, name: str, bot: str, turn: int) -> list[tuple[str, str]] | None: ...


class Guard:
    """ASGI middleware that admits only requests to this machine, and adds headers that isolate pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import PlainTextResponse

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                extra = [(key.lower().encode(), value.encode()) for key, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        if is_local(dict(scope["headers"]).get(b"host", b"").decode("latin-1")):
            await self.app(scope, receive, send_with_headers)
        else:
            await PlainTextResponse("this server answers to 127.0.0.1 only\n", 421)(scope, receive, send_with_headers)


def is_local(host: str) -> bool:
    """Return whether a Host header names this machine, with or without a port."""
    name, _, port = host.partition(":")
    return name in HOST_NAMES and (port == "" or port.isdigit())


def make_app(path: Path) -> Starlette:
    """Make the ASGI application for a replay, a folder of replays, or a run's folder.

    Raises ReplayError when there is nothing to watch.
    """
    watched = WatchedReplays(partial(find_matches, path), find_matches(path))
    if path.is_dir():
        run = Dashboard(RunReader(path)) if os.path.lexists(path / RUN_FILE) else None
        return app_of(watched, run=run, about=run)
    home = run_folder_of(path)
    return app_of(watched, about=None if home is None else Dashboard(RunReader(home)))


def make_contest_app(reader: MatchReader) -> Starlette:
    """Make the ASGI application for a reader's matches."""
    run = Dashboard(reader)
    return app_of(WatchedReplays(partial(read_recorded, reader)), run=run, about=run)


def app_of(
    watched: WatchedReplays,
    more: Sequence[Any] = (),
    run: Dashboard | None = None,
    about: DetailSource | None = None,
    now: Callable[[Request], Response] | None = None,
) -> Starlette:
    """Return the ASGI application for watched replays, and for the contest `run`, if given.

    `about` has matches' details; the routes `more` have precedence. `now` answers pages that poll a workbench.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route

    def file_or_404(file: Path | None) -> Response:
        if file is None or not file.is_file():
            return PlainTextResponse("not found\n", 404)
        return FileResponse(file, media_type=MEDIA.get(file.suffix, "application/octet-stream"))

    def page(request: Request) -> Response:
        return file_or_404(static_files()["index.html"])

    def asset(request: Request) -> Response:
        files, name = static_files(), request.path_params["file"]
        script = read_script(files, name)
        return Response(script, media_type=MEDIA[".js"]) if script is not None else file_or_404(files.get(name))

    def picture(request: Request) -> Response:
        return file_or_404(picture_of(request.path_params["game"]))

    def matches(request: Request) -> Response:
        found = listing(watched.look(), about.names if about else (), has_details, about.title if about else None)
        return Response(
            orjson.dumps({**found, "isRun": run is not None, "isDev": now is not None}), media_type="application/json"
        )

    def has_details(name: str) -> bool:
        return about is not None and match_number(name) is not None

    def json_or_404(found: Any) -> Response:
        return PlainTextResponse("not found\n", 404) if found is None else JSONResponse(found)

    def standing(request: Request) -> Response:
        return json_or_404(run.look() if run else None)

    def versus(request: Request) -> Response:
        return json_or_404(run.versus(request.query_params.get("of")) if run else None)

    def endings(request: Request) -> Response:
        return json_or_404(run.endings(request.query_params.get("of", "")) if run else None)

    def details(request: Request) -> Response:
        return json_or_404(about.details(request.path_params["name"]) if about else None)

    def talk(request: Request) -> Response:
        name, turn = request.path_params["name"], request.path_params["turn"]
        return json_or_404(about.talk(name, request.query_params.get("bot", ""), turn) if about else None)

    def replay(request: Request) -> Response:
        match = watched.match(request.path_params["name"])
        if match is None:
            return file_or_404(None)
        try:
            open_replay(match.file, match.top).close()
        except OSError as error:
            return PlainTextResponse(f"{error.strerror}\n", 404)
        return file_or_404(match.file if match.has_frames else restore_frames(match.file, match.top))

    def unreadable(request: Request, error: Exception) -> Response:
        """Answer that a file is locked or can't be read, so that the page retries."""
        return PlainTextResponse(f"{str(error) or 'there is not enough memory for this'}\n", 503)

    return Starlette(
        routes=[
            *more,
            *([Route("/dev.json", now)] if now else []),
            Route("/", page),
            Route("/static/{file}", asset),
            Route("/games/{game}/draw.js", picture),
            Route("/matches.json", matches),
            Route("/run.json", standing),
            Route("/versus.json", versus),
            Route("/endings.json", endings),
            Route("/details/{name}", details),
            Route("/talk/{name}/{turn:int}", talk),
            Route("/replays/{name:path}", replay),
        ],
        middleware=[Middleware(Guard)],
        exception_handlers={KothError: unreadable, MemoryError: unreadable},
    )


def print_address(address: str) -> None:
    """Print the page's address at once, also to pipes."""
    print(f"{address}  (Ctrl-C ends it)", flush=True)


def serve(
    what: Path | MatchReader,
    port: int = 0,
    on_ready: Callable[[str], None] = print_address,
    turn: int | None = None,
) -> None:
    """Serve a replay, a run's folder or a reader's matches until interrupted; `port` 0: a free port.

    A replay begins at `turn`. `on_ready` is called with the page's address once the server accepts connections.
    Raises ReplayError if there is nothing to watch, ViewerError if the port is in use.
    """
    app = make_app(what) if isinstance(what, Path) else make_contest_app(what)
    serve_app(app, port, on_ready, "" if turn is None else f"#turn={turn}")


def open_in_browser(address: str) -> None:
    """Open an address in the browser, or in the program that BROWSER names; only if people watch koth's terminal."""
    if sys.stderr.isatty():
        webbrowser.open(address)


def serve_app(app: Starlette, port: int, on_ready: Callable[[str], None], fragment: str = "") -> None:
    """Serve an application on this machine until interrupted; append `fragment` to the address.

    Raises ViewerError.
    """
    import uvicorn

    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((VIEWER_HOST, port))
        except OSError as error:
            raise ViewerError(f"port {port} can't be used: {error.strerror}") from None
        door.listen(128)
        address = f"http://{VIEWER_HOST}:{door.getsockname()[1]}/{fragment}"
        on_ready(address)
        open_in_browser(address)
        config = uvicorn.Config(
            app, http="h11", ws="none", log_level="error", lifespan="off", timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )  # fmt: skip
        server = uvicorn.Server(config)
        log, quiet = logging.getLogger("uvicorn.error"), lambda _: not server.should_exit
        log.addFilter(quiet)  # Ctrl-C is the normal end, even with open requests
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[door])
        log.removeFilter(quiet)
