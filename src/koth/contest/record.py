"""The record of a run, `run.json`: contest and machine. Records are checked against `SHAPE` on reading."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import NoneType
from typing import Any, get_type_hints

from koth import __version__
from koth.contest.contest import Contest
from koth.contest.store import Store
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.files.beneath import read_beneath, remove_beneath, write_beneath
from koth.files.shape import find_mismatch, read_json
from koth.game import Game, TimeControl
from koth.games import package_of
from koth.replay.names import RUN_FILE
from koth.session.bot import Bot
from koth.session.cpu_clocks import has_run_delay

SECRET_FILE = "secret"
"""The file of the secret that determines all dice, for the host only; removed when the run is over."""

TEXT = (str, NoneType)
NUMBER = (int, float)
TIME_CONTROL: Mapping[str, Any] = {
    name: NUMBER if kind is float else kind for name, kind in get_type_hints(TimeControl).items()
}
SHAPE: Mapping[str, Any] = {
    "game": str,
    "package": {"name": str, "version": str},
    "version": int,
    "ruleset": str,
    "settings": {},
    "seed": (int, NoneType),
    "revealed": bool,
    "commitment": TEXT,
    "secret": TEXT,
    "matches": int,
    "seats": (int, NoneType),
    "max_turns": (int, NoneType),
    "seeds": str,
    "until": TEXT,
    "knockout": (int, NoneType),
    "replays": str,
    "extensions": [{"matches": int, "commitment": TEXT, "secret": TEXT, "started": str}],
    "time_control": TIME_CONTROL,
    "bots": [{"name": str, "path": TEXT, "digest": str, "protocol": str, "options": {}}],
    "skipped": [{"bot": str, "reason": str}],
    "unrepeatable": [str],
    "koth": str,
    "interpreters": {},
    "isolation": {"level": str, "missing": [str], "versions": {}},
    "clock": str,
    "machine": {},
    "started": str,
}
"""The structure of `run.json`: types by key; a list with one item: the type of all items; `{}`: defined by the game
or system."""


def bots_record(contest: Contest) -> list[dict[str, Any]]:
    """Return the entries of a contest's bots in `run.json`."""
    return [
        {
            "name": bot.name,
            "path": bot.where if isinstance(bot, Bot) else None,
            "digest": bot.digest,
            "protocol": bot.protocol if isinstance(bot, Bot) else "inline",
            "options": dict(bot.options) if isinstance(bot, Bot) else {},
            "language": bot.language if isinstance(bot, Bot) else "",
        }
        for bot in contest.bots
    ]


