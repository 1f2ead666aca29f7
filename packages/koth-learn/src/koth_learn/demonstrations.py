"""Answers of bots in recorded matches, as arrays for imitation learning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from koth.diagnostics.rerun import find_key, repeat_questions
from koth.encoding import Encoding
from koth.engine.settings import read_settings
from koth.errors import KothError, choices
from koth.game import Array, Game, Observations
from koth.games import load
from koth.replay.names import SUFFIX
from koth.replay.reader import Replay
from koth.replay.verify import make_batch
from koth_learn.encodings import encode
from koth_learn.spec import PolicySpec


@dataclass(frozen=True)
class Demonstrations:
    """Decisions of bots, a row for each: observation, possible actions, and chosen action.

    `observations` are an environment's, [rows, ...] each; `masks` bool[rows, choices]; `actions` int64[rows,
    actions]. `replay` (an index into `replays`), `seat`, `agent` (its number within its seat) and `turn` are
    int64[rows] each. Rows are in the order in which the bots were asked. Answers with a fault, and answers without a
    corresponding action, are left out; `left_out` counts them.
    """

    observations: dict[str, Array]
    masks: Array
    actions: Array
    replay: Array
    seat: Array
    agent: Array
    turn: Array
    replays: list[Path]
    left_out: int

    def __len__(self) -> int:
        return len(self.actions)


def demonstrations(
    replays: str | Path | Iterable[str | Path], bot: str | None = None, **options: Any
) -> Demonstrations:
    """Return a bot's (None: every bot's) decisions in recorded matches; `options` go to the encoding, as in `make`.

    `replays` are files, or one folder that contains some. Matches are played again from key and answers, so replays
    need no frames. Raises KothError for files that are not replays of one game and of the same shapes, and for a bot
    that played in none.
    """
    files = _files(replays)
    rows: list[_Rows] = [_Rows(file, number, bot, options) for number, file in enumerate(files)]
    names = sorted({name for one in rows for name in one.names})
    if not any(one.seats for one in rows):
        raise KothError(f"no bot {bot!r} plays in these {len(files)} replays{choices(str(bot), names)}")
    for one in rows:
        if one.game is not rows[0].game:
            raise KothError(
                f"{one.file}: a match of {one.game.name}, and {rows[0].file} is one of {rows[0].game.name}"
            )
        PolicySpec.of(one.game.name, rows[0].encoding).check(one.game.name, len(one.names), one.encoding)
    parts = [one.arrays() for one in rows if one.seats]
    whole = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    kept = (whole["actions"] >= 0).all(axis=1) & (whole.pop("fault") == 0)
    found = {key: array[kept] for key, array in whole.items()}
    observed = {name: found.pop(f"observation.{name}") for name in rows[0].encoding.observations}
    return Demonstrations(observed, replays=files, left_out=int(np.count_nonzero(~kept)), **found)


def _files(replays: str | Path | Iterable[str | Path]) -> list[Path]:
    if isinstance(replays, (str, Path)):
        path = Path(replays)
        files = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
    else:
        files = [Path(one) for one in replays]
    if not files:
        raise KothError(f"{replays}: there are no replays (*{SUFFIX})")
    return files


class _Rows:
    """The decisions in one replay. Raises KothError if it can't be played again."""

    def __init__(self, file: Path, number: int, bot: str | None, options: dict[str, Any]) -> None:
        self.file, self._number = file, number
        self._replay = Replay(file)
        header = self._replay.header
        self.game: Game = load(header["game"])
        self.names: list[str] = [entry["name"] for entry in header["bots"]]
        self.seats = [seat for seat, name in enumerate(self.names) if bot in (None, name)]
        self._settings = read_settings(self.game, header)
        self.encoding: Encoding = encode(self.game, self._settings, len(self.names), 1, options)

    def arrays(self) -> dict[str, Array]:
        """Return all rows: the fields of `Demonstrations`, and `fault`."""
        encoding, seats = self.encoding, len(self.names)
        agents = self.game.agents(self._settings, seats)
        batch, _ = make_batch(self.game, self._replay, self._settings, find_key(self._replay))
        encoding.begin(0, self.game.match_info(self._settings, batch.state, 0, 0))
        last = np.zeros((len(agents), len(encoding.choices)), np.int64)
        parts: list[dict[str, Array]] = []
        latest: dict[int, Array] = {}  # of each agent, the row with its last actions: later answers may correct it
        for observations, answers in repeat_questions(batch, self._replay):
            places = agents.table[observations.seat, observations.unit]
            if observations.question.name in encoding.steps:
                part, last[places] = self._look(observations, answers.fields)
                own = np.flatnonzero(np.isin(observations.seat, self.seats))
                columns = {
                    "replay": np.full(len(observations), self._number),
                    "seat": observations.seat.astype(np.int64),
                    "agent": observations.unit.astype(np.int64),
                    "turn": np.full(len(observations), batch.turn),
                    "fault": answers.fault,
                    "actions": last[places],
                }
                parts.append({key: array[own] for key, array in {**part, **columns}.items()})
                latest.update(zip(places[own].tolist(), parts[-1]["actions"], strict=True))
                continue
            actions = last[places]
            encoding.read_script(observations, answers.fields, actions)
            last[places] = actions
            for place, action in zip(places.tolist(), actions, strict=True):
                if place in latest:
                    latest[place][:] = action
        if not parts:
            raise KothError(f"{self.file}: no bot was asked anything in this match")
        return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}

    def _look(self, observations: Observations, fields: Any) -> tuple[dict[str, Array], Array]:
        """Return the observations and masks of a step, and the actions that correspond to the answers."""
        encoding, rows = self.encoding, np.arange(len(observations))
        shown = {
            name: np.zeros((len(observations), *field.shape), field.dtype)
            for name, field in encoding.observations.items()
        }
        mask = np.zeros((len(observations), encoding.places[-1]), np.bool_)
        encoding.look(observations, rows, shown, mask)
        actions = np.zeros((len(observations), len(encoding.choices)), np.int64)
        encoding.read(observations, fields, actions)
        return {**{f"observation.{name}": array for name, array in shown.items()}, "masks": mask}, actions
