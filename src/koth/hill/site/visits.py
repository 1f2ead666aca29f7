"""The page on which a visitor begins to play against the leaders."""

from __future__ import annotations

import os
from typing import Any

import httpx
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from koth.games import load
from koth.hill.models import Policy
from koth.hill.site.card import Card
from koth.hill.site.throttle import limit_posts, visitor_of
from koth.hill.site.visit_proxy import INSIDE
from koth.hill.uploads import read_policy
from koth.hill.visits import IDLE_SECONDS, KEPT_SECONDS, LONGEST_MATCH, MATCHES_AT_ONCE, socket_of
from koth.viewer.play import controls_of

ANSWER_TIMEOUT = 2.0
"""Seconds within which the process that plays must answer."""
NOBODY = "Try again later: the hill's runner is not at work here, so there are no opponents."


def can_be_played(allowed: Policy) -> bool:
    """Return whether people can play the game, and the host lets visitors play."""
    return allowed.visitors_play and controls_of(settings.HILL.game) is not None


@limit_posts(6, 10)
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
        "about": Card("Play the leaders", f"Play {title} in the browser against the best bots of this hill."),
    }
    return render(request, "play-leaders.html", context, status=503 if problem else 200)


def _ask(method: str, body: str = "") -> dict[str, Any] | None:
    """Return the answer of the process that plays visitors' matches; None if no such process answers."""
    address = socket_of(settings.HILL.folder)
    if not os.path.exists(address):
        return None
    try:
        with httpx.Client(transport=httpx.HTTPTransport(uds=address)) as client:
            answer = client.request(method, f"{INSIDE}/", content=body.encode(), timeout=ANSWER_TIMEOUT)
            found: dict[str, Any] = answer.json()
            return found
    except (httpx.HTTPError, ValueError):
        return None
