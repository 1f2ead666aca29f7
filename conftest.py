"""Programs that some tests need, the seeds of who gives none, and how Hypothesis behaves.

A test marked `@pytest.mark.needs("node")` runs that program. Where it is missing the test is skipped, and
the run ends with what was not tested and which Debian package would do it. With `KOTH_REQUIRE_ALL=1` a
missing program is a failure.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
from collections import Counter

import hypothesis
import pytest

from koth.engine.secret import SIZE, Secret

PACKAGES = {
    "node": "nodejs",
    "npm": "npm",
    "java": "default-jre-headless",
    "javac": "default-jdk-headless",
    "cc": "gcc",
    "c++": "g++",
    "rustc": "rustc",
    "cargo": "cargo",
    "go": "golang-go",
    "tsc": "node-typescript",
    "mcs": "mono-mcs",
    "mono": "mono-runtime",
    "php": "php-cli",
    "ghc": "ghc",
    "ruby": "ruby",
    "lua": "lua5.4",
    "perl": "perl",
    "chromium": "chromium",
    "firefox-esr": "firefox-esr",
    "scalac": "scala",
    "kotlinc": "kotlin",
    "groovyc": "groovy",
    "rhino": "rhino",
    "jython": "jython",
    "jruby": "jruby",
    "clojure": "clojure",
    "bwrap": "bubblewrap",
    "tmux": "tmux",
    "openssl": "openssl",
    "ip": "iproute2",
    "initdb": "postgresql",
    "postgres": "postgresql",
}
"""Debian's package by program."""

hypothesis.settings.register_profile("koth", derandomize=True, deadline=None, database=None, max_examples=60)
hypothesis.settings.load_profile("koth")


@pytest.fixture(autouse=True)
def same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whoever gives no seed get the same one each time a test runs: a rare course fails always or never."""
    seeds = itertools.count()
    monkeypatch.setattr(Secret, "draw", lambda: Secret(next(seeds).to_bytes(SIZE, "big")))


@pytest.fixture(scope="session", autouse=True)
def hypothesis_generator() -> None:
    """Have Hypothesis make its random generator before `freeze_loaded`: later it would take it for garbage."""
    hypothesis.given(hypothesis.strategies.none())(lambda nothing: None)()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return two processes a processor: most of the time tests wait for programs and browsers."""
    return 2 * (os.cpu_count() or 1)


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Begun in the background, where Ctrl-C means nothing; to what is started here it must.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "slow: over 1.5 seconds of processor time, left to `make test-slow`")
    config.addinivalue_line(
        "markers", "slow_but(*words): slow, but the cases with a word in their names (or the first)"
    )
    config.addinivalue_line("markers", "long: run by `make everything` only")
    config.addinivalue_line("markers", "needs(*programs): runs these programs, skipped without them")
    config.addinivalue_line("markers", "compiled: not run a second time without compilation (too slow then)")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow the cases of tests marked `slow_but` that are not to run in `make test`."""
    seen: set[str] = set()
    for item in items:
        if mark := item.get_closest_marker("slow_but"):
            test, _, case = item.nodeid.partition("[")
            is_quick = any(word in case for word in mark.args) if mark.args else test not in seen
            seen.add(test)
            if not is_quick:
                item.add_marker("slow")


def pytest_runtest_setup(item: pytest.Item) -> None:
    programs = [program for mark in item.iter_markers("needs") for program in mark.args]
    for program in programs:
        if program not in PACKAGES:
            pytest.fail(f"conftest.py names no Debian package for {program!r}")
    missing = [program for program in programs if not shutil.which(program)]
    if not missing:
        return
    packages = " ".join(PACKAGES[program] for program in missing)
    reason = f"{', '.join(missing)} not found: apt install {packages}"
    if os.environ.get("KOTH_REQUIRE_ALL") == "1":
        pytest.fail(reason, pytrace=False)
    item.user_properties += [("missing", program) for program in missing]
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    counts = Counter(str(value) for report in skipped for name, value in report.user_properties if name == "missing")
    if counts:
        parts = ", ".join(f"{program} ({count} tests)" for program, count in sorted(counts.items()))
        packages = " ".join(PACKAGES[program] for program in sorted(counts))
        terminalreporter.write_sep("-", "not everything was tested")
        terminalreporter.write_line(f"Not tested here: {parts}, install them: apt install {packages}")
