"""A series: the rounds of one game in one repetition of a study.

A series' folder has a folder `authors/NAME` for each author, in which the author's command runs, a folder for each
round with all results, and the contests that measure bots. Each step writes a whole file before the next step begins,
and a step whose file exists is not repeated: so each step is done once, however often the study is interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Any

from koth import __version__
from koth.contest.record import now, read_record
from koth.diagnostics.checkup import problem_text
from koth.discovery.entrants import find_only
from koth.engine.secret import Secret
from koth.errors import KothError, visible
from koth.services.checks import check_bot
from koth.services.observer import Observer
from koth.services.options import CheckOptions
from koth_studies.author_folder import AuthorFolder
from koth_studies.contests import play_contest, play_measurement
from koth_studies.documents import write_documents, write_why_text
from koth_studies.plan import PlannedGame, Study
from koth_studies.record import (
    ARENA,
    AUTHORS,
    BOT,
    BOTS,
    CONTEST,
    FILES,
    LOG,
    ROUND,
    TURN,
    WHY,
    read_file,
    write_file,
)
from koth_studies.turn_limits import TurnPlace
from koth_studies.turns import BOTS_SHAPE, TURN_SHAPE, Turn, take_turn

CHECKED_KEYS = ("ruleset", "settings", "max_turns", "start_timeout")
"""Options of a contest that also apply to a bot's check."""


