"""The command `koth` as `python -m koth`."""

from koth.cli import main

main()
