"""Three rings of tests: what is run every day, what a machine is asked for before a change is shared, and all.

`--ring fast` leaves out the tests that `tests/slow.txt` lists: those whose function took more than `SLOW` seconds of
processor time, with all its parameters and programs. A new test is not listed, so it is in the fast ring; where it
is too slow for that, the run says so at its end, and `--measure` puts it on the list. A test marked `long` is run
with `--ring everything` only.

Files are run the slowest first by the same list: a slow file that is taken last would keep one process busy while the
others have nothing left.
"""

from __future__ import annotations

import os
import resource
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

from koth.games import GAMES

RINGS = ("fast", "all", "everything")
LIST = Path(__file__).with_name("slow.txt")
SLOW = 1.0
"""Seconds of processor time, by processes that it waited for too."""
USUAL = 0.05
"""Seconds of processor time of a test that is not listed, for the order of files."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rings")
    group.addoption("--ring", choices=RINGS, default="all", help="Which tests (default: all but those marked long).")
    group.addoption("--measure", action="store_true", help="Write tests/slow.txt anew for the files that are run.")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: run by `make everything` only")
    config.pluginmanager.register(Rings(config, read_list()), "koth-rings")


def read_list() -> dict[str, float]:
    """Seconds by function, as the list has them."""
    lines = LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else []
    return {name: float(seconds) for seconds, name in (line.split(maxsplit=1) for line in lines)}


def some_by_hand(*games: str) -> list[pytest.ParameterSet]:
    """Return koth's games as parameters of a test that `make everything` alone runs for these `games`."""
    return [pytest.param(game, marks=pytest.mark.long if game in games else ()) for game in GAMES]


def function_of(nodeid: str) -> str:
    """A test's file and name, without its parameters."""
    return nodeid.partition("[")[0]


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def processor_time() -> float:
    """Seconds that this process and its ended children have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(of.ru_utime + of.ru_stime for of in used)


class Rings:
    """Chooses the tests of a ring, and measures what they take."""

    def __init__(self, config: pytest.Config, listed: dict[str, float]) -> None:
        self.ring: str = config.getoption("--ring")
        self.writes: bool = config.getoption("--measure")
        self.listed = listed
        self.taken: defaultdict[str, float] = defaultdict(float)
        self.before = 0.0

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        out = [item for item in items if not self._is_in(item)]
        if out:
            config.hook.pytest_deselected(items=out)
            items[:] = [item for item in items if self._is_in(item)]
        taken = self._seconds_by_file(items)
        items.sort(key=lambda item: -taken[file_of(item.nodeid)])  # a stable sort: a file's tests stay in their order

    def _seconds_by_file(self, items: list[pytest.Item]) -> dict[str, float]:
        seconds: defaultdict[str, float] = defaultdict(float)
        for item in items:
            seconds[file_of(item.nodeid)] += USUAL
        for name in dict.fromkeys(function_of(item.nodeid) for item in items):  # each process adds in the same order
            seconds[file_of(name)] += self.listed.get(name, 0)
        return seconds

    def _is_in(self, item: pytest.Item) -> bool:
        if item.get_closest_marker("long"):
            return self.ring == "everything"
        return self.ring != "fast" or function_of(item.nodeid) not in self.listed

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.before = processor_time()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "teardown" and not item.get_closest_marker("long"):
            report.user_properties.append(("processor time", processor_time() - self.before))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Where tests run in several processes, this one is told what they took there."""
        for name, spent in report.user_properties:
            if name == "processor time":
                self.taken[function_of(report.nodeid)] += float(str(spent))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.writes:
            write_list(self.listed, self.taken)
            return
        new = {name: spent for name, spent in self.taken.items() if spent > 5 * SLOW}
        if new and self.ring == "fast":
            terminalreporter.write_sep("-", "slow tests in the fast ring")
            for name, spent in sorted(new.items(), key=lambda pair: -pair[1]):
                terminalreporter.write_line(f"{spent:6.1f} s  {name}")
            terminalreporter.write_line("`make rings` measures them all; --measure only what is run")


def write_list(listed: dict[str, float], taken: dict[str, float]) -> None:
    """The list with what was measured now; functions of the same files that were not seen are gone."""
    files = {file_of(name) for name in taken}
    kept = {name: spent for name, spent in listed.items() if file_of(name) not in files}
    slow = kept | {name: spent for name, spent in taken.items() if spent > SLOW}
    part = LIST.with_suffix(f".{os.getpid()}")
    part.write_text("".join(f"{slow[name]:.1f} {name}\n" for name in sorted(slow)), encoding="utf-8")
    part.replace(LIST)
