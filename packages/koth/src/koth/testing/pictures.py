"""Laws on pictures: `draw.js`, which Node runs on the frames of a match, and the letters of `glyphs.py`.

Without Node.js these laws raise `unittest.SkipTest`, which pytest reports as a skipped test.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np

import koth
from koth.events import own_copy
from koth.games import GameError, default_glyphs, home
from koth.games.board_text import GROUND, board_text, glyphs_of, places_in_view
from koth.testing.cases import Case, begin, play, policy_of

Frame = dict[str, Any]
Change = tuple[int, list[str | int], int]
"""A frame's number, the path to one of its numbers, and another value for it."""

HERE = Path(koth.__file__).parent
STATIC = HERE / "viewer" / "static"
SCRIPTS = (
    *("testing/picture_laws.js", "testing/picture_pen.js", "viewer/static/eyes.js", "viewer/static/grid.js"),
    *("viewer/static/scene.js", "viewer/static/colors.js", "viewer/static/crowd.js"),
)
"""The scripts of the laws, and the viewer's files that they use: the scene for draw.js, and the fog of each bot."""
BANNED = (
    *("fetch", "XMLHttpRequest", "WebSocket", "Math.random", "Date", "performance", "setTimeout", "document"),
    *("window", "localStorage", "import", "innerHTML", "requestAnimationFrame"),
)
"""Names that a picture may not use, because pictures draw only the data that they get."""
SHOWN = 8
"""The largest number of a match's frames that are drawn, in runs of three."""
CHANGES = 40
"""The largest number of changes tried in each frame."""
COLOURS = ("ground", "dim", "green", "red", "yellow", "blue", "white")


def picture_file(case: Case) -> Path:
    """Return the game's `draw.js`, or the default picture."""
    try:
        file = home(case.game.name).folder / "draw.js"
    except GameError:
        return STATIC / "default-picture.js"
    return file if file.is_file() else STATIC / "default-picture.js"


