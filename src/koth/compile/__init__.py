"""Compilation of kernels: caching, SIMD copies, and the same functions without a compiler."""
