"""A replay in the terminal (`koth watch`), with keys; as plain text if output goes to a file or a pipe."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from koth.errors import visible
from koth.games import GameError, error_in_package
from koth.games.board_text import glyphs_of, glyphs_on, ground_of, legend_text, only_seen, seen_places, spec_of
from koth.games.default_glyphs import NoBoard
from koth.replay.names import SUFFIX
from koth.replay.reader import DAMAGE, Moment, Replay, ReplayError
from koth.seat_labels import seat_letters
from koth.viewer.drawn import LEGEND as DRAWN
from koth.viewer.drawn import drawn_beside, with_drawings
from koth.viewer.keyboard import HELP, Player, pressed_keys, raw_terminal
from koth.viewer.letters import RESET, Glyph, Ink, board_lines, standing_lines, too_small, values_of, window
from koth.viewer.order import Falls, ranked
from koth.viewer.palette import field_of, places_of
from koth.viewer.restored import with_frames
from koth.viewer.summary import PART, last_turn, read_match

Style = tuple[int | None, bool, bool, bool]
PLAIN_STYLE: Style = (None, False, False, False)
"""Focus, eyes, close-up, help: the way to show a board."""

PICTURES = 25
"""The most pictures per second; faster speeds skip turns."""
LOOKS_AGAIN = 0.7
"""Seconds between checks of a match that is still being played."""

SQUARES, TEAMS = 1 << 24, 1 << 16
"""The most squares of a board that is shown, and the most teams."""
PAGE = 78
"""Characters of a line of plain text."""


def picture_of(game: str) -> Any:
    """Return the game's module `glyphs`, or the default one without it. Raises ReplayError for an unknown game."""
    try:
        return glyphs_of(game)
    except GameError:
        raise ReplayError(f"a replay of '{visible(game)}', a game that this koth does not have") from None


def file_of(path: Path) -> Path:
    """Return the current path of a replay, which ends in `.part` while it is being written."""
    part = path.with_name(path.name + PART)
    return part if not path.exists() and part.exists() else path


