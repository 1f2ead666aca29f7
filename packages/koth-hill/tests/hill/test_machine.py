"""A runner's machine is described even while other processes take it."""

from __future__ import annotations

import pytest

from koth.sandbox.command import Overloaded
from koth.sandbox.isolation import PLAIN
from koth_hill import machine


def test_a_version_that_a_busy_machine_does_not_print_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def overloads(*_: object, **__: object) -> None:
        raise Overloaded("waited 200 of 201 s for other processes of this machine", 0, turn=None)

    monkeypatch.setattr(machine, "run_build_step", overloads)
    assert machine._version("gcc", "/usr/bin/gcc", PLAIN) == ""
