"""A person's matches in the browser: a thread for each match, and the page's routes.

The page asks again and again for a match's new lines, and posts answers. The lines are the protocol's messages to
the person's seat, the frames as seen from this seat, all scores, and the events of the person's units. Replays can be
watched only after the match.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import orjson

from koth.engine.secret import Key
from koth.errors import KothError
from koth.events import Event
from koth.game import Game, TimeControl
from koth.match import Entrant, Hosting, Result, Watching, play
from koth.replay.names import SUFFIX
from koth.sandbox.failures import ArenaError
from koth.sandbox.isolation import Isolation
from koth.viewer.person import NotLegal, Person, Refused
from koth.viewer.server import WatchedReplays, app_of, file_of_game, static_files
from koth.viewer.summary import MatchSummary, read_match

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

LARGEST_MESSAGE = 1 << 18
"""The largest size of the page's messages in bytes."""
END_SECONDS = 5.0
"""Seconds for an interrupted match to end."""


class _Interrupted(KothError):
    """Raised when a match is interrupted."""


def controls_of(game: str) -> Path | None:
    """Return a game's `play.js`, which defines a person's view and controls, or None."""
    return file_of_game(game, "play.js")


def open_person(game: Game, settings: Any, seats: int, name: str) -> Person:
    """Make a person for one match of `seats` seats. Raises KothError if people can't play the game."""
    if controls_of(game.name) is None:
        raise KothError(f"{game.name} can't be played by a person: its folder has no play.js")
    return Person(name, game.protocols["json"](settings, seats), game.frame_spec)


class _ObservedGame:
    """A game that passes recorded frames and events to callbacks."""

    def __init__(
        self, game: Game, look: Callable[[Mapping[str, Any]], None], hear: Callable[[Sequence[Event]], None]
    ) -> None:
        self._game = game
        self._look = look
        self._hear = hear

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def frame(self, settings: Any, state: Any, match: int) -> dict[str, Any]:
        frame = self._game.frame(settings, state, match)
        self._look(frame)
        return frame

    def events(self, *words: Any) -> Sequence[Event]:
        found = self._game.events(*words)
        self._hear(found)
        return found


@dataclass
class PersonMatch:
    """One match with a person, and everything needed for playing."""

    game: Game
    settings: Any
    ruleset: str
    entrants: Sequence[Entrant]
    person: Person
    key: Key
    replay: Path
    isolation: Isolation
    time_control: TimeControl | None = None
    command: str = ""
    """The command that plays against the same bots again, or ""."""
    home: str = ""
    """The address of the page that led to the match, or ""."""
    result: Result | None = None
    failure: str = ""
    _interrupted: str = ""
    """The reason why the match must end, or ""."""

    @property
    def name(self) -> str:
        """The match's name on the page."""
        return self.replay.name.removesuffix(SUFFIX)

    @property
    def is_over(self) -> bool:
        """Return whether the match has ended or failed."""
        return self.result is not None or self.failure != ""

    def start(self) -> None:
        """Play the match in a thread; the match begins when the person is ready."""
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until the match is over or has failed."""
        self._thread.join()

    def interrupt(self) -> None:
        """End a running match, without a replay, and wait for the end."""
        self.end("the match was interrupted")
        self._thread.join(END_SECONDS)

    def end(self, why: str) -> None:
        """End a running match soon, without a replay; the page shows the reason."""
        self._interrupted = why
        self.person.leave(why)

    def _send_scores(self, frame: Mapping[str, Any]) -> None:
        """Send the public part of a frame: scores, and numbers of living units."""
        names = [entrant.name for entrant in self.entrants]
        table = {"scores": dict(zip(names, frame["score"], strict=False))}
        alive = frame.get("alive")
        if isinstance(alive, list) and len(alive) == len(names):  # a game may use the name for another list
            table["alive"] = dict(zip(names, alive, strict=True))
        self.person.send(orjson.dumps({"table": table}))

    def _send_events(self, events: Sequence[Event]) -> None:
        """Send the events of the person's units; a bot would not know other events."""
        seat = next(seat for seat, entrant in enumerate(self.entrants) if entrant is self.person)
        own = [event.as_json() for event in events if seat in (event.of.team, event.by.team if event.by else None)]
        if own:
            self.person.send(orjson.dumps({"happened": own}))

    def _play(self) -> None:
        def check_interrupt(turn: int) -> None:
            if self._interrupted:
                raise _Interrupted(self._interrupted)

        hosting = Hosting(
            ruleset=self.ruleset, replay=self.replay, time_control=self.time_control, isolation=self.isolation
        )
        game = cast("Game", _ObservedGame(self.game, self._send_scores, self._send_events))
        try:
            self.result = play(
                game, self.settings, self.entrants, self.key, hosting, Watching(on_turn=check_interrupt)
            )
        except (ArenaError, _Interrupted) as error:
            self._fail(str(error))
            return
        except BaseException as error:
            self._fail(f"{type(error).__name__}: {error}")
            raise
        end = {
            "turns": self.result.turns, "scores": self.result.scores, "you": self.person.name,
            "command": self.command, "replay": self.name, "home": self.home,
        }  # fmt: skip
        self.person.send(orjson.dumps({"end": end}), is_last=True)

    def _fail(self, why: str) -> None:
        self.failure = why
        self.person.send(orjson.dumps({"failed": why, "home": self.home}), is_last=True)


