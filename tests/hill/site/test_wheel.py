"""The wheel of the koth that a hill runs, at the hill's address."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from koth.hill import wheel
from koth.hill.wheel import NAME
from tests.hill.conftest import Place
from tests.hill.site.conftest import visitor


def test_a_checkout_offers_a_wheel_once_it_is_made(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "is_installed", lambda: False)
    assert visitor().get(f"/wheel/{NAME}").status_code == 404
    assert NAME not in visitor().get("/").content.decode()
    wheel.write(site.folder)
    assert f"pip install http://127.0.0.1/wheel/{NAME}" in visitor().get("/").content.decode()
    answer = visitor().get(f"/wheel/{NAME}")
    assert answer.content == wheel.pack()
    assert visitor().get("/wheel/hill.json").status_code == 404
    (tmp_path / NAME).write_bytes(answer.content)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", tmp_path / "there"]
    subprocess.run([*pip, tmp_path / NAME], check=True)
    assert (tmp_path / "there/koth/docs/index.md").is_file()
    assert (tmp_path / "there/bin/koth").is_file()


def test_an_installed_koth_offers_its_own_wheel(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel, "is_installed", lambda: True)
    assert f"/wheel/{NAME}" in visitor().get("/").content.decode()
    assert visitor().get(f"/wheel/{NAME}").content[:2] == b"PK"
