"""Compilation of kernels: caching, SIMD copies, and the same functions without a compiler."""

import numba

COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""False if `NUMBA_DISABLE_JIT=1` requests plain Python."""
