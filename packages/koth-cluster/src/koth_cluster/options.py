"""Options of a machine that joins a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from koth.services.options import BotOptions, JobsOptions


@dataclass(frozen=True, kw_only=True)
class WorkerOptions(BotOptions, JobsOptions):
    """Options of a machine that plays matches for a cluster's contests."""
