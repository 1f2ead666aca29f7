"""Errors of a hill's own records, such as a row that koth has not written: one line, on the page and on stderr."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from koth.errors import KothError
from koth.hill.host_paths import remove_host_paths


class DamageMiddleware(MiddlewareMixin):
    """Middleware that answers an error which no page expects with its words."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the page of an error in words; None for a mistake of koth's, which Django reports."""
        if not isinstance(error, KothError):
            return None
        sys.stderr.write(f"koth serve: {request.path}: {error}\n")
        return HttpResponse(render_to_string("500.html", {"reason": remove_host_paths(str(error))}), status=500)
