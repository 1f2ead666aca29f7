"""Matches of koth's contests on a Dask cluster (`docs/clusters.md`)."""
