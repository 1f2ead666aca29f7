"""Passwords by Argon2, few at a time: to hash one takes 100 MB, and everybody may ask for it."""

from __future__ import annotations

import threading

from django.contrib.auth.hashers import Argon2PasswordHasher

_two_at_a_time = threading.BoundedSemaphore(2)


class Argon2(Argon2PasswordHasher):
    """Django's hasher by Argon2, which waits for its turn."""

    def encode(self, password: str, salt: str) -> str:
        """Return the hash of a password."""
        with _two_at_a_time:
            return str(super().encode(password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        """Return whether a hash is that of a password."""
        with _two_at_a_time:
            return bool(super().verify(password, encoded))
