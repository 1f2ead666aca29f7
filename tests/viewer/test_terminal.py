"""Replays in the terminal: as text, by keys, and on a real screen."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from koth.errors import visible
from koth.frame import visible_squares
from koth.games import GAMES, load
from koth.games.board_text import glyphs_on
from koth.replay.reader import Moment, Replay, ReplayError
from koth.viewer.keyboard import keys_of
from koth.viewer.letters import PLAIN, Ink, board_lines, standing_lines, values_of
from koth.viewer.order import Falls, ranked
from koth.viewer.palette import places_of, team_colour
from koth.viewer.terminal import Film, Player, Screen, _show, terminal_size, watch
from tests.viewer.recording import record, small_zombies

KOTH = [sys.executable, "-c", "from koth.cli import main; main()"]
NO_INK = Ink(0)
GLYPHS = [(0, 0, "A", 0), (3, 0, "z", "green"), (1, 2, "B", 1)]


def test_letters_have_room_between_them_where_there_is_room() -> None:
    assert board_lines(4, 3, GLYPHS, 80, 20, NO_INK) == ["A . . z ", ". . . . ", ". B . . "]
    assert board_lines(4, 3, GLYPHS, 7, 20, NO_INK) == ["A..z", "....", ".B.."]


def test_without_colours_a_large_board_is_cut() -> None:
    assert board_lines(4, 3, GLYPHS, 3, 2, NO_INK) == ["A..", "..."]


def test_a_board_that_does_not_fit_becomes_half_blocks() -> None:
    lines = board_lines(4, 3, GLYPHS, 4, 2, Ink(24))
    assert [re.sub("\x1b[^m]*m", "", line) for line in lines] == ["▀  ▀", " ▀  "]


def test_a_huge_board_shrinks_until_it_fits() -> None:
    glyphs = [(139, 139, "A", 0), (0, 0, "B", 1)]
    lines = [re.sub("\x1b[^m]*m", "", line) for line in board_lines(140, 140, glyphs, 40, 12, Ink(24))]
    assert all(len(line) <= 40 for line in lines)
    assert len(lines) <= 12
    assert lines[0][0] == "▀"
    assert lines[-1].rstrip()[-1] in "▀▄"


def test_two_squares_share_a_character() -> None:
    (line,) = board_lines(1, 2, [(0, 0, "A", 0), (0, 1, "B", 1)], 1, 1, Ink(24))
    upper, lower = team_colour(0), team_colour(1)
    colour = "{};{};{}"
    assert f"38;2;{colour.format(*upper)}m" in line
    assert f"48;2;{colour.format(*lower)}m" in line


def test_bots_have_their_colours_in_the_contest() -> None:
    field = ["ann", "bob", "cid", "dan"]
    assert places_of(["dan", "bob"], field) == [3, 1]
    assert places_of(["dan", "bob"], field, 4) == [3, 1, 4, 5]
    assert places_of(["dan", "bob"], []) == [0, 1]
    assert places_of(["dan", "eve"], field, 3) == [3, 4, 5]
    lines = standing_lines(["dan", "bob"], {"score": [2, 1]}, 30, 9, Ink(24), places_of(["dan", "bob"], field))
    assert "38;2;{};{};{}m".format(*team_colour(3)) in lines[1]


def test_standings_share_ranks_and_cut_names() -> None:
    values = {"score": [7, 9, 7], "alive": [3, 2, 3], "shots": [0, 5, 1]}
    lines = standing_lines(["Ann", "Bob", "a very long name indeed"], values, 34, 10, NO_INK)
    assert lines == [
        "  # bot          score alive shots",
        "  1 Bob              9     2     5",
        "  2 a very long…     7     3     1",
        "  2 Ann              7     3     0",
    ]


def test_a_column_without_room_is_left_out_and_ranks_as_if_it_were_shown() -> None:
    values = {"score": [7, 9, 7], "alive": [1, 2, 3]}
    names = ["Ann", "Bob", "a very long name indeed"]
    wide, narrow = (standing_lines(names, values, columns, 10, NO_INK) for columns in (28, 24))
    assert wide == [
        "  # bot          score alive",
        "  1 Bob              9     2",
        "  2 a very long…     7     3",
        "  3 Ann              7     1",
    ]
    assert narrow == [
        "  # bot            score",
        "  1 Bob                9",
        "  2 a very long n…     7",
        "  3 Ann                7",
    ]


def test_later_deaths_rank_before_earlier_ones() -> None:
    values = {"score": [0, 0, 0, 0], "alive": [0, 2, 0, 1], "shots": [9, 0, 1, 0]}
    assert ranked(values, [3, 8, 5, 8]) == [(1, 1), (3, 2), (2, 3), (0, 4)]
    assert ranked(values, [5, 8, 5, 8]) == [(1, 1), (3, 2), (0, 3), (2, 3)]
    assert ranked(values, [3, 8, 5, 8], is_over=True) == [(1, 1), (3, 1), (2, 1), (0, 1)]
    assert ranked(values, [3, 8, 5, 8], bots=3) == [(1, 1), (3, None), (2, 2), (0, 3)]


def falls_by_turn(moments: Iterable[Moment]) -> list[list[int]]:
    """The last turn in which somebody of each row lived, as of every turn."""
    last: dict[int, int] = {}
    expected = {}
    for moment in moments:
        last |= {row: moment.turn for row, count in enumerate(moment.frame["alive"]) if count}
        expected[moment.turn] = [last.get(row, 0) for row in range(len(moment.frame["alive"]))]
    assert len(set(expected[max(expected)])) > 1
    return list(expected.values())


def test_when_bots_fell_is_found_at_any_turn(replay: Path) -> None:
    film, falls = Film(replay), Falls()
    expected = falls_by_turn(Replay(replay).turns())
    for turn in (0, 300, 5, 127, 128, 129, 299, 12, 90):
        assert falls.until(film.replay, film.at(turn)) == expected[turn]


def test_when_bots_fell_is_found_behind_an_opening(tmp_path: Path) -> None:
    """No unit lives before the opening of aliens; one bot never has any, because its points are not legal."""
    game = load("aliens")
    path = tmp_path / "aliens.koth.gz"
    record(path, game, next(iter(game.rulesets.values())), ["Ann", "Bob", "Cid", "Dan"], 130)
    replay = Replay(path)
    moments = list(replay.turns())
    assert [moment.turn for moment in moments[:3]] == [0, 0, 1]
    expected, falls = falls_by_turn(moments), Falls()
    for moment in [*moments[-1:], *moments[1:]]:
        assert falls.until(replay, moment) == expected[moment.turn]


class Scripted:
    """A replay with an opening, in which row r is alive up to turn `falls[r]`; `asked`: from where it was read."""

    def __init__(self, falls: Sequence[int], last: int) -> None:
        self.falls, self.last = falls, last
        self.asked: list[int] = []

    def at(self, turn: int) -> Moment:
        return Moment(turn, {"alive": [int(turn <= fall) for fall in self.falls]}, [], None)

    def turns(self, start: int = 0) -> Iterator[Moment]:
        self.asked.append(start)
        before = [Moment(0, {"alive": [0] * len(self.falls)}, [], None)] if start == 0 else []
        return iter([*before, *map(self.at, range(start, self.last + 1))])


def test_falls_beside_the_borders_of_pieces_are_found_and_nothing_is_read_twice() -> None:
    fell = (-1, 0, 126, 127, 128, 255, 256, 290)
    falls, replay = Falls(), Scripted(fell, last=300)
    for turn in (300, 128, 0, 299, 257, 1):
        now = replay.at(turn)
        assert falls.until(cast(Replay, replay), now) == [min(max(fall, 0), turn) for fall in fell]
    assert sorted(replay.asked) == [0, 128, 128, 256, 256], "the start of each but the first, and each once"


def test_a_list_called_alive_that_is_not_by_bot_is_ignored() -> None:
    now = Moment(turn=3, frame={"score": [2, 5], "alive": [1, 1, 0]}, questions=[], hash=None, steps=[])
    assert Falls().until(cast(Replay, None), now) is None


def test_what_a_match_has_grown_by_is_read() -> None:
    falls = Falls()
    for last in (0, 20, 140, 200):
        now = Scripted((10, 135, 190), last)
        assert falls.until(cast(Replay, now), now.at(last)) == [min(fall, last) for fall in (10, 135, 190)]


def test_wide_characters_keep_the_columns() -> None:
    lines = standing_lines(["猫猫", "dog"], {"score": [2, 1]}, 20, 10, NO_INK)
    assert lines[1:] == ["  1 猫猫           2", "  2 dog            1"]


def test_values_are_the_frames_lists_of_a_number_per_bot() -> None:
    frame = {"alive": [1, 2], "score": [0, 0.5], "side": 9, "shots": [[1, 2], [3, 4]], "flags": [True, False]}
    assert list(values_of(frame, 2)) == ["score", "alive"]


def test_names_can_not_steer_the_terminal() -> None:
    assert visible("a\x1b[2Jb\u202ec\r\n") == r"a\x1b[2Jb\u202ec\r\n"


def test_the_film_gives_any_turn_in_any_order(replay: Path) -> None:
    film = Film(replay)
    expected = {turn.turn: turn.frame for turn in Replay(replay).turns()}
    assert film.last == 300
    for turn in (0, 300, 5, 6, 127, 128, 129, 128, 299, 12, 90):
        moment = film.at(turn)
        assert moment.turn == turn
        assert moment.frame["x"].tolist() == expected[turn]["x"].tolist()
    assert film.at(10_000).turn == 300


def test_a_cut_film_ends_where_it_is_cut(replay: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.koth.gz"
    cut.write_bytes(replay.read_bytes()[:-2000])
    film = Film(cut)
    assert not film.whole
    assert 128 < film.last < 300
    assert film.at(film.last).turn == film.last


def test_a_replay_of_an_unknown_game_is_refused(replay: Path) -> None:
    film = Film(replay)
    film.header["game"] = "ludo\x07"
    with pytest.raises(ReplayError, match=r"'ludo\\x07'"):
        Screen(film, NO_INK)


@pytest.mark.parametrize(("columns", "rows"), [(200, 60), (100, 30), (71, 20), (40, 10), (20, 5)])
def test_the_screen_is_never_overfull(replay: Path, columns: int, rows: int) -> None:
    for ink in (Ink(24), Ink(8)):
        lines = Screen(Film(replay), ink).lines(100, "paused", columns, rows)
        assert len(lines) <= rows
        for line in lines:
            table, _, board = re.sub("\x1b[^mG]*m", "", line).partition("\x1b")
            indent, _, board = board.partition("G")
            width = len(table) if not board else int(indent.lstrip("[")) - 1 + len(board)
            assert width <= columns, line


def test_a_terminal_that_does_not_know_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((0, 0)))
    assert terminal_size(1) == (80, 24)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((100, 0)))
    assert terminal_size(1) == (100, 24)


def test_keys() -> None:
    player = Player(last=100, speed=10, turn=20)
    player.pass_time(5.0)
    player.pass_time(6.0)
    assert player.turn == 30
    player.press(" ")
    player.pass_time(7.0)
    assert (player.turn, player.playing) == (30, False)
    turns = []
    for key in ("right", "left", "left", "up", "down", "end", "right", "home", "left"):
        player.press(key)
        turns.append(player.turn)
    assert turns == [31, 30, 29, 39, 29, 100, 100, 0, 0]
    player.press("+")
    assert player.speed == 15
    player.press("-")
    player.press("-")
    assert player.speed == 4
    player.press("?")
    assert not player.left
    player.press("q")
    assert player.left


def test_keys_that_come_at_once_are_taken_one_by_one() -> None:
    assert keys_of("be\x1b[C\x1bOA\x1b[1~\x1b") == ["b", "e", "right", "up", "home", "\x1b"]
    player = Player(last=100, speed=10, turn=20, bots=["Ann", "Zoë"])
    for key in keys_of("/zoë\r"):
        player.press(key)
    assert player.focus == 1


def test_without_fog_no_eyes_are_promised() -> None:
    seeing, blind = (Player(last=9, speed=1, turn=0, bots=["Ann"], fog=fog) for fog in (True, False))
    for player in (seeing, blind):
        player.press("e")
    assert "eyes of Ann" in seeing.status
    assert "no eyes in this game" in blind.status


def test_it_stops_at_the_end_and_starts_over() -> None:
    player = Player(last=10, speed=1000, turn=0)
    player.pass_time(0.0)
    player.pass_time(1.0)
    assert (player.turn, player.playing) == (10, False)
    player.press(" ")
    assert (player.turn, player.playing) == (0, True)


def test_into_a_pipe_it_is_plain_text(replay: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watch(replay, start=100)
    text = capsys.readouterr().out
    assert "\x1b" not in text
    lines = text.splitlines()
    side = next(Replay(replay).turns()).frame["side"]
    assert lines[0] == "zombies · turn 100 of 300"
    assert len(lines) == 1 + 4 + side + 1
    assert lines[-1] == "A a player, by its bot's letter  z a zombie  # a body"
    assert r"<b>bold</b>\u202egnp.exe\x07\n" in text


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[str]:
    """A terminal of 120 x 40 characters; gives the name of its socket."""
    socket = str(tmp_path / "tmux")
    yield socket
    subprocess.run(["tmux", "-S", socket, "kill-server"], capture_output=True, check=False)


@pytest.mark.needs("tmux")
def test_on_a_real_screen(replay: Path, screen: str) -> None:
    tmux = ["tmux", "-S", screen]
    command = shlex.join([*KOTH, "watch", str(replay)]) + "; echo left; cat"
    subprocess.run([*tmux, "-f", "/dev/null", "new-session", "-d", "-x120", "-y40", command], check=True)

    def shown() -> str:
        return subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True, check=True).stdout

    def until(pattern: str) -> str:
        deadline = time.monotonic() + 60
        while not re.search(pattern, shown()):
            assert time.monotonic() < deadline, shown()
            time.sleep(0.05)
        return shown()

    def press(*keys: str) -> None:
        subprocess.run([*tmux, "send-keys", *keys], check=True)

    until("turn [1-9][0-9]* of 300")
    press("Space")
    until("paused")
    press("G")
    text = until("turn 300 of 300")
    assert "Runner" in text
    press("Left", "Left", "Up")
    until("turn 300 of 300")
    press("Down")
    until("turn 290 of 300")
    subprocess.run([*tmux, "resize-window", "-x50", "-y20"], check=True)
    until("(?s)turn 290.*Runner")
    press("q")
    assert "turn" not in until("left")


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_letters(name: str, tmp_path: Path) -> None:
    game = load(name)
    seats = game.contest_defaults.table or max(2, game.seats.start)
    path = tmp_path / "one.koth.gz"
    record(path, game, next(iter(game.rulesets.values())), [f"bot {seat}" for seat in range(seats)], 3)
    film = Film(path)
    screen = Screen(film, Ink(24))
    for turn in range(film.last + 1):
        width, height, glyphs = screen.picture.glyphs(film.at(turn).frame, film.header["facts"])
        assert glyphs
        for x, y, letter, colour in glyphs:
            assert 0 <= x < width
            assert 0 <= y < height
            assert len(letter) == 1
            assert letter.isprintable()
            assert colour in PLAIN or colour in range(seats)
        assert any("bot 0" in line for line in screen.lines(turn, "paused", 120, 40))
        assert all("\x1b" not in line for line in Screen(film, NO_INK).page(turn))


def test_numbers_of_a_frames_arrays_are_places_and_colours_as_pythons_are() -> None:
    def glyphs(frame: Mapping[str, Any], match_info: Mapping[str, Any]) -> tuple[int, int, list[Any]]:
        return 3, 1, [(x, 0, "A", x) for x in frame["x"]]

    found = glyphs_on(SimpleNamespace(glyphs=glyphs), {"x": np.arange(2)}, {})
    assert board_lines(*found, 6, 1, Ink(24)) == board_lines(3, 1, [(0, 0, "A", 0), (1, 0, "A", 1)], 6, 1, Ink(24))


def test_through_eyes_unseen_squares_are_empty_and_bots_have_their_letters(tmp_path: Path) -> None:
    game = load("zombies")
    path = tmp_path / "one.koth.gz"
    record(path, game, small_zombies(game), ["Ann", "Bob"], 3)
    screen = Screen(Film(path), NO_INK)
    _, _, glyphs, *_ = screen._seen(2, 1, eyes=True)
    rows, columns = visible_squares(game.frame_spec, screen.film.at(2).frame, 1).nonzero()
    assert {(x, y) for x, y, *_ in glyphs} == set(zip(columns.tolist(), rows.tolist(), strict=True))
    assert any(letter == "." for _, _, letter, _ in glyphs)
    lines = screen.lines(2, "", 200, 60, (1, True, False, False))
    assert any(re.search(r"\d [AB] (Ann|Bob) ", line) for line in lines)
    assert any(
        line.startswith("z ") and "a zombie" in line for line in screen.lines(2, "", 80, 24, (1, True, False, True))
    )


def test_a_full_line_keeps_its_last_character() -> None:
    """Behind it the cursor still stands on that character, so nothing is erased there."""
    out = io.StringIO()
    _show(out, ["x" * 9, "y" * 9], 4)
    written = out.getvalue()
    assert not re.search("[xy](?:\x1b\\[0m)?\x1b\\[[KJ]", written)
    assert written.count("\x1b[K") == 4
    assert written.count("\r\n") == 3


def test_letters_come_before_standings_where_room_is_short(replay: Path) -> None:
    film = Film(replay)
    side = film.at(0).frame["side"]
    lines = Screen(film, Ink(24)).lines(0, "", side + 2, side + 3)
    text = [re.sub("\x1b[^m]*m", "", line) for line in lines]
    assert len(text) == side + 3
    assert "▀" not in "".join(text)
    assert text[-2].split()[:2] == ["#", "bot"]
