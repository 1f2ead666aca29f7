"""What koth's own kernels take of Numba beside its documented names; nobody else's code is touched.

Each hook stands here because taking it alone away costs 10 % of a first compilation, or of play; the figure is told
beside it. `KNOWN` are the versions of Numba that all of them were tried with: with others nothing here is imported.
"""

PIPELINE = frozenset({"0.68.0", "0.68.1"})
"""The versions that `pipeline.py` knows."""
DISPATCH = frozenset({"0.68.0", "0.68.1"})
"""The versions that `dispatch.py` knows."""

KNOWN = PIPELINE & DISPATCH
