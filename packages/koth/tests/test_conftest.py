"""A missing program skips its tests and is listed, or fails them where everything is required."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
    import pytest

    @pytest.mark.needs("node", "tmux")
    def test_with_programs():
        pass

    def test_without():
        pass
"""


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.Pytester:
    """A run of its own, under this project's conftest, on a machine that has node only."""
    node = tmp_path / "bin" / "node"
    node.parent.mkdir()
    node.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(node.parent))
    monkeypatch.delenv("KOTH_REQUIRE_ALL", raising=False)
    pytester.makeconftest(Path(__file__).parents[3].joinpath("conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(TESTS)
    return pytester


def test_a_missing_program_skips_and_is_listed(session: pytest.Pytester) -> None:
    result = session.runpytest_inprocess("-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*tmux not found: apt install tmux"])
    result.stdout.fnmatch_lines(["Not tested here: tmux (1 tests), install them: apt install tmux"])


def test_where_all_is_required_it_fails(session: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOTH_REQUIRE_ALL", "1")
    result = session.runpytest_inprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["tmux not found: apt install tmux"])


def test_with_the_program_it_runs(session: pytest.Pytester, tmp_path: Path) -> None:
    (tmp_path / "bin" / "tmux").touch(mode=0o755)
    result = session.runpytest_inprocess()
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*Not tested here*")
