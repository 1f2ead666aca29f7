"""The check of a run's folder against what was played: commitment, keys, digests, every match recorded again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from koth.contest.record import check_version, read_run, secret_file, secret_of, settings_of, stage_entry
from koth.contest.results import MatchRow
from koth.contest.season import SEASON_FILE, season_problem
from koth.contest.store import Store
from koth.diagnostics.rerun import key_of
from koth.engine.secret import Secret
from koth.engine.settings import from_header
from koth.errors import KothError
from koth.game import Game
from koth.replay.reader import SECONDS, Replay
from koth.replay.verify import verify


def verify_replay(game: Game, replay: Replay) -> str | None:
    """Record a match again; None if all agrees, else what differs. Raises KothError when it can't be played again."""
    return verify(game, replay, from_header(game, replay.header), key_of(replay))


def verify_run(folder: Path, game: Game, seconds: float = SECONDS) -> Iterator[tuple[str, str | None]]:
    """The result of a check: problems of the run itself, then of each of its matches.

    Each match may take so many seconds of computing. Raises KothError when there is no run here, or it is of other
    rules.
    """
    record = read_run(folder)
    check_version(record, game, folder)
    secrets = []
    for stage in range(1 + len(record["extensions"])):
        secret, wrong = _secret(folder, record, stage)
        secrets.append(secret)
        yield f"the secret of extension {stage}" if stage else "the secret", wrong
    if os.path.lexists(folder / SEASON_FILE):
        yield "the season", season_problem(folder, record, secrets[0])
    with closing(Store(folder, read_only=True)) as store:
        fields = [*store.fields()[:-1], [(bot["name"], bot["hash"]) for bot in record["bots"]]]
        for row in store.matches():
            if not 0 <= row.stage < min(len(secrets), len(fields)):
                yield f"match {row.index}", f"it is of an extension {row.stage}, which there is not"
                continue
            secret, hashes = secrets[row.stage], dict(fields[row.stage])
            yield f"match {row.index}", _match(folder, game, record, secret, hashes, row, seconds)


def _secret(folder: Path, record: Mapping[str, Any], stage: int) -> tuple[Secret | None, str | None]:
    """Return a stage's secret, and what is wrong with it. A run that is not over may lack its secrets."""
    entry = stage_entry(record, stage)
    if entry["secret"] is None and not os.path.lexists(folder / secret_file(stage)):
        return None, None
    secret = secret_of(folder, record, stage)
    if record["seed"] is not None:
        follows = Secret.spread(record["seed"])
        if secret != (follows.branch(stage) if stage else follows):
            return secret, f"the secret does not follow from the seed {record['seed']}"
    if not record["revealed"] and secret.commitment != entry["commitment"]:
        return secret, f"the commitment of the secret is {secret.commitment}, not {entry['commitment']}"
    return secret, None


def _match(
    folder: Path,
    game: Game,
    record: Mapping[str, Any],
    secret: Secret | None,
    hashes: Mapping[str, str],
    row: MatchRow,
    seconds: float,
) -> str | None:
    """Return what is wrong with one match on record; None if nothing."""
    if not row.replay:
        return None if record["replays"] == "none" else "no replay of it is on record"
    try:
        replay = Replay(folder / row.replay, seconds)
        found = _against_the_record(game, replay, record, secret, hashes, row)
        return found or verify_replay(game, replay)
    except KothError as error:
        return str(error)


def _against_the_record(
    game: Game,
    replay: Replay,
    record: Mapping[str, Any],
    secret: Secret | None,
    hashes: Mapping[str, str],
    row: MatchRow,
) -> str | None:
    """Return where a replay differs from the run's record; None if nowhere."""
    if replay.digest != row.digest:
        return f"{row.replay} is not the file that was written (its digest is {replay.digest}, not {row.digest})"
    if secret is not None and replay.key is not None and replay.key != secret.block(row.dice):
        return f"{row.replay} has a key that does not follow from the run's secret"
    header, result = replay.header, replay.result or {}
    expected = {
        "game": record["game"],
        "ruleset": record["ruleset"],
        "match": row.index,
        "turns": record["turns"],
        "settings": orjson.loads(orjson.dumps(asdict(settings_of(record, game)))),
        "bots": [{**bot, "hash": hashes.get(bot["name"])} for bot in header["bots"]],
    }
    for name, value in expected.items():
        if header.get(name) != value:
            return f"{row.replay} has another {name} than the run"
    stored = {"turns": row.turns, "scores": row.scores}
    for name, value in stored.items():
        if result.get(name) != value:
            return f"the {name} on record are {value}, the replay has {result.get(name)}"
    return None
