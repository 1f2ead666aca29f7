"""`koth verify`: a check that replays follow from the rules and answers, and results from the replays."""

from __future__ import annotations

import sys
from typing import NoReturn

from koth.cli.compiling import open_game
from koth.cli.exit_codes import NO, OK
from koth.cli.screen import answer, counted, waiting
from koth.errors import visible
from koth.replay.reader import Replay
from koth.services.opening import is_match, open_matches, open_replay
from koth.services.verify import verify, verify_file


def print_verification(path: str, as_json: bool) -> NoReturn:
    """Print whether a replay, or all matches of a contest, agree with the record, and end with the exit code."""
    is_ok = _verify_replay(path, as_json) if is_match(path) else _verify_contest(path, as_json)
    sys.exit(OK if is_ok else NO)


def _verify_replay(word: str, as_json: bool) -> bool:
    with open_replay(word) as path:
        open_game(Replay(path).header["game"])
        with waiting(f"playing {path.name} again"):
            difference = verify_file(path)
    text = "verified, everything agrees" if difference is None else visible(difference)
    answer(as_json, {"replay": word, "ok": difference is None, "difference": difference}, f"{word}: {text}")
    return difference is None


def _verify_contest(word: str, as_json: bool) -> bool:
    with open_matches(word) as reader:
        open_game(reader.plan()["game"])
        with waiting(f"playing the matches of {reader.title} again"):
            found = verify(reader)
    lines = [f"{part.what}: {visible(part.difference)}" for part in found.differences]
    if found.ok:
        unknown = ": the secret is not revealed yet" if found.is_committed else ""
        until = "" if found.is_over else f" (the contest is not over{unknown})"
        lines = [f"verified, {counted(found.matches, 'match', 'matches')}{until}"]
    shown = {"run": word, "ok": found.ok, "matches": found.matches, "differences": [*map(vars, found.differences)]}
    answer(as_json, shown, *(f"{word}: {line}" for line in lines))
    return found.ok
