"""Tests of aliens."""
