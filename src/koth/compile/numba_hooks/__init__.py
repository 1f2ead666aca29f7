"""Hooks into undocumented parts of Numba, for koth's own kernels only; other code is not affected.

Each hook is kept because removing it alone costs 10 % of a first compilation, or of play; its docstring has the
figure. `KNOWN` are the versions of Numba with which all of them were tested: with others nothing here is imported.
"""

PIPELINE = frozenset({"0.68.0", "0.68.1"})
"""The versions that `pipeline.py` knows."""
DISPATCH = frozenset({"0.68.0", "0.68.1"})
"""The versions that `dispatch.py` knows."""

KNOWN = PIPELINE & DISPATCH
