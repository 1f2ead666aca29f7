"""Text fields that every database accepts: PostgreSQL stores no NUL, and no database stores half a surrogate pair.

Bots can write both kinds to stderr, and visitors can search for both.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from django.db import models

from koth.errors import KothError
from koth.files.shape import find_mismatch
from koth.hill.host_paths import remove_host_paths


def escape_unstorable(text: str) -> str:
    """Return a text with escapes for characters that a database does not accept."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


class DamagedRowError(KothError):
    """Raised when koth reads a row of the database that koth can't have written."""


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
    """A finite number."""

    def get_prep_value(self, value: Any) -> Any:
        """Return the value in its stored form. Raises ValueError for NaN and infinities."""
        number = super().get_prep_value(value)
        if number is not None and not math.isfinite(number):
            raise ValueError(f"{self.name} is {number}, not a finite number")
        return number


class JSONField(_Untyped, models.JSONField):
    """A JSON value of a given shape, checked by `koth.files.shape.find_mismatch`.

    `keys` are the only keys that an object may have.
    """

    def __init__(self, *args: Any, shape: Any = None, keys: Collection[str] | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.shape, self.keys = shape, keys

    def from_db_value(self, value: Any, *context: Any) -> Any:
        """Return the stored value. Raises DamagedRowError if koth does not write such a value."""
        if value is None:  # perhaps of a row that a join did not find
            return None
        try:
            found = super().from_db_value(value, *context)
            self._check(found)
        except (ValueError, TypeError, RecursionError) as error:
            where = f"{self.model._meta.db_table}.{self.name}"
            raise DamagedRowError(f"{where}: koth has not written this value: {error}") from None
        return found

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        """Return the value in stored form. Raises ValueError for another shape, as from a wrong backup."""
        if not hasattr(value, "as_sql"):
            self._check(value)
        return super().get_db_prep_save(value, connection)

    def _check(self, value: Any) -> None:
        if self.shape is None or (value is None and self.null):  # migrations know no shapes
            return
        if wrong := find_mismatch(value, self.shape, self.name):
            raise ValueError(wrong)
        if self.keys is not None and (others := sorted(value.keys() - self.keys)):
            raise ValueError(f"`{self.name}` has {others[0][:80]!r}, which is not one of {', '.join(self.keys)}")
