"""The hill as a Django application."""

from django.apps import AppConfig


class HillConfig(AppConfig):
    """Name and label of the application."""

    name = "koth.hill"
    label = "hill"
    default_auto_field = "django.db.models.BigAutoField"
