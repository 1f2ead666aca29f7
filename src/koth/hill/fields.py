"""Fields of text that every database takes: PostgreSQL stores no NUL, and no database half a surrogate pair.

Bots can write both to stderr, and visitors can ask for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

from koth.hill.host_paths import without_host_paths


class _Storable(models.Field):
    """A field whose texts are stored, and looked for, with escapes for what no database takes."""

    if TYPE_CHECKING:  # Django makes attributes of fields

        def __get__(self, instance: Any, owner: Any = None) -> Any: ...
        def __set__(self, instance: Any, value: Any) -> None: ...

    def get_prep_value(self, value: Any) -> Any:
        """Return the value as it is stored and looked for."""
        text = super().get_prep_value(value)
        if not isinstance(text, str):
            return text
        return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


class CharField(_Storable, models.CharField):
    """A short text."""


class TextField(_Storable, models.TextField):
    """A text, such as a reason that strangers read: no path of the host is stored in it."""

    def get_prep_value(self, value: Any) -> Any:
        """Return the value as it is stored and looked for."""
        text = super().get_prep_value(value)
        return without_host_paths(text) if isinstance(text, str) else text
