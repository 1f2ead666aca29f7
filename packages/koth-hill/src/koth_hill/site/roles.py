"""Roles that may see a page: everybody, authors, a bot's own author, the host."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

View = Callable[..., HttpResponse]


def for_authors(view: View) -> View:
    """Admit signed-in authors, and redirect others to sign in; forbid caches."""
    return never_cache(login_required(view))


def for_host(view: View) -> View:
    """Admit hosts; refuse other authors (403), and redirect others to sign in; forbid caches."""

    @never_cache
    @login_required
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_host:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return answer
