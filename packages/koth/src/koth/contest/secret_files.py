"""The secrets of a run's stages: until the run is over in files for the host only, then in the record."""

from __future__ import annotations

import os
from pathlib import Path

from koth.contest.record import Extension, RunRecord, read_record, stages_of, write_record
from koth.contest.store import Store
from koth.engine.secret import Secret
from koth.errors import KothError
from koth.files.beneath import read_beneath, remove_beneath, write_beneath
from koth.replay.names import RUN_FILE

SECRET_FILE = "secret"
"""The file of the first stage's secret, from which its dice follow."""


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


def secret_of(folder: Path, record: RunRecord, stage: int = 0) -> Secret:
    """Return a stage's secret, from the record or the secret file. Raises KothError."""
    file, revealed = folder / secret_file(stage), stages_of(record)[stage]["secret"]
    try:
        return Secret.from_hex(revealed or read_beneath(folder, secret_file(stage), 1 << 10).decode("ascii").strip())
    except OSError as error:
        raise KothError(f"{file}: {error.strerror}: without its secret the run can't be continued") from None
    except ValueError as error:
        raise KothError(f"{file if revealed is None else folder / RUN_FILE}: no secret: {error}") from None


def secrets_of(folder: Path, record: RunRecord) -> list[Secret]:
    """Return the secrets of all stages. Raises KothError."""
    return [secret_of(folder, record, stage) for stage in range(len(stages_of(record)))]


def reveal_secrets(store: Store) -> None:
    """Write a finished run's keys to replays without a key, and the secrets to `run.json`; remove secret files.

    Raises KothError.
    """
    folder = store.folder
    record = read_record(folder)
    secrets = secrets_of(folder, record)
    for seed_group, stage in store.keyless_groups().items():  # of these, some matches were not played
        if not 0 <= stage < len(secrets):
            raise KothError(f"{store.file}: a match is of an extension {stage}, which there is not")
        store.reveal_key(seed_group, secrets[stage].key(seed_group))
    pairs = zip(record["extensions"], map(str, secrets[1:]), strict=True)
    extensions: list[Extension] = [{**entry, "secret": secret} for entry, secret in pairs]
    write_record(folder, {**record, "secret": str(secrets[0]), "extensions": extensions})
    try:
        for stage in range(len(secrets)):
            remove_beneath(folder, secret_file(stage))
    except OSError as error:
        raise KothError(f"{error.filename}: {error.strerror}") from None