class Film:
    """A replay's turns, one at a time, read forwards without reading any twice."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.replay = Replay(with_frames(file_of(path)))
        self.header = self.replay.header
        result = read_match(path.name, path).result
        self.last = int(result["turns"]) if result else max((m.turn for m in self.replay.turns()), default=-1)
        if self.last < 0:
            raise ReplayError(f"{path}: cut before the first frame")
        self.whole = result is not None
        self.falls = Falls()
        self._reel: Iterator[Moment] = iter(())
        self._now: Moment | None = None

    def grow(self) -> None:
        """Read the turns written since; a whole replay does not change."""
        if self.whole:
            return
        last = last_turn(file_of(self.path))
        if last is None or last <= self.last:
            self.whole = read_match(self.path.name, self.path).result is not None
            return
        self.replay, self.last, self._now = Replay(file_of(self.path)), last, None

    def at(self, turn: int) -> Moment:
        """Return the frame after `turn` turns (the last one, if there are fewer)."""
        turn = min(max(turn, 0), self.last)
        if self._now is None or not self._now.turn <= turn <= self._now.turn + 64:
            self._reel = self.replay.turns(turn)
            self._now = next(self._reel)
        while self._now.turn < turn:
            self._now = next(self._reel)
        return self._now


class Screen:
    """The layout of frames as lines of a screen."""

    def __init__(self, film: Film, ink: Ink) -> None:
        self.film = film
        self.ink = ink
        self.picture = picture_of(film.header["game"])
        self.spec = spec_of(film.header["game"])
        self.names = [visible(bot["name"]) for bot in film.header["bots"]]
        self._bots = [bot["name"] for bot in film.header["bots"]]
        self._field = field_of(film.replay.path)
        self._legend: Mapping[str, str] = getattr(self.picture, "LEGEND", {})
        name = film.path.name.removesuffix(SUFFIX)
        self._drawn = drawn_beside(film.path, name, self._bots) if film.whole else {}

    def lines(self, turn: int, status: str, columns: int, rows: int, look: Style = PLAIN_STYLE) -> list[str]:
        """Return the board, the standings beside it (or under it), and a line with the turn."""
        if look[3]:
            legend = {**self._legend, **(DRAWN if self._drawn else {})}
            signs = ["", *(f"{sign:<6} {meaning}" for sign, meaning in legend.items())]
            return [f"{self._head(turn)} · {status}"[:columns], "", *(line[:columns] for line in [*HELP, *signs])][
                :rows
            ]
        with self._readable(turn):
            return self._board(turn, status, columns, rows, look)

    def _board(self, turn: int, status: str, columns: int, rows: int, look: Style) -> list[str]:
        focus, eyes, close_up, _ = look
        width, height, glyphs, names, values = self._seen(turn, focus, eyes)
        rows -= 1
        side = min(max(columns // 3, 30 if "A" in self._legend else 28), 44)
        if columns >= 72 and rows >= 4:
            room = columns - side - 2
            if close_up or too_small(width, height, room, rows):
                width, height, glyphs = window(width, height, glyphs, room, rows, self._color(focus))
            board = board_lines(width, height, glyphs, room, rows, self.ink, self._ground(eyes))
            table = self._table(turn, names, values, side, rows)
            lines = self._beside(table, board, side, rows)
        else:
            fits = width <= columns and height <= rows - 2  # as letters, with at least the best bot
            room = min(max(rows // 4, 1), rows - height if fits else rows)
            table = self._table(turn, names, values, columns, room)
            board = board_lines(
                width, height, glyphs, columns, max(rows - len(table), 1), self.ink, self._ground(eyes)
            )
            lines = board + table
        return [f"{self._head(turn)} · {status}"[:columns], *lines[:rows]]

    def page(self, turn: int) -> list[str]:
        """Return board and standings one below the other in full length, for a file or a pipe."""
        with self._readable(turn):
            width, height, glyphs, names, values = self._seen(turn)
            table = self._table(turn, names, values, PAGE, len(names) + 1)
            board = board_lines(width, height, glyphs, 2 * width, height, self.ink, self._ground())
            return [self._head(turn), *table, *board, legend_text(self.picture)]

    def _table(
        self, turn: int, names: Sequence[str], values: Mapping[str, Sequence[float]], columns: int, rows: int
    ) -> list[str]:
        """Return the standings, with the letters of bots that have one on the board."""
        seats = range(len(self.names)) if "A" in self._legend else ()
        letters = [seat_letters(seat)[-1] for seat in seats]
        film = self.film
        until = film.falls.until(film.replay, film.at(turn))
        order = ranked(values, until, is_over=film.whole and turn >= film.last, bots=len(self.names))
        return standing_lines(names, values, columns, rows, self.ink, self._places(len(names)), letters, order)

    def _ground(self, eyes: bool = False) -> str:
        """Return the letter of empty squares; with `eyes`, unseen squares stay blank."""
        return " " if eyes and self.spec.has_sight else ground_of(self.picture)

    def _head(self, turn: int) -> str:
        cut = "" if self.film.whole else " (no result)"
        return f"{self.film.header['game']} · turn {turn} of {self.film.last}{cut}"

    def _color(self, seat: int | None) -> int | None:
        return None if seat is None else self._places(len(self._bots))[seat]

    @contextmanager
    def _readable(self, turn: int) -> Iterator[None]:
        """Convert errors from invalid frames in this context to one line. Raises ReplayError."""
        try:
            yield
        except (*DAMAGE, StopIteration, ZeroDivisionError) as error:
            if (of_game := error_in_package(error)) is not None:
                raise ReplayError(f"{self.film.path}, turn {turn}: {of_game}") from error
            raise ReplayError(f"{self.film.path}: the frame of turn {turn} is invalid ({error!r:.80})") from error

    def _seen(
        self, turn: int, focus: int | None = None, eyes: bool = False
    ) -> tuple[int, int, list[Glyph], list[str], Mapping[str, Sequence[float]]]:
        """Return width, height, glyphs, names and values of a turn; with `eyes` as seen by the bot in focus."""
        frame, match_info = self.film.at(turn).frame, self.film.header.get("facts", {})
        try:
            width, height, glyphs = glyphs_on(self.picture, frame, match_info)
        except NoBoard as error:
            raise ReplayError(str(error)) from None
        if not 0 < width * height <= SQUARES or not all(c < TEAMS for *_, c in glyphs if isinstance(c, int)):
            raise ValueError(f"a board of {width} x {height} squares, or too many teams on it")
        if eyes and focus is not None and self.spec.has_sight:
            seen = seen_places(self.picture, self.spec, frame, focus)
            glyphs = only_seen(glyphs, seen, focus, self._ground())
        elif focus is not None:
            glyphs = [(x, y, letter, "dim" if isinstance(c, int) and c != focus else c) for x, y, letter, c in glyphs]
        own = [one for one in self._drawn.get(turn, ()) if focus in (None, one[0])]
        glyphs = with_drawings((width, height, glyphs), own, self.picture, frame.get("wraps", self.spec.wraps))
        places = self._places(max([len(self._bots), *(c + 1 for *_, c in glyphs if isinstance(c, int))]))
        colored = [(x, y, _letter(t), places[c] if isinstance(c, int) else c) for x, y, t, c in glyphs]
        if hasattr(self.picture, "columns"):
            names, values = self.picture.columns(frame, self.names)
            return width, height, colored, [visible(name) for name in names], values
        values = values_of(frame, len(self.names)) or {"score": [0] * len(self.names)}
        return width, height, colored, self.names, values

    def _places(self, teams: int) -> list[int]:
        """Return the numbers of the teams' colours."""
        return places_of(self._bots, self._field, teams)

    def _beside(self, table: list[str], board: list[str], side: int, rows: int) -> list[str]:
        """Return two columns as lines; the left one is padded by moving the cursor, because escapes have no width."""
        place = f"\x1b[{side + 3}G" if self.ink.depth else "  "
        blank = " " * (0 if self.ink.depth else side)
        left = table + [blank] * (rows - len(table))
        right = board + [""] * (rows - len(board))
        return [a + place + b if b else a for a, b in zip(left, right, strict=False)]