def new_record(
    contest: Contest,
    game: Game,
    skipped: Sequence[Mapping[str, str]],
    unrepeatable: Sequence[str],
    interpreters: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the content of `run.json`: the contest, then the machine (results never depend on the machine).

    `skipped` are the bots left out, `unrepeatable` the names of bots whose answers differed in preflight.
    """
    return {
        "game": contest.game,
        "package": package_of(game),
        "version": game.version,
        "ruleset": contest.ruleset,
        "settings": dict(contest.overrides),
        "seed": contest.seed,
        "revealed": contest.revealed,
        "commitment": contest.commitment,
        "secret": None,
        "matches": contest.matches,
        "seats": contest.seats,
        "max_turns": contest.max_turns,
        "seeds": contest.seeds,
        "until": None if contest.until is None else str(contest.until),
        "knockout": contest.knockout,
        "replays": contest.replays,
        "extensions": [],
        "time_control": asdict(contest.time_control),
        "bots": bots_record(contest),
        "skipped": [dict(item) for item in skipped],
        "unrepeatable": list(unrepeatable),
        "koth": __version__,
        "interpreters": dict(interpreters),
        "isolation": {
            "level": contest.isolation.level,
            "missing": list(contest.isolation.missing),
            "versions": dict(contest.isolation.versions),
        },
        "clock": "charged" if has_run_delay() else "wall",
        "machine": {"system": platform.platform(), "python": platform.python_version(), "cores": os.cpu_count()},
        "started": now(),
    }


LARGEST_RECORD = 1 << 26
"""The largest size of a record in bytes; a record has some hundred bytes per bot."""


def read_record(folder: Path) -> dict[str, Any]:
    """Return the `run.json` of a run's folder, checked against `SHAPE`. Raises KothError."""
    file = folder / RUN_FILE
    try:
        run = read_json(read_beneath(folder, RUN_FILE, LARGEST_RECORD))
    except OSError as error:
        raise KothError(f"{file}: {error.strerror}; {folder} is not the folder of a run") from None
    except ValueError as error:
        raise KothError(f"{file}: {error}") from None
    wrong = find_mismatch(run, SHAPE, "")
    if wrong:
        raise KothError(f"{file}: this koth can't read it as the record of a run: {wrong}")
    record: dict[str, Any] = run
    return record


def check_version(record: Mapping[str, Any], game: Game, where: Path | str) -> None:
    """Raise KothError if a run was started with another version of the game."""
    now, then = package_of(game), record["package"]
    if (record["version"], then["name"]) != (game.version, now["name"]):
        raise KothError(
            f"{where}: started with version {record['version']} of {game.name} ({then['name']} {then['version']}), "
            f"this koth has version {game.version} ({now['name']} {now['version']}): "
            "continue with that one, or start a new run"
        )


# --- the secrets: of the contest's first stage, and of each extension


def secret_file(stage: int) -> str:
    """Return the name of the file with a stage's secret, used until the run is over."""
    return f"{SECRET_FILE}-{stage}" if stage else SECRET_FILE


def keep_secret(folder: Path, secret: Secret, stage: int = 0) -> None:
    """Write the secret of a new stage to a file that only its owner can read. Raises KothError."""
    name = secret_file(stage)
    try:
        with write_beneath(folder, name, mode=0o600) as file:
            file.write(f"{secret}\n".encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise KothError(f"{folder / name}: {error.strerror}") from None


def stage_entry(record: Mapping[str, Any], stage: int) -> Mapping[str, Any]:
    """Return a stage's entry, with at least `commitment` and `secret`. Raises KothError without such a stage."""
    if stage == 0:
        return record
    if not 0 < stage <= len(record["extensions"]):
        raise KothError(f"the run's record has no extension {stage}")
    of_stage: Mapping[str, Any] = record["extensions"][stage - 1]
    return of_stage


def secret_of(folder: Path, record: Mapping[str, Any], stage: int = 0) -> Secret:
    """Return a stage's secret, from the record or the secret file. Raises KothError."""
    file, revealed = folder / secret_file(stage), stage_entry(record, stage)["secret"]
    try:
        return Secret.from_hex(revealed or read_beneath(folder, secret_file(stage), 1 << 10).decode("ascii").strip())
    except OSError as error:
        raise KothError(f"{file}: {error.strerror}: without its secret the run can't be continued") from None
    except ValueError as error:
        raise KothError(f"{file if revealed is None else folder / RUN_FILE}: no secret: {error}") from None


def secrets_of(folder: Path, record: Mapping[str, Any]) -> list[Secret]:
    """Return the secrets of all stages. Raises KothError."""
    return [secret_of(folder, record, stage) for stage in range(1 + len(record["extensions"]))]


def reveal_secrets(store: Store) -> None:
    """Write a finished run's keys to replays without a key, and the secrets to `run.json`; remove secret files.

    Raises KothError.
    """
    folder = store.folder
    record = read_record(folder)
    for seed_group, stage in store.keyless_groups().items():  # of these, some matches were not played
        store.reveal_key(seed_group, secret_of(folder, record, stage).key(seed_group))
    first, *others = map(str, secrets_of(folder, record))
    extensions = [{**entry, "secret": secret} for entry, secret in zip(record["extensions"], others, strict=True)]
    write_record(folder, {**record, "secret": first, "extensions": extensions})
    try:
        for stage in range(1 + len(others)):
            remove_beneath(folder, secret_file(stage))
    except OSError as error:
        raise KothError(f"{error.filename}: {error.strerror}") from None


def extend_record(
    record: Mapping[str, Any], contest: Contest, skipped: Sequence[Mapping[str, str]], unrepeatable: Sequence[str]
) -> dict[str, Any]:
    """Return the record of a run after an extension with more matches or other entrants."""
    began = {"matches": contest.matches, "commitment": contest.commitment, "secret": None, "started": now()}
    return {
        **record,
        "matches": contest.matches,
        "knockout": contest.knockout,
        "bots": bots_record(contest),
        "skipped": [dict(item) for item in skipped],
        "unrepeatable": list(unrepeatable),
        "extensions": [*record["extensions"], began],
    }


def now() -> str:
    """Return the current time in the format of records."""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def write_record(folder: Path, record: Mapping[str, Any], name: str = RUN_FILE) -> None:
    """Write a record to a file of the folder. Raises KothError."""
    try:
        with write_beneath(folder, name) as file:
            file.write(f"{json.dumps(record, indent=2)}\n".encode())
    except OSError as error:
        raise KothError(f"{folder / name}: {error.strerror}") from None
