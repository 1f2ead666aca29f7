"""Filters of all templates."""

from __future__ import annotations

from django import template

from koth.standings.text import number

register = template.Library()


@register.filter
def score(value: float | None) -> str:
    """Return a score as the standings write it; nothing where there is none yet."""
    return "" if value is None else number(value)
