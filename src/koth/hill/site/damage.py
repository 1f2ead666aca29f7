"""Errors of a hill's own records, such as a damaged row, shown as one line on the page and on stderr."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from koth.errors import KothError
from koth.hill.host_paths import remove_host_paths


class DamageMiddleware(MiddlewareMixin):
    """Middleware that shows the message of an error which no page handles."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the page of an error with a message; None for a bug in koth, which Django reports."""
        if not isinstance(error, KothError):
            return None
        sys.stderr.write(f"koth hill serve: {request.path}: {error}\n")
        return HttpResponse(render_to_string("500.html", {"reason": remove_host_paths(str(error))}), status=500)
