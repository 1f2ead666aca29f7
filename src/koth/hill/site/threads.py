"""The thread of a request: middleware and view run in one, so that a busy machine wakes few threads for it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_only_middleware

from koth.hill.site.roles import View


@sync_only_middleware
def in_one_thread(get_response: View) -> View:
    """Return middleware that does nothing: Django runs all that stands before a synchronous one in its thread, too.

    Without it each of the others passes a request to a thread and back by itself, which takes twice the time.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        return get_response(request)

    return respond
