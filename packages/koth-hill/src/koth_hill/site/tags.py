"""Filters and tags for all of the site's Django templates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template.defaultfilters import timeuntil_filter as timeuntil
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from koth.standings.text import number

register = template.Library()


@register.filter
def left(until: datetime | None) -> str:
    """Return the time left until `until`, in words."""
    words = timeuntil(until)
    return "less than a minute" if words.startswith("0") else words


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """Return a time in UTC, which `times.js` shows in the reader's time zone."""
    if at is None:
        return ""
    text = f"{at:%Y-%m-%d %H:%M} UTC"
    return format_html('<time datetime="{}" data-local>{}</time>', at.isoformat(), text)


@register.filter
def score(value: float | None) -> str:
    """Return a score as the standings write it; an empty text for None."""
    return "" if value is None else number(value)


@register.simple_block_tag
def table(content: SafeString, label: str, columns: str, kind: str = "") -> SafeString:
    """Return an HTML table with the rows `content`, which scrolls if it is too wide.

    `label` is the table's name for screen readers, or `#ID` of an element with the name. `columns` are the headings,
    separated by `|`; a heading's explanation follows `=`, its CSS classes follow a colon.
    """
    heads = format_html_join("", "{}", ((_head(*column.partition(":")[::2]),) for column in columns.split("|")))
    return format_html(
        '<div class="scroll" tabindex="0" role="region" aria-{}="{}"><table{}><thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>",
        "labelledby" if label.startswith("#") else "label",
        label.removeprefix("#"),
        _classes(kind),
        heads,
        content,
    )


def _head(name: str, kind: str) -> SafeString:
    name, _, title = name.partition("=")
    shown = format_html('<abbr title="{}">{}</abbr>', title, name) if title else name
    return format_html('<th scope="col"{}>{}</th>', _classes(kind), shown) if name else SafeString("<td></td>")


def _classes(kind: str) -> SafeString | str:
    return format_html(' class="{}"', kind) if kind else ""


@register.simple_tag(takes_context=True)
def to(context: Mapping[str, Any], name: str, *args: Any, pages_below: bool = False) -> SafeString:
    """Return a link's attributes: the address, and `aria-current` if the address is the current page's.

    With `pages_below` the link is marked on the pages below that address, too.
    """
    url, path = reverse(name, args=args), context["request"].path
    if path == url:
        return format_html('href="{}" aria-current="page"', url)
    if pages_below and path.startswith(f"{url.rstrip('/')}/"):
        return format_html('href="{}" aria-current="true"', url)
    return format_html('href="{}"', url)
