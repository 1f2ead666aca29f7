"""koth: an arena for king-of-the-hill bot contests.

    run = koth.run(GAME, {"mine": "my_bot", "other": "@SAMPLE", "idea": function}, matches=20)
    print(run.standings)
    run.matches[0].show()

Names are imported when they are first used: `import koth` is quick.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if os.name != "posix":
    raise ImportError("koth needs Linux or macOS; on Windows it runs in WSL2")
if TYPE_CHECKING:
    from koth.api import *  # noqa: F403  (the names of its `__all__`)

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    from importlib import import_module
    from importlib.util import find_spec

    if not name.startswith("_") and find_spec(f"koth.{name}") is None:
        api = import_module("koth.api")
        if name in api.__all__:
            return getattr(api, name)
        extras = import_module("koth.extras")
        if name in extras.PACKAGES:
            raise AttributeError(f"koth_{name} is a package of its own: {extras.install_command(name)}")
    raise AttributeError(f"module 'koth' has no attribute {name!r}")
