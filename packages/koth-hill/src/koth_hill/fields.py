"""Text fields that every database accepts: PostgreSQL stores no NUL, and no database stores half a surrogate pair.

Bots can write both kinds to stderr, and visitors can search for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

from koth_hill.host_paths import remove_host_paths


def escape_unstorable(text: str) -> str:
    """Return a text with escapes for characters that a database does not accept."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


class _Untyped(models.Field):
    """A field whose values type checkers do not check: Django turns fields into attributes."""

    if TYPE_CHECKING:

        def __get__(self, instance: Any, owner: Any = None) -> Any: ...
        def __set__(self, instance: Any, value: Any) -> None: ...


class _Storable(_Untyped):
    """A field whose texts are stored, and searched, with escapes for characters that a database does not accept."""

    def get_prep_value(self, value: Any) -> Any:
        text = super().get_prep_value(value)
        return escape_unstorable(text) if isinstance(text, str) else text


class CharField(_Storable, models.CharField):
    """A short text."""


class TextField(_Storable, models.TextField):
    """A text, such as a reason that strangers read; paths of the host are removed before storage."""

    def get_prep_value(self, value: Any) -> Any:
        text = super().get_prep_value(value)
        return remove_host_paths(text) if isinstance(text, str) else text


class FloatField(_Untyped, models.FloatField):
    """A number."""


class JSONField(_Untyped, models.JSONField):
    """A JSON value."""
