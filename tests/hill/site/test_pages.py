"""Pages for everybody."""

from __future__ import annotations

from tests.hill.conftest import Place
from tests.hill.site.conftest import PASSWORD, visitor


def test_everybody_sees_the_standings(site: Place) -> None:
    answer = visitor().get("/")
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert visitor().get("/static/site.css").status_code == 200
    assert visitor().get("/static/../models.py").status_code == 404


def test_an_author_signs_in_and_out(site: Place) -> None:
    visitor("anna")
    client = visitor()
    wrong = client.post("/sign-in", {"username": "anna", "password": "no"})
    assert wrong.status_code == 200
    right = client.post("/sign-in", {"username": "anna", "password": PASSWORD})
    assert right.status_code == 302
    assert "Sign out" in client.get("/").content.decode()
    assert client.post("/sign-out").status_code == 302
    assert "Sign in" in client.get("/").content.decode()
