"""`koth doctor`: the isolation of bots on this machine, its gaps, and how to close them."""

from __future__ import annotations

from koth.cli.screen import answer
from koth.sandbox.isolation import LEVELS
from koth.sandbox.levels import PROMISES, choose_level, try_level
from koth.session.cpu_clock import has_cpu_clocks


def doctor(as_json: bool) -> None:
    """Try every level of isolation and print what each level prevents bots from doing."""
    trials = [try_level(level) for level in reversed(LEVELS)]
    best = choose_level()
    levels = {
        trial.level: {"works": trial.works, "why": trial.why, "cure": trial.cure, "held": dict(trial.held)}
        for trial in trials
    }
    found = {
        "level": best.level,
        "missing": list(best.missing),
        "versions": dict(best.versions),
        "clock": "cpu" if has_cpu_clocks() else "wall",
        "levels": levels,
    }
    held = try_level(best.level).held if best.level != "none" else {}
    lines = [f"Bots run at isolation {best.level} here."]
    lines.append("  " + ", ".join(f"{name} {version}" for name, version in best.versions.items()))
    if not has_cpu_clocks():
        lines.append("Bots are charged wall time: this system does not report the CPU time of other processes.")
    if best.level != "none":
        lines += ["", "Enforced, as tested by probes:"]
        lines += [f"  yes  {text}" for name, text in PROMISES.items() if held.get(name)]
    if best.missing:
        lines += ["", "Not enforced:", *(f"  no   {text}" for text in best.missing)]
    for trial in trials:
        if not trial.works:
            lines += [
                "",
                f"{trial.level} is not available: {trial.why}",
                *([f"  {trial.cure}"] if trial.cure else []),
            ]
    answer(as_json, found, *lines)