def _letter(text: str) -> str:
    """Return a single printable letter for a square: a stranger's frame may hold any text."""
    return text if len(text) == 1 and text.isprintable() else "?"


def watch(path: Path, speed: float = 10.0, start: int = 0) -> None:
    """Play a replay in the terminal from turn `start`, `speed` turns per second.

    Written to a file or a pipe it is plain text: the board and the standings at `start` or, without it, at the end.
    Raises ReplayError when the replay can't be watched.
    """
    film = Film(path)
    if sys.stdout.isatty() and sys.stdin.isatty() and os.name == "posix":
        _play(film, speed, min(start, film.last))
        return
    turn = min(start, film.last) if start else film.last
    print("\n".join(Screen(film, Ink(0)).page(turn)))


def terminal_size(terminal: int) -> os.terminal_size:
    """Return the terminal's current columns and rows; 80 and 24 where it reports 0."""
    size = os.get_terminal_size(terminal)  # COLUMNS and LINES do not follow a resize
    return os.terminal_size((size.columns or 80, size.lines or 24))


def _play(film: Film, speed: float, turn: int) -> None:
    """Run the interactive player until q or Ctrl-C."""
    depth = 24 if os.environ.get("COLORTERM") in ("truecolor", "24bit") else 8
    screen = Screen(film, Ink(0 if os.environ.get("NO_COLOR") else depth))
    player = Player(film.last, speed, turn, screen.names, screen.spec.has_sight)
    with raw_terminal() as out:
        shown: object = None
        again = time.monotonic() + LOOKS_AGAIN
        while not player.left:
            size = terminal_size(sys.stdout.fileno())
            now = (player.turn, player.status, size, player.look, film.last)
            if now != shown:
                lines = screen.lines(player.turn, player.status, size.columns, size.lines, player.look)
                _show(out, lines, size.lines)
                shown = now
            for key in pressed_keys(1 / PICTURES):
                player.press(key)
            player.pass_time(time.monotonic())
            if not film.whole and time.monotonic() >= again:
                film.grow()
                player.grown(film.last)
                again = time.monotonic() + LOOKS_AGAIN


def _show(out: TextIO, lines: list[str], rows: int) -> None:
    """Overwrite the screen in one write, which avoids flicker."""
    # Erase each line before writing it: after a full line the cursor is still on its last character.
    whole = [*lines, *[""] * (rows - len(lines))]
    out.write("\x1b[?2026h\x1b[H" + "\r\n".join(f"{RESET}\x1b[K{line}" for line in whole) + f"{RESET}\x1b[?2026l")
    out.flush()
