"""The hill as an app of Django."""

from __future__ import annotations

from django.apps import AppConfig


class HillConfig(AppConfig):
    """The app `hill`: its tables are called `hill_...`."""

    name = "koth_hill"
    label = "hill"
