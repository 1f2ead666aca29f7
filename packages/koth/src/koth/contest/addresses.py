"""Hosts in addresses: whether other machines can reach one, and its form before a port."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Return whether only processes of this machine can reach this host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def format_host(host: str) -> str:
    """Return a host in the form that is written before a port."""
    return f"[{host}]" if ":" in host else host
