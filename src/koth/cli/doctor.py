"""`koth doctor`: the isolation of bots on this machine, what is missing, and how to make it stronger."""

from __future__ import annotations

from koth.cli.screen import print_json
from koth.sandbox.isolation import LEVELS
from koth.sandbox.levels import PROMISES, choose_level, try_level


def doctor(as_json: bool) -> None:
    """Try every level of isolation and print what each keeps from bots."""
    trials = [try_level(level) for level in reversed(LEVELS)]
    best = choose_level()
    if as_json:
        shown = {
            "level": best.level,
            "missing": list(best.missing),
            "versions": dict(best.versions),
            "levels": {
                trial.level: {"works": trial.works, "why": trial.why, "cure": trial.cure, "held": dict(trial.held)}
                for trial in trials
            },
        }
        print_json(shown)
        return
    print(f"Bots run at isolation {best.level} here.")
    print("  " + ", ".join(f"{name} {version}" for name, version in best.versions.items()))
    held = try_level(best.level).held
    if best.level != "none":
        print("\nEnforced, as tested by probes:")
        for name, text in PROMISES.items():
            if held.get(name):
                print(f"  yes  {text}")
    if best.missing:
        print("\nNot enforced:")
        for text in best.missing:
            print(f"  no   {text}")
    better = [trial for trial in trials if not trial.works]
    for trial in better:
        print(f"\n{trial.level} is not available: {trial.why}")
        if trial.cure:
            print(f"  {trial.cure}")
