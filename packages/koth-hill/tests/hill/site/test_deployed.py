"""The settings of a site in the open, as Django's own check for deployment sees them."""

from __future__ import annotations

from django.core.management import call_command
from django.test import override_settings

from koth_hill.connection import open_hill
from koth_hill.site_settings import site_settings
from tests.hill.conftest import Place
from tests.hill.conftest import hill as hill
from tests.hill.conftest import koth as koth


def test_django_finds_nothing_to_say_against_an_open_site(hill: Place) -> None:
    with open_hill(hill.folder), override_settings(**site_settings(hill.folder, "https://hill.example")):
        call_command("check", deploy=True, fail_level="WARNING")
