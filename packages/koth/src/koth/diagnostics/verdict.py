"""The check of a contest's record: commitment, keys, digests, and reruns of all matches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import orjson

from koth.contest.reading import MatchReader, MatchRow
from koth.contest.record import RunRecord, check_version, stages_of
from koth.contest.season import find_season_problem
from koth.diagnostics.rerun import find_key
from koth.engine.secret import Secret
from koth.engine.settings import read_settings
from koth.errors import KothError
from koth.game import Game
from koth.replay.reader import Replay
from koth.replay.verify import verify


def verify_replay(game: Game, replay: Replay) -> str | None:
    """Record a match again; return the difference, or None. Raises KothError if the match can't be played."""
    return verify(game, replay, read_settings(game, replay.header), find_key(replay))


def verify_matches(reader: MatchReader, game: Game) -> Iterator[tuple[str, str | None]]:
    """Yield the name and problem (or None) of each checked part: first the contest's secrets, then every match.

    Raises KothError if the contest was played with another version of the game.
    """
    record, secrets = reader.plan(), reader.secrets()
    check_version(record, game, reader.where)
    for stage, secret in enumerate(secrets):
        yield f"the secret of extension {stage}" if stage else "the secret", _check_secret(record, stage, secret)
    if (season := reader.season_proof()) is not None:
        yield "the season", find_season_problem(season, record, secrets[0])
    for row in reader.matches():
        if not 0 <= row.stage < len(secrets):
            yield f"match {row.number}", f"it is of an extension {row.stage}, which there is not"
        else:
            yield f"match {row.number}", _check_match(reader, game, record, secrets[row.stage], row)


def _check_secret(record: RunRecord, stage: int, secret: Secret | None) -> str | None:
    """Return why a stage's secret is wrong; None if the secret is right or not known yet."""
    if secret is None:
        return None
    if record["seed"] is not None:
        follows = Secret.from_seed(record["seed"])
        if secret != (follows.branch(stage) if stage else follows):
            return f"the secret does not follow from the seed {record['seed']}"
    commitment = stages_of(record)[stage]["commitment"]
    if secret.commitment != commitment:
        return f"the commitment of the secret is {secret.commitment}, not {commitment}"
    return None


def _check_match(
    reader: MatchReader,
    game: Game,
    record: RunRecord,
    secret: Secret | None,
    row: MatchRow,
) -> str | None:
    path = reader.replay(row.number) if row.replay else None
    if path is None:
        is_kept = record["replays"] != "none" and record.get("keep_days") is None
        return "it has no replay" if is_kept else None
    try:
        replay = Replay(path)
        found = _compare_with_record(reader, game, replay, record, secret, row)
        return found or verify_replay(game, replay)
    except KothError as error:
        return str(error)


def _compare_with_record(
    reader: MatchReader,
    game: Game,
    replay: Replay,
    record: RunRecord,
    secret: Secret | None,
    row: MatchRow,
) -> str | None:
    """Return the first difference between a replay and the run's record, or None."""
    if replay.digest != row.digest:
        return f"{row.replay} is not the file that was written (its digest is {replay.digest}, not {row.digest})"
    if secret is not None and replay.key is not None and replay.key != secret.key(row.seed_group):
        return f"{row.replay} has a key that does not follow from the run's secret"
    header, result, hashes = replay.header, replay.result or {}, reader.digests(row)
    expected = {
        "game": record["game"],
        "ruleset": record["ruleset"],
        "match": row.number,
        "turns": record["max_turns"],
        "settings": orjson.loads(orjson.dumps(asdict(read_settings(game, record, reader.variant(row.block))))),
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
