"""The course of a study: series after series, then the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from koth.contest.lock import lock_run
from koth.contest.record import now
from koth.discovery.entrants import find_only
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.files.beneath import write_beneath
from koth.services.observer import Observer
from koth_studies.figure import draw_figure
from koth_studies.plan import Study
from koth_studies.record import STUDY, STUDY_SHAPE, read_file, write_file
from koth_studies.results import Row, SeriesResults, StudyResults
from koth_studies.series import Series
from koth_studies.turns import check_author

FIGURE_FILE = "curves.svg"


def play_study(
    study: Study, observer: Observer, say: Callable[[str], None], show: Callable[[Sequence[Row]], None]
) -> StudyResults:
    """Play the unfinished parts of a study, and write CSV files and the figure after each round.

    `say` gets a line about each event, `show` the rows of each round that was played.

    Raises KothError, ClusterLost and KeyboardInterrupt. Finished parts stay on record and in the CSV files; the next
    call continues.
    """
    digests = _find_digests(study)
    with lock_run(study.folder):
        secret = _open_study(study, digests)
        found: list[SeriesResults] = []
        for repetition in range(1, study.options.repetitions + 1):
            for name, planned in study.games.items():
                found.append(SeriesResults(study, planned, repetition, digests[name]))
                own = secret.branch(repetition)
                for number in Series(study, planned, repetition, own, digests[name], observer, say).play():
                    _write_results(study, found)
                    show(list(found[-1].rounds[number].values()))
        return _write_results(study, found)


def _write_results(study: Study, series: Sequence[SeriesResults]) -> StudyResults:
    results = StudyResults.of(study, series)
    results.write()
    with write_beneath(study.folder, FIGURE_FILE) as file:
        file.write(draw_figure(results).encode())
    return results


def _find_digests(study: Study) -> dict[str, dict[str, str]]:
    """Return the yardsticks' digests by game and name. Raises KothError."""
    found: dict[str, dict[str, str]] = {}
    for name, planned in study.games.items():
        words, grants = planned.yardsticks, study.options.grants
        found[name] = {bot: find_only(planned.game, f"{bot}={word}", grants).digest for bot, word in words.items()}
    return found


def _open_study(study: Study, digests: Mapping[str, Any]) -> Secret:
    """Write a new study's record, or compare the study with the existing record; return the study's secret.

    Raises KothError and OSError.
    """
    constants = {**study.constants(), "digests": digests}
    if not (study.folder / STUDY).exists():
        for name in study.authors:
            try:
                check_author(study.author(name), study.limits, study.folder)
            except KothError as error:
                raise type(error)(f"{study.file}: authors.{name}: {error}") from None
        secret = Secret.from_option(study.options.seed)
        write_file(study.folder, STUDY, {"secret": str(secret), "begun": now(), "constants": constants})
    record = read_file(study.folder, STUDY, STUDY_SHAPE)
    if place := _find_change(record["constants"], constants):
        text = f"{place} is not what it was when the study began; put it back, or give the file another name"
        raise KothError(f"{study.file}: {text}, which begins a new study")
    return Secret.from_hex(record["secret"])


def _find_change(before: Any, after: Any, place: str = "") -> str:
    """Return the key of the first different value; "" if all values are equal."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return "" if before == after else place
    keys = dict.fromkeys([*before, *after])
    found = (_find_change(before.get(key), after.get(key), f"{place}.{key}" if place else key) for key in keys)
    return next(filter(None, found), "")
