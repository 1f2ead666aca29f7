"""Visits: people without an account play against a hill's leaders, few at a time; no result is kept.

A side process of the runner plays the matches (`koth_hill.visit_process`); the site sends requests to its socket.
"""

from __future__ import annotations

import functools
import os
import secrets
import threading
import time
from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from koth.engine.secret import key_of
from koth.errors import KothError
from koth.files.beneath import remove_beneath
from koth.game import Game
from koth.replay.names import SUFFIX
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot
from koth.viewer.play import PersonMatch, PersonSession, make_play_app, open_person

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Receive, Scope, Send

VISITS = "visits"
"""The folder of visits in a hill's folder: the socket, the leaders' copies, and replays of the last hour."""
SOCKET = "socket"
WORD_BYTES = 16
"""The number of random bytes in the secret word of a visit's address."""
MATCHES_AT_ONCE = 3
"""The number of visitors' matches that are played at the same time."""
LONGEST_MATCH = 1200.0
"""The longest time of a visitor's match in seconds."""
IDLE_SECONDS = 180.0
"""Seconds without an accepted answer of the visitor after which the match ends."""
STUCK_SECONDS = 300.0
"""Seconds within which an ended match must stop: bots may still be starting."""
MATCHES_OF_VISIT = 10
"""The largest number of matches in one visit."""
KEPT_SECONDS = 600.0
"""Seconds for which a visit is kept after its match, with the replay."""
MOST_VISITS = 50
"""The number of visits that are kept; the oldest are removed first."""
HOME = "/"
"""The site's home page, to which the page of a match links."""


@functools.cache
def socket_of(folder: Path) -> str:
    """Return a path to the socket of the hill in `folder`, shortened through /proc if the system has it."""
    if not os.path.isdir("/proc/self/fd"):
        return str(folder / VISITS / SOCKET)
    return f"/proc/self/fd/{os.open(folder, os.O_RDONLY | os.O_DIRECTORY)}/{VISITS}/{SOCKET}"


@dataclass(frozen=True)
class Leaders:
    """The opponents of visitors, built, and the season's rules."""

    game: Game
    ruleset: str
    settings: Any
    bots: Sequence[Bot]


@dataclass
class Visit:
    """One visitor's matches against the same leaders, one after the other; times use the clock of `Visits`."""

    who: Set[str]
    """The address of the visitor and, if signed in, the account."""
    number: int
    leaders: Leaders
    heard: float
    """The last time at which the match went on with an answer of the visitor."""
    accepted: int = 0
    """The number of the visitor's answers with which the match went on until then."""
    app: Any = None
    """The ASGI application of the visit's page."""
    began: float = 0.0
    ended: float | None = None
    """The time when the match was asked to end; None before."""
    matches: list[PersonMatch] = field(default_factory=list)

    @property
    def is_playing(self) -> bool:
        """Return whether the match is not over."""
        return not self.matches[-1].is_over


