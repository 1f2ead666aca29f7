"""Conditions that must hold after each build of a hostile bot."""

from tests.sandbox.conftest import nothing_is_left as nothing_is_left
