"""The site of a small hill, and visitors of every role."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.test import Client
from django.test.utils import override_settings, setup_test_environment, teardown_test_environment

from koth_hill.connection import open_hill
from koth_hill.models import Author
from koth_hill.site_settings import LOCAL, site_settings
from tests.hill.conftest import Place
from tests.hill.conftest import hill as hill
from tests.hill.conftest import koth as koth

PASSWORD = "a long enough password"


@pytest.fixture
def site(hill: Place) -> Iterator[Place]:
    """A hill with a site, served in this process."""
    setup_test_environment()
    cache.clear()  # what visitors of the tests before have asked for
    settings = site_settings(hill.folder, f"http://{LOCAL[0]}")
    with open_hill(hill.folder) as found, override_settings(HILL=found, **settings):
        yield hill
    teardown_test_environment()


class Browser(Client):
    """A browser without pictures, which reads no file to its end."""

    def request(self, **request: Any) -> Any:
        """Return the answer to a request."""
        answer: Any = super().request(**request)
        if answer.streaming:
            answer.close()
        return answer


@functools.cache
def _hashed_password() -> str:
    """Hash the password of all visitors, which takes long, once."""
    return make_password(PASSWORD)


def visitor(name: str | None = None, is_host: bool = False) -> Client:
    """Return a browser; signed in as an author of this name, who is made, if one is given."""
    client: Any = Browser(headers={"host": LOCAL[0]}, enforce_csrf_checks=False)
    if name is not None:
        author, is_new = Author.objects.get_or_create(name=name, defaults={"is_host": is_host})
        if is_new:
            author.password = _hashed_password()
            author.save()
        client.force_login(author, backend="django.contrib.auth.backends.ModelBackend")
    return client
