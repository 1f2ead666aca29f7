"""The reader of a run's matches, from the run's folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from koth.contest.lock import is_held
from koth.contest.private import read_log
from koth.contest.reading import HOST, Audience, BotLog, FaultReason, MatchCounts, MatchRow, RecordedFault
from koth.contest.record import RunRecord, read_record, stages_of
from koth.contest.results import Results, opens_once, replay_place
from koth.contest.seating import variant_of
from koth.contest.secret_files import secret_file, secret_of
from koth.engine.secret import Key, Secret
from koth.escaping import path_word
from koth.replay.names import find_unfinished


class RunReader(Results):
    """The matches of the run in a folder, for an audience (see `koth.contest.reading.MatchReader`).

    Raises KothError if the folder is not a run's.
    """

    def __init__(self, folder: Path, audience: Audience = HOST) -> None:
        super().__init__(folder)
        self.audience = audience
        self.plan()

    @property
    def where(self) -> str:
        """The folder's path."""
        return path_word(self.folder)

    @property
    def title(self) -> str:
        """The folder's name."""
        return self.folder.absolute().name

    def plan(self) -> RunRecord:
        return read_record(self.folder)

    def variant(self, block: int) -> int:
        return variant_of(block)

    def ranking(self) -> None:
        return None

    def season_proof(self) -> str | None:
        """Return None: a run is no season's final."""
        return None

    def secrets(self) -> Sequence[Secret | None]:
        """Return the secrets of all stages; before a run is over, None except for the host."""
        record = self.plan()
        secrets: list[Secret | None] = []
        for stage, entry in enumerate(stages_of(record)):
            is_there = self.audience.is_host and os.path.lexists(self.folder / secret_file(stage))
            is_known = entry["secret"] is not None or is_there
            secrets.append(secret_of(self.folder, record, stage) if is_known else None)
        return secrets

    @opens_once
    def counts(self) -> MatchCounts:
        uncounted, knockout = self.uncounted_matches(), self.knockout().keys()
        done = len(self) - len(uncounted)
        return MatchCounts(done, len(uncounted - knockout), self.count_planned(), len(uncounted & knockout))

    def digests(self, match: MatchRow) -> Mapping[str, str]:
        """Return the digests of all entrants in a match's stage, by name."""
        return self._entrants[match.stage] if 0 <= match.stage < len(self._entrants) else {}

    @cached_property
    def _entrants(self) -> list[dict[str, str]]:
        """Return the entrants' digests by name, for each stage; the run's record has the last stage's."""
        earlier = self.entrants()[:-1]
        return [*map(dict, earlier), {bot["name"]: bot["digest"] for bot in self.plan()["bots"]}]

    def faults(self, bot: str | None = None, match: int | None = None) -> list[RecordedFault]:
        found = super().faults(bot, match)
        named = (replace(f, replay=path_word(self.folder / f.replay) if f.replay else "") for f in found)
        return [f if self.audience.owns(f.bot) else f.without_words() for f in named]

    def fault_reasons(self) -> list[FaultReason]:
        found = super().fault_reasons()
        return [f if self.audience.owns(f.bot) else replace(f, text="", ended="") for f in found]

    def replay(self, number: int) -> Path | None:
        file = self.folder / replay_place(number)
        return file if os.path.lexists(file) else None

    def logs(self, number: int, bot: str) -> BotLog:
        return read_log(self.folder, number, bot) if self.audience.owns(bot) else BotLog()

    def key(self, number: int) -> Key | None:
        """Return the key of a match's dice, derived from the run's secret; None without the secret."""
        row, secrets = self.match(number), self.secrets()
        secret = secrets[row.stage] if row and 0 <= row.stage < len(secrets) else None
        return secret.key(row.seed_group) if row and secret else None

    def replay_word(self, number: int) -> str:
        """Return the path of a match's replay, or ""."""
        path = self.replay(number)
        return "" if path is None else path_word(path)

    def is_running(self) -> bool | None:
        """Return whether a process of this machine runs the contest; None if unknown."""
        return is_held(self.folder)

    def playing(self) -> Mapping[int, Path]:
        return find_unfinished(self.folder)
