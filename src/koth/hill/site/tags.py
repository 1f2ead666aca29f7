"""Filters and tags of all templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from koth.standings.text import number

register = template.Library()


@register.filter
def score(value: float | None) -> str:
    """Return a score as the standings write it; nothing where there is none yet."""
    return "" if value is None else number(value)


@register.simple_tag(takes_context=True)
def to(context: Mapping[str, Any], name: str, *args: Any, pages_below: bool = False) -> SafeString:
    """Return a link's attributes: the address, and `aria-current` where it leads to the page that is shown.

    With `pages_below` the link is marked on the pages below that address, too.
    """
    url, path = reverse(name, args=args), context["request"].path
    if path == url:
        return format_html('href="{}" aria-current="page"', url)
    if pages_below and path.startswith(f"{url.rstrip('/')}/"):
        return format_html('href="{}" aria-current="true"', url)
    return format_html('href="{}"', url)
