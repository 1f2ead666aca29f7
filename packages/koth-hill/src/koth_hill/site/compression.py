"""Compression of answers that are texts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware

TEXTS = ("text/", "application/json", "application/atom+xml")


class TextCompression(GZipMiddleware):
    """Middleware that compresses whole texts; replays and downloads are compressed already.

    The length of a compressed page could betray its secrets to another site that has a visitor's browser open the
    page often (BREACH). Here it learns little: session cookies do not go to frames, images and scripts of other
    sites, forms' tokens differ in every answer, and Django adds a file name of random length.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Return an answer, compressed if it is a text."""
        is_text = response.headers.get("Content-Type", "").startswith(TEXTS)
        return super().process_response(request, response) if is_text else response
