"""The rings of tests: what is listed as slow, and what is marked long, is left out where it should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import rings

pytest_plugins = ["pytester"]

TESTS = """
    import pytest
    from tests.rings import processor_time

    def test_quick():
        pass

    @pytest.mark.parametrize("n", [1, 2])
    def test_slow(n):
        end = processor_time() + 0.06
        while processor_time() < end:
            pass

    @pytest.mark.long
    def test_long():
        pass
"""


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.Pytester:
    monkeypatch.setattr(rings, "LIST", tmp_path / "slow.txt")
    monkeypatch.setattr(rings, "SLOW", 0.1)
    pytester.makeconftest(Path(__file__).parents[3].joinpath("conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(test_it=TESTS)
    return pytester


def test_a_new_test_is_in_the_fast_ring_until_it_is_measured(session: pytest.Pytester) -> None:
    session.runpytest_inprocess("--ring", "fast").assert_outcomes(passed=3, deselected=1)
    session.runpytest_inprocess("--measure").assert_outcomes(passed=3, deselected=1)
    (line,) = rings.LIST.read_text(encoding="utf-8").splitlines()
    assert line.split()[1] == "test_it.py::test_slow"
    session.runpytest_inprocess("--ring", "fast").assert_outcomes(passed=1, deselected=3)
    session.runpytest_inprocess().assert_outcomes(passed=3, deselected=1)


def test_long_ones_are_for_everything(session: pytest.Pytester) -> None:
    session.runpytest_inprocess("--ring", "everything").assert_outcomes(passed=4)


def test_a_slow_test_in_the_fast_ring_is_reported(session: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rings, "SLOW", 0.01)
    session.runpytest_inprocess("--ring", "fast").stdout.fnmatch_lines(["* s  test_it.py::test_slow"])


def test_measuring_keeps_the_times_of_other_files(session: pytest.Pytester) -> None:
    rings.LIST.write_text("7.0 test_other.py::test_x\n9.0 test_it.py::test_gone\n", encoding="utf-8")
    session.runpytest_inprocess("--measure")
    assert [line.split()[1] for line in rings.LIST.read_text(encoding="utf-8").splitlines()] == [
        "test_it.py::test_slow",
        "test_other.py::test_x",
    ]