class Visits:
    """The visits of a hill, by the secret word in their addresses."""

    def __init__(self, folder: Path, isolation: Isolation, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder, self.isolation, self.clock = folder, isolation, clock
        self.leaders: Leaders | None = None
        """The leaders of the next visits; None while there are none."""
        self._visits: dict[str, Visit] = {}
        self._numbers = count(1)
        self._lock = threading.RLock()

    @property
    def playing(self) -> list[Visit]:
        """Return the visits with a match in play."""
        return [visit for visit in list(self._visits.values()) if visit.is_playing]

    def bots(self) -> list[Bot]:
        """Return the bots in use: of the next visits, and of all visits that are kept."""
        kept = [visit.leaders for visit in list(self._visits.values())]
        return [bot for leaders in (self.leaders, *kept) if leaders for bot in leaders.bots]

    def begin(self, who: Collection[str]) -> str:
        """Begin a visit of somebody with these names, an address and perhaps an account, and return its word.

        Raises KothError if too many play.
        """
        with self._lock:
            leaders = self._require_leaders()
            visit = Visit(frozenset(who), next(self._numbers), leaders, self.clock())
            session = PersonSession(functools.partial(self._make_match, visit))
            visit.app = make_play_app(session)
            session.match.start()
            word = secrets.token_urlsafe(WORD_BYTES)
            self._visits[word] = visit
            return word

    def sweep(self) -> None:
        """End matches that last too long or whose visitors are idle, and remove visits that are over.

        Raises RuntimeError if an ended match continues; then the runner must replace this process.
        """
        now = self.clock()
        with self._lock:
            for visit in self.playing:
                if (accepted := visit.matches[-1].person.accepted) > visit.accepted:
                    visit.accepted, visit.heard = accepted, now
                self._end_late(visit, now)
            over = [word for word, visit in self._visits.items() if not visit.is_playing]
            for word in over:
                if now - self._visits[word].heard > KEPT_SECONDS or len(self._visits) > MOST_VISITS:
                    for match in self._visits.pop(word).matches:
                        remove_beneath(self.folder, match.replay.name)

    def make_app(self) -> Starlette:
        """Make the ASGI application: `/` describes and begins visits, `/WORD/...` is the page of a visit."""
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse, PlainTextResponse
        from starlette.routing import Mount, Route

        def state(request: Request) -> Response:
            names = [bot.name for bot in self.leaders.bots] if self.leaders else []
            return JSONResponse({"leaders": names, "free": max(0, MATCHES_AT_ONCE - len(self.playing))})

        async def begin(request: Request) -> Response:
            try:
                return JSONResponse({"word": self.begin((await request.body()).decode().split("\n"))})
            except KothError as error:
                return JSONResponse({"problem": str(error)})

        async def page(scope: Scope, receive: Receive, send: Send) -> None:
            visit = self._visits.get(scope["path_params"]["word"])
            if visit is None:
                gone = PlainTextResponse("begin another visit on the page of the hill: this one is over\n", 404)
                await gone(scope, receive, send)
                return
            await visit.app(scope, receive, send)

        routes = [Route("/", state), Route("/", begin, methods=["POST"]), Mount("/{word}", page)]
        return Starlette(routes=routes)

    # --- inside

    def _require_leaders(self) -> Leaders:
        """Return the leaders of the next visits. Raises KothError if there are no leaders yet."""
        if self.leaders is None:
            raise KothError("try again in a minute: the leaders can't be played now")
        return self.leaders

    def _check_room(self, who: Set[str]) -> None:
        self._require_leaders()
        playing = self.playing
        if any(visit.who & who for visit in playing):
            raise KothError(
                f"a match of yours, or of somebody at your address, is being played; it ends at the latest "
                f"{IDLE_SECONDS / 60:g} minutes after its page was closed"
            )
        if len(playing) >= MATCHES_AT_ONCE:
            raise KothError(f"{MATCHES_AT_ONCE} visitors are playing, which is the limit; try again in some minutes")

    def _make_match(self, visit: Visit, number: int) -> PersonMatch:
        """Return a visit's match `number`, from 1. Raises KothError if too many are in play."""
        if number > MATCHES_OF_VISIT:
            raise KothError(f"begin again on the page of the hill: you have played {MATCHES_OF_VISIT} matches")
        leaders, game = visit.leaders, visit.leaders.game
        taken = {*game.reserved_names, *(bot.name for bot in leaders.bots)}
        name = next(name for name in chain(["you"], map("you {}".format, count(2))) if name not in taken)
        person = open_person(game, leaders.settings, 1 + len(leaders.bots), name)
        key, replay = key_of(None), self.folder / f"visit-{visit.number}-{number}{SUFFIX}"
        match = PersonMatch(
            game, leaders.settings, leaders.ruleset, [person, *leaders.bots], person, key, replay,
            self.isolation, game.time_control, home=HOME,
        )  # fmt: skip
        with self._lock:
            self._check_room(visit.who)
            visit.matches.append(match)
            visit.began = visit.heard = self.clock()
            visit.accepted, visit.ended = 0, None
        return match

    def _end_late(self, visit: Visit, now: float) -> None:
        if visit.ended is not None:
            if now - visit.ended > STUCK_SECONDS:
                raise RuntimeError(f"the match of visit {visit.number} does not end")
            return
        why = ""
        if now - visit.began > LONGEST_MATCH:
            why = f"the match was ended: it took {LONGEST_MATCH / 60:g} minutes, which is the limit"
        elif now - visit.heard > IDLE_SECONDS:
            why = f"the match was ended: you did nothing for {IDLE_SECONDS / 60:g} minutes"
        if why:
            visit.ended = now
            visit.matches[-1].end(why)
