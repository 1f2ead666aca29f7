"""Changes to Numba that make koth's own kernels compile and start faster."""
