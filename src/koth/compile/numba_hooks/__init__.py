"""Hooks into undocumented parts of Numba, for koth's own kernels only; other code is not affected.

Each hook is kept because removing only this hook costs at least 10 % of a first compilation, or of play; the hook's
docstring has the figure. With other versions of Numba than `KNOWN` nothing here is imported.
"""

KNOWN = frozenset({"0.68.0", "0.68.1"})
"""The versions of Numba with which all hooks were tested."""
