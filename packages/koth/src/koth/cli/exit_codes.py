"""The exit codes; docs/commands.md explains them."""

OK = 0
NO = 1
FAILED = 2
INCOMPLETE = 3
ALIKE = 4
BUG = 70
INTERRUPTED = 130
