"""Invitations from the terminal."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from koth_hill.models import Author
from tests.hill.conftest import Place
from tests.hill.site.conftest import PASSWORD, visitor
from tests.hill.site.conftest import site as site


@pytest.mark.slow
def test_a_class_is_invited_and_sets_passwords(site: Place) -> None:
    names = site.folder.parent / "names.txt"
    names.write_text("Ben B\n\nCarl\n", encoding="utf-8")
    told = site("invite", "anna", "--file", names, "--url", "http://127.0.0.1")
    links = dict(line.split(": ") for line in told.splitlines())
    assert [*links] == ["anna", "Ben B", "Carl"]
    client = visitor()
    path = client.get(urlsplit(links["Ben B"]).path)["Location"]
    assert client.post(path, {"new_password1": PASSWORD, "new_password2": PASSWORD}).status_code == 302
    assert Author.objects.get(name="Ben B").check_password(PASSWORD)
    site("invite", "anna", "--host", "--url", "http://127.0.0.1")
    told = site("invite", "Dora", "--codes", "--url", "http://127.0.0.1")
    assert visitor().post("/code", {"code": told.split("Dora: ")[1].strip()}).status_code == 302
    assert list(Author.objects.filter(is_host=True).values_list("name", flat=True)) == ["anna"]


def test_what_invites_nobody(hill: Place) -> None:
    assert hill.refused("invite", "--url", "http://127.0.0.1") == "write a name on each line: there are none"
    assert "give https://NAME" in hill.refused("invite", "anna", "--url", "ftp://x")
    assert "No such file" in hill.refused("invite", "--file", "nowhere.txt", "--url", "http://127.0.0.1")
