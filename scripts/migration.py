"""make migration: write the hill's one migration again, from its models."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.core.management import call_command

import koth_hill
from koth_hill.connection import Hill, set_up

FILE = Path(koth_hill.__file__).parent / "migrations" / "0001_initial.py"
TITLE = '"""The tables of a hill, as makemigrations writes them from the models."""'


def main() -> None:
    """Remove the migration, and make it anew."""
    with tempfile.TemporaryDirectory() as folder:
        set_up(Hill(Path(folder), "zombies"))
        FILE.unlink(missing_ok=True)
        call_command("makemigrations", "hill", "--name", "initial")
    _, _, rest = FILE.read_text(encoding="utf-8").partition("\n")
    FILE.write_text(f"{TITLE}\n{rest}", encoding="utf-8")


if __name__ == "__main__":
    main()
