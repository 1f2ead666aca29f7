"""`koth verify`: checks that replays follow from the rules and answers, and results from the replays."""

from __future__ import annotations

import sys
from typing import NoReturn

from koth.cli.compiling import open_game
from koth.cli.exit_codes import NO, OK
from koth.cli.screen import counted, echo, print_json, waiting
from koth.errors import visible
from koth.hill.opening import is_match, open_matches, open_replay
from koth.replay.reader import Replay
from koth.services.verify import verify, verify_file


def print_verification(word: str, as_json: bool, seconds: float) -> NoReturn:
    """Print whether a replay, or all matches of a contest, agree with the record, and end with the exit code."""
    is_ok = _verify_replay(word, as_json, seconds) if is_match(word) else _verify_contest(word, as_json, seconds)
    sys.exit(OK if is_ok else NO)


def _verify_replay(word: str, as_json: bool, seconds: float) -> bool:
    with open_replay(word) as path:
        open_game(Replay(path, seconds).header["game"])
        with waiting(f"playing {path.name} again"):
            difference = verify_file(path, seconds)
    if as_json:
        print_json({"replay": word, "ok": difference is None, "difference": difference})
    else:
        echo(f"{word}: {'verified, everything agrees' if difference is None else visible(difference)}")
    return difference is None


def _verify_contest(word: str, as_json: bool, seconds: float) -> bool:
    with open_matches(word) as reader:
        open_game(reader.plan()["game"])
        with waiting(f"playing the matches of {reader.title} again"):
            found = verify(reader, seconds)
    if as_json:
        differences = [{"what": part.what, "difference": part.difference} for part in found.differences]
        told = {"run": word, "ok": found.ok, "matches": found.matches, "differences": differences}
        print_json(told)
        return found.ok
    for part in found.differences:
        echo(f"{word}: {part.what}: {visible(part.difference)}")
    if found.ok:
        unknown = ": its secret is not revealed yet" if found.is_committed else ""
        until = "" if found.is_over else f" (it is not over{unknown})"
        echo(f"{word}: verified, {counted(found.matches, 'match', 'matches')}{until}")
    return found.ok
