"""The page on which a visitor begins to play against the leaders."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPMessage
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from koth.games import load
from koth.viewer.play import controls_of
from koth_hill.models import Policy
from koth_hill.site.card import PageMeta
from koth_hill.site.limits import visitor_of
from koth_hill.uploads import read_policy
from koth_hill.visits import HOME, IDLE_SECONDS, KEPT_SECONDS, LONGEST_MATCH, MATCHES_AT_ONCE, socket_of

ANSWER_TIMEOUT = 5.0
"""Seconds within which the process that plays must send something."""
INSIDE = "http://127.0.0.1"
"""The origin in requests to that process, which answers only requests from this machine."""
PASSED_ON = ("Content-Type", "Cache-Control", "Content-Range", "Accept-Ranges", "Location")
"""The headers of its answers that visitors get; others, such as those that protect a page, are the site's."""
NOBODY = "Try again later: the hill's runner is not at work here, so there are no opponents."


def can_be_played(allowed: Policy) -> bool:
    """Return whether people can play the game, and the host lets visitors play."""
    return allowed.visitors_play and controls_of(settings.HILL.game) is not None


@require_http_methods(["GET", "HEAD", "POST"])
def play(request: HttpRequest) -> HttpResponse:
    """Show the leaders against whom a visitor would play, or begin a visit."""
    if not can_be_played(read_policy()):
        raise Http404
    problem = ""
    if request.method == "POST":
        account = [f"author {request.user.pk}"] if request.user.is_authenticated else []
        begun = _ask("POST", "\n".join([visitor_of(request), *account]))
        if begun is not None and "word" in begun:
            return redirect(f"/play/{begun['word']}/play")
        problem = NOBODY if begun is None else begun["problem"]
    state = _ask("GET")
    title = load(settings.HILL.game).title
    context = {
        "problem": problem or (NOBODY if state is None else ""),
        "leaders": [] if state is None else state["leaders"],
        "free": 0 if state is None else state["free"],
        "at_once": MATCHES_AT_ONCE,
        "longest": LONGEST_MATCH / 60,
        "idle": IDLE_SECONDS / 60,
        "kept": KEPT_SECONDS / 60,
        "game_title": title,
        "about": PageMeta("Play the leaders", f"Play {title} in the browser against the best bots of this hill."),
    }
    return render(request, "play-leaders.html", context, status=503 if problem else 200)


@csrf_exempt  # the process checks the origin of a post
@require_http_methods(["GET", "HEAD", "POST"])
def visit(request: HttpRequest, path: str) -> HttpResponse:
    """Pass a request of a visit's page on to the process that plays, without cookies and tokens."""
    headers = {name: request.headers[name] for name in ("Content-Type", "Range") if name in request.headers}
    if request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}":
        headers["Origin"] = INSIDE
    query = f"?{urlencode(request.GET)}" * bool(request.GET)
    found = _request(str(request.method), f"/{path}{query}", request.body, headers)
    if found is None:
        text = "the matches of visitors are interrupted; begin again on the page of the hill\n"
        return HttpResponse(text, "text/plain", 503, headers={"Link": f'<{HOME}>; rel="up"'})
    status, had, body = found
    return HttpResponse(body, status=status, headers={name: had[name] for name in PASSED_ON if name in had})


class _Connection(HTTPConnection):
    """A connection to the process that plays visitors' matches, by its socket in the hill's folder."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(ANSWER_TIMEOUT)
        self.sock.connect(socket_of(settings.HILL.folder))


def _request(
    method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> tuple[int, HTTPMessage, bytes] | None:
    """Return status, headers and body of that process's answer; None if no such process answers."""
    with closing(_Connection("127.0.0.1")) as connection:
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, HTTPException):
            return None


def _ask(method: str, body: str = "") -> dict[str, Any] | None:
    """Return what the process that plays visitors' matches says of them; None if no such process answers."""
    found = _request(method, "/", body.encode())
    answer: dict[str, Any] | None = None if found is None else json.loads(found[2])
    return answer