class PersonSession:
    """A person's matches against the same bots, one after the other; `make` makes match 1, 2, ..."""

    def __init__(self, make: Callable[[int], PersonMatch]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self.matches = [make(1)]

    @property
    def match(self) -> PersonMatch:
        """Return the current or last match."""
        return self.matches[-1]

    def start_next(self) -> None:
        """Start another match if the last match is over. Raises KothError."""
        with self._lock:
            if self.match.result is not None:
                self.matches.append(self._make(len(self.matches) + 1))
                self.match.start()


def is_ours(request: Request) -> bool:
    """Return whether a POST comes from koth's own page: the origin is this server, and the content JSON."""
    origin = request.headers.get("origin", "")
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    return origin == f"http://{request.headers.get('host', '')}" and kind == "application/json"


def make_play_app(session: PersonSession) -> Starlette:
    """Make the ASGI application for a person's matches."""
    from starlette.responses import (
        FileResponse,
        JSONResponse,
        PlainTextResponse,
        RedirectResponse,
        Response,
    )
    from starlette.routing import Route

    def finished(_: Mapping[str, MatchSummary]) -> list[MatchSummary]:
        return [read_match(match.name, match.replay) for match in session.matches if match.result is not None]

    def front(request: Request) -> Response:
        over = session.match.result is not None
        return FileResponse(static_files()["index.html"]) if over else RedirectResponse("play", 303)

    def page(request: Request) -> Response:
        return FileResponse(static_files()["play.html"])

    def controls(request: Request) -> Response:
        file = controls_of(request.path_params["game"])
        return FileResponse(file, media_type="text/javascript") if file else PlainTextResponse("not found\n", 404)

    def details(request: Request) -> Response:
        return JSONResponse(None)  # these matches have nothing beside their replays

    def messages(request: Request) -> Response:
        after, person = request.query_params.get("after", ""), session.match.person
        person.page_seen()
        known = int(after) if re.fullmatch("[0-9]{1,9}", after) else 0
        return Response(b"[" + b",".join(person.messages[known:]) + b"]", media_type="application/json")

    async def say(request: Request) -> Response:
        if not is_ours(request):
            return PlainTextResponse("only the page itself may answer\n", 403)
        size = request.headers.get("content-length", "")
        if not (size.isascii() and size.isdigit() and len(size) < 10) or int(size) > LARGEST_MESSAGE:
            return PlainTextResponse(f"a message has at most {LARGEST_MESSAGE} bytes\n", 413)
        message, person = await request.body(), session.match.person
        try:
            if request.url.path.endswith("/again"):
                await asyncio.to_thread(session.start_next)
            elif request.url.path.endswith("/leave"):
                person.leave()
            else:
                person.receive(message)
        except Refused as refusal:
            # no failure: another page may have been faster
            return JSONResponse({"refused": str(refusal), "again": isinstance(refusal, NotLegal)})
        return JSONResponse({"refused": None, "again": False})

    routes = [
        Route("/", front),
        Route("/play", page),
        Route("/play/messages", messages),
        Route("/play/say", say, methods=["POST"]),
        Route("/play/leave", say, methods=["POST"]),
        Route("/play/again", say, methods=["POST"]),
        Route("/games/{game}/play.js", controls),
        Route("/details/{name}", details),
    ]
    return app_of(WatchedReplays(finished), routes)
