"""Readers of options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from koth.discovery.interpreters import Interpreters
from koth.services.options import Cluster


class HostOptions(TypedDict):
    """Options of what the host gives bots: programs for words of their commands, and places that they may read."""

    interpreters: dict[str, str]
    allow_read: tuple[Path, ...]


class ClusterOptions(TypedDict):
    """The address of a cluster, and the files of its TLS."""

    cluster: str | None
    tls_ca_file: str | None
    tls_cert: str | None
    tls_key: str | None


def interpreters(options: HostOptions) -> Interpreters:
    """Return the host's programs and readable places for bots, from the options. Raises BotError."""
    return Interpreters.given(options["interpreters"], options["allow_read"])


def cluster_of(options: ClusterOptions | Mapping[str, Any]) -> Cluster | None:
    """Return the cluster that the options name, if they do."""
    if options["cluster"] is None:
        return None
    tls = options["tls_ca_file"] or "", options["tls_cert"] or "", options["tls_key"] or ""
    return Cluster(address=options["cluster"], tls_ca_file=tls[0], tls_cert=tls[1], tls_key=tls[2])
