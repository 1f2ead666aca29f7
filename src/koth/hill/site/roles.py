"""Roles that may see a page: everybody, authors, its own author, the host."""

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
    """Let those in who are signed in; others are sent to sign in. Nobody keeps a copy."""
    return never_cache(login_required(view))


def for_host(view: View) -> View:
    """Let the host in only; other authors are refused (403), others sent to sign in. Nobody keeps a copy."""

    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_host:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded
