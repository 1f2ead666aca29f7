"""The commands and their arguments; the code that carries a command out is imported when the command runs.

`koth --help` and `koth run --help` must not wait for compilers, so neither NumPy nor Numba is imported here. Options
that several commands share are in `options`.
"""

# ruff: noqa: I001  # in the order in which `koth --help` lists their commands
from koth.cli.commands import hosts as hosts
from koth.cli.commands import watching as watching
from koth.cli.commands import authors as authors
from koth.cli.commands import reading as reading
from koth.cli.commands.group import cli as cli
