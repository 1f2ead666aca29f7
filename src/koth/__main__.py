"""`python -m koth` is the program `koth`."""

from koth.cli import main

main()
