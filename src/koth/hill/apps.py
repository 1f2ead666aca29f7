"""The hill as a Django application."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from koth.hill.databases import limit_connection


class HillConfig(AppConfig):
    """The name of the application, and the limits of its connections."""

    name = "koth.hill"
    label = "hill"

    def ready(self) -> None:
        connection_created.connect(limit_connection)
