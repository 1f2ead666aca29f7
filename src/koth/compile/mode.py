"""The mode in which kernels run: plain Python, Numba through its documented API only, or Numba with hooks."""

from __future__ import annotations

import os

import numba

from koth.compile.numba_hooks import KNOWN

COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""False if `NUMBA_DISABLE_JIT=1` requests plain Python."""

HOOKS = COMPILED and os.environ.get("KOTH_NUMBA_HOOKS") != "0" and numba.__version__ in KNOWN
"""True if kernels are compiled through `numba_hooks`: only with versions of Numba that the hooks support, and not
with `KOTH_NUMBA_HOOKS=0`. Results are the same without hooks."""
