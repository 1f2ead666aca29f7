"""The machine that figures are measured on, and the yardstick beside them: this core's speed of copying memory."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

import numpy as np


def name() -> str:
    """The processor, the number of cores that may be used, the system and Python."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def memory_bandwidth(size: int = 1 << 27) -> float:
    """Bytes per second that one core copies, from an array of `size` bytes (default: far beyond the caches)."""
    source = np.ones(size, np.uint8)
    target = np.zeros_like(source)
    best = float("inf")
    for _ in range(max(5, (1 << 28) // size)):
        start = time.process_time()
        np.copyto(target, source)
        best = min(best, time.process_time() - start) or best
    return source.size / best