def frames_of(case: Case) -> list[Frame]:
    """Return frames of a match: of the first, the middle and the last turns."""
    batch = begin(case, [case.seed])
    found = [{"turn": 0, **own_copy(case.game.frame(case.settings, batch.state, 0))}]

    def look(_: list[int]) -> None:
        found.append({"turn": batch.turn, **own_copy(case.game.frame(case.settings, batch.state, 0))})

    play(batch, policy_of(case, case.seed), case.turns, look)
    middle = range(max(len(found) // 2 - 1, 0), len(found) // 2 + 2)
    chosen = sorted({0, 1, 2, *middle, len(found) - 2, len(found) - 1})
    return [found[k] for k in chosen if 0 <= k < len(found)][:SHOWN]


def match_info_of(case: Case) -> dict[str, Any]:
    """Return the public match info."""
    return case.game.match_info(case.settings, begin(case, [case.seed]).state, 0, 0)


def changes_of(case: Case, frames: list[Frame]) -> list[Change]:
    """Return changes of the frames' numbers, each to the value that the same number has in another frame.

    A bot may know numbers that never change (walls, terrain) without seeing them.
    """
    dice, numbers, chosen = random.Random(case.seed), [dict(_numbers(frame)) for frame in frames], []
    for k, own in enumerate(numbers):
        found = [
            (k, list(path), other[path])
            for other in numbers
            for path, value in own.items()
            if len(path) > 1 and other.get(path, value) != value
        ]
        chosen += dice.sample(found, min(CHANGES, len(found)))
    return chosen


def _numbers(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yield the path to each integer in JSON values and arrays, and the integer."""
    if isinstance(value, dict | list | np.ndarray):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers(item, (*path, key))
    elif isinstance(value, int | np.integer) and not isinstance(value, bool):
        yield path, int(value)


def judge(case: Case, law: str, frames: list[Frame], changes: list[Change]) -> Any:
    """Return the results of one law of `picture_laws.js`. Raises AssertionError that names the picture's fault."""
    node = shutil.which("node")
    if node is None:
        raise SkipTest("no Node.js on the PATH (`node`), in which the laws on pictures run draw.js")
    picture = picture_file(case)
    request = {
        "law": law,
        "match": {
            "game": case.game.name,
            "version": case.game.version,
            "ruleset": "",
            "seed": str(case.seed),
            "settings": asdict(case.settings),
            "bots": [{"name": f"bot {seat}", "hash": "0"} for seat in range(case.seats)],
            "facts": match_info_of(case),
            "spec": case.game.frame_spec.as_json(),
        },
        "frames": frames,
        "arrays": [name for name, value in frames[0].items() if isinstance(value, np.ndarray)],
        "changes": changes,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for script in SCRIPTS:
            (folder / script).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(HERE / script, folder / script)
        shutil.copyfile(picture, folder / "viewer" / "static" / "draw.js")
        (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        line = json.dumps(request, default=np.ndarray.tolist)
        words = [node, str(folder / "testing" / "picture_laws.js")]
        done = subprocess.run(words, input=line, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{picture.name} can't be run: {_error_line(done.stderr)}"
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["broken"] is None, f"{picture.name}: {found['broken']}"
    return found["told"]


def _error_line(stderr: str) -> str:
    """Return the line of Node's output that names the error, with its position in draw.js."""
    lines = stderr.splitlines()
    error = next((line for line in lines if re.match(r"\w*Error", line)), stderr.strip()[-200:])
    place = re.search(r"draw\.js:(\d+)", stderr)
    return f"line {place[1]}: {error}" if place else error


def pictures_are_drawn(case: Case) -> None:
    """Check that pure code draws frames without errors or changes to them, each actor on its square."""
    code = re.sub(r"//.*|(?s:/\*.*?\*/)", "", picture_file(case).read_text(encoding="utf-8"))
    for word in BANNED:
        assert not re.search(rf"\b{re.escape(word)}\b", code), f"draw.js uses {word}"
    judge(case, "drawn", frames_of(case), [])


def pictures_keep_the_fog(case: Case) -> int:
    """Check that a change on squares that a bot does not see changes nothing in the picture for this bot.

    Return the number of such changes that were tried.
    """
    frames = frames_of(case)
    tried: int = judge(case, "fog", frames, changes_of(case, frames))
    return tried


def letters_keep_the_fog(case: Case) -> None:
    """Check that letters are on the board, and changes out of a bot's sight change no letter for the bot."""
    frames, match_info, picture = frames_of(case), match_info_of(case), _glyphs(case)
    wholes = [_letters(case, picture, frame, match_info) for frame in frames]
    spec = case.game.frame_spec
    if not spec.has_sight:
        return
    for number, path, value in changes_of(case, frames):
        frame, other = frames[number], _replace_number(frames[number], path, value)
        try:
            whole = _letters(case, picture, other, match_info)
        except Exception:  # a frame that was changed by chance may be one that can't be drawn
            continue
        places = {(x, y) for x, y, *_ in set(whole) ^ set(wholes[number])}
        for seat in range(case.seats):
            seen = places_in_view(picture, spec, frame, seat)
            if places and not places & seen and places_in_view(picture, spec, other, seat) == seen:
                texts = [board_text(case.game, one, match_info, seat) for one in (frame, other)]
                assert texts[0] == texts[1], (
                    f"turn {frame['turn']}: through the eyes of seat {seat}, {'.'.join(map(str, path))} shows where "
                    f"it does not see, at {sorted(places)}: only what everybody knows has the colour {GROUND!r}"
                )


def _glyphs(case: Case) -> Any:
    try:
        return glyphs_of(case.game.name)
    except GameError:
        return default_glyphs


def _letters(case: Case, picture: Any, frame: Frame, match_info: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the glyphs of a frame, checked against the document."""
    width, height, found = picture.glyphs(frame, match_info)
    for x, y, letter, colour in found:
        place = f"turn {frame['turn']}: the letter {letter!r} at {x}, {y}"
        assert (x, y) == (min(max(x, 0), width - 1), min(max(y, 0), height - 1)), (
            f"{place} is off the board of {width} x {height}"
        )
        assert [*letter] == [letter] * letter.isprintable(), f"{place} is not one printable character"
        known = colour in COLOURS if isinstance(colour, str) else 0 <= colour < case.seats
        assert known, f"{place} has the colour {colour!r}, not a seat or one of {', '.join(COLOURS)}"
    for seat in range(case.seats) if case.game.frame_spec.has_sight else ():
        seen = places_in_view(picture, case.game.frame_spec, frame, seat)
        off = [(x, y) for x, y in seen if not (0 <= x < width and 0 <= y < height)]
        assert not off, f"turn {frame['turn']}: seat {seat} sees {off[:3]}, off the board of {width} x {height}"
    return [tuple(glyph) for glyph in found]


def _replace_number(value: Any, path: list[str | int], new: int) -> Any:
    """Return the value with another number at a path; the rest is shared."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = _replace_number(value[path[0]], path[1:], new)
    return copy
