"""The hill as a Django application."""

from django.apps import AppConfig


class HillConfig(AppConfig):
    """The name of the application."""

    name = "koth.hill"
    label = "hill"