@dataclass
class Series:
    """The rounds of one game in one repetition; `say` gets a line of text about each event.

    `secret` is the repetition's secret, `digests` are the yardsticks' digests by name.
    """

    study: Study
    planned: PlannedGame
    repetition: int
    secret: Secret
    digests: Mapping[str, str]
    observer: Observer
    say: Callable[[str], None]

    @property
    def folder(self) -> Path:
        """The series' folder."""
        return series_folder(self.study, self.planned.game.name, self.repetition)

    def play(self) -> Iterator[int]:
        """Play the unfinished rounds; yield each round's number after its end.

        Raises KothError, ClusterLost and KeyboardInterrupt; the next call continues.
        """
        for number in range(self.study.options.rounds + 1):
            if not (self.folder / str(number) / ROUND).exists():
                self._play_round(number)
                yield number

    def _log(self, number: int, text: str) -> None:
        """Report a line, and write the line to the round's log."""
        self.say(f"{self.planned.game.name}, repetition {self.repetition}, round {number}: {text}")
        with open(self.folder / str(number) / LOG, "a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    def _play_round(self, number: int) -> None:
        place, begun = self.folder / str(number), now()
        place.mkdir(parents=True, exist_ok=True)
        self._log(number, "begins")
        if not (place / BOTS).exists():
            turns = self._take_turns(number) if number else self._write_first_bots()
            write_file(place, BOTS, {name: self._accept_version(number, name, turn) for name, turn in turns.items()})
        bots = read_file(place, BOTS, BOTS_SHAPE)
        playing = {
            name: str(self.folder / str(its["version"]) / name / FILES / BOT)
            for name, its in bots.items()
            if its["version"] is not None
        }
        yardsticks = {} if "yardsticks" in self.study.options.withhold else self.planned.yardsticks
        host, contest = self.study.host(), {**playing, **yardsticks}
        play_contest(self.planned, host, place / CONTEST, contest, self.secret.branch(number + 1), self.observer)
        words = {**playing, **self.planned.yardsticks}
        digests = {**{name: bots[name]["digest"] for name in playing}, **self.digests}
        for name, word in words.items():
            secret = self.secret.branch(0)
            play_measurement(self.planned, host, self.folder, word, digests[name], secret, self.observer)
        withheld = self.study.options.withhold
        for name, its in bots.items():
            problem = "\n".join(filter(None, (its["problem"], its["check_problem"])))
            text = write_why_text(place / CONTEST, name, problem, withheld)
            (place / name / WHY).write_text(text, encoding="utf-8")
        level = read_record(place / CONTEST)["isolation"]["level"]
        isolation = {"isolation": level, "author_isolation": self.study.limits.author_isolation}
        write_file(place, ROUND, {"koth": __version__, **isolation, "begun": begun, "ended": now()})

    # --- turns of authors

    def _author_folder(self, name: str) -> AuthorFolder:
        return AuthorFolder(self.folder / AUTHORS / name, self.study.limits.folder)

    def _write_first_bots(self) -> dict[str, Turn]:
        for name in self.study.authors:
            self._author_folder(name).begin(self.planned.start, self.planned.game.name)
            self._author_folder(name).keep(self.folder / "0" / name / FILES)
        return dict.fromkeys(self.study.authors, Turn(0.0, ""))

    def _take_turns(self, number: int) -> dict[str, Turn]:
        """Run the commands of authors whose turn in this round is missing, several at once if the study allows."""
        place = self.folder / str(number)
        left = [name for name in self.study.authors if not (place / name / TURN).exists()]
        is_ended = Event()
        with ThreadPoolExecutor(self.study.options.commands) as pool:
            futures = [pool.submit(self._take_turn, number, name, is_ended) for name in left]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                is_ended.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return {name: Turn(**read_file(place, f"{name}/{TURN}", TURN_SHAPE)) for name in self.study.authors}

    def _take_turn(self, number: int, name: str, is_ended: Event) -> None:
        author, place = self.study.author(name), self.folder / str(number) / name
        last, folder = self.folder / str(number - 1), self._author_folder(name)
        place.mkdir(parents=True, exist_ok=True)
        own = TurnPlace(folder.path, place / LOG, self.study.folder, self._variables(number, name))
        turn = take_turn(author, self.study.limits, own, lambda: self._prepare(number, name), is_ended)
        if is_ended.is_set():
            return
        turn = folder.keep_after(turn, place / FILES, last / name / FILES)
        write_file(place, TURN, asdict(turn))
        self._log(number, f"{name}: {turn.problem or 'done'} ({turn.seconds:.1f} s)")

    def _prepare(self, number: int, name: str) -> None:
        """Restore an author's folder to the state before the turn. Raises KothError and OSError."""
        last, folder = self.folder / str(number - 1), self._author_folder(name)
        if aside := folder.restore(last / name / FILES):
            self._log(number, f"{name}: its folder of the last round can't be removed, and is now in {aside}")
        minutes, withheld = self.study.limits.timeout / 60, self.study.options.withhold
        write_documents(folder.path / ARENA, self.planned.game, name, last, minutes, withheld)

    def _variables(self, number: int, name: str) -> dict[str, str]:
        seed = self.secret.key(number).bot(1, list(self.study.authors).index(name))
        return {
            "KOTH_STUDY": str(self.study.file.parent),
            "KOTH_GAME": self.planned.game.name,
            "KOTH_AUTHOR": name,
            "KOTH_ROUND": str(number),
            "KOTH_SEED": str(seed),
        }

    # --- bots

    def _accept_version(self, number: int, name: str, turn: Turn) -> dict[str, Any]:
        """Return the version that plays: the author's new bot if it can play, otherwise the last version."""
        before: dict[str, Any] = {"version": None, "digest": ""}
        if number:
            last = read_file(self.folder / str(number - 1), BOTS, BOTS_SHAPE)[name]
            before = {key: last[key] for key in before}
        place = self.folder / str(number) / name / FILES
        problem = ""
        if turn.is_sent:
            try:
                word, grants = f"{name}={place / BOT}", self.study.options.grants
                digest = find_only(self.planned.game, word, grants).digest
                problem = "" if digest == before["digest"] else self._problem_of(place / BOT)
                if not problem:
                    before = before if digest == before["digest"] else {"version": number, "digest": digest}
            except KothError as error:
                problem = visible(str(error).replace(f"{place}/", ""), keep="\n")
        if problem or not turn.is_sent:
            plays = "no version of it plays" if before["version"] is None else f"version {before['version']} plays on"
            self._log(number, f"{name}: {(problem or turn.problem).splitlines()[0]}; {plays}")
        return {**asdict(turn), "check_problem": problem, **before}

    def _problem_of(self, bot: Path) -> str:
        """Return why a bot can't play, by the checks of `koth check`, or ""."""
        options, contest = self.study.options, self.planned.contest
        checked = CheckOptions(
            game=self.planned.game.name,
            isolation=options.isolation,
            interpreters=options.interpreters,
            allow_read=options.allow_read,
            **{key: contest[key] for key in CHECKED_KEYS if key in contest},
        )
        return problem_text(check_bot(str(bot), checked, Observer(), lambda step: None).steps)


def series_folder(study: Study, game: str, repetition: int) -> Path:
    """Return the folder of a series; repetitions count from 1."""
    return study.folder / game / str(repetition)
