"""Packing refuses the bots that could not be unpacked."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.discovery import archives, packing
from koth.discovery.packing import pack, unpack
from koth.errors import BotError


def test_a_table_that_could_not_be_unpacked_is_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    names = [f"{number}{'é' * 100}" for number in range(3)]
    for name in names:
        (bot / name).write_text("x")
    size = sum(46 + len(f"bot/{name}".encode()) for name in names)
    for module in (archives, packing):
        monkeypatch.setattr(module, "LARGEST_TABLE", size)
    packed = pack(bot)
    assert len(list(unpack(packed, "bot", tmp_path / "out").iterdir())) == 3
    for module in (archives, packing):
        monkeypatch.setattr(module, "LARGEST_TABLE", size - 1)
    with pytest.raises(BotError, match="its table has"):
        unpack(packed, "bot", tmp_path / "other")
    with pytest.raises(BotError) as refused:
        pack(bot)
    assert str(refused.value) == f"{bot}: its 3 files have too long names: a zip's table of names may have 0 MB"
