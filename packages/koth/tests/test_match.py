"""One match: what bots are sent, which are asked, and that nothing hangs on the outside world."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.engine.secret import Key, Secret, key_of
from koth.errors import KothError
from koth.game import Observations, TimeControl
from koth.games import load
from koth.match import BotReport, Hosting, Watching, play
from koth.replay.reader import Replay
from koth.replay.verify import verify
from koth.rng import derive
from koth.session.local import InlineBot
from tests.session.arena import GAME, PATIENT, SETTINGS, good_bot, json_bot, match, python_bot


def walks(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"action": (observations.fields["clock"] + observations.fields["number"]) % 9}


def test_the_match_info_of_a_bot(tmp_path: Path) -> None:
    told: list[Mapping[str, Any]] = []

    def listens(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        told.append(match_info)
        return {}

    play(
        GAME,
        SETTINGS,
        [InlineBot("a", walks), InlineBot("b", listens)],
        7,
        Hosting(ruleset="original", time_control=TimeControl(question=3)),
    )
    match_info = told[0]
    assert all(other == match_info for other in told)
    assert [match_info[key] for key in ("game", "ruleset", "seat", "names", "seconds")] == [
        "zombies", "original", 1, ["a", "b"], 3,
    ]  # fmt: skip
    assert match_info["seed"] == key_of(7).bot(1, 1)
    assert match_info["players"] == SETTINGS.players


def test_three_ways_to_talk_are_one_match(tmp_path: Path) -> None:
    """Inline, a Python class and JSON lines answer alike: the same boards, byte for byte."""
    source = """
    names = "NORTHWEST NORTH NORTHEAST EAST STAY WEST SOUTHEAST SOUTH SOUTHWEST".split()
    for q in questions():
        moves = {p["number"]: names[(q["clock"] + p["number"]) % 9] for p in q["players"]}
        say({"ask": q["ask"], "moves": moves})
    """
    boards = []
    for number, bot in enumerate((InlineBot("me", walks), good_bot(tmp_path), json_bot(tmp_path, source, "me"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        result, replay = match([bot, InlineBot("other", walks)], folder)
        assert not result.records[bot.name].faults
        boards.append(
            [
                (turn.turn, turn.hash, [{**ask, "who": ask["who"].tolist()} for ask in turn.questions])
                for turn in replay.turns()
            ]
        )
    assert boards[0] == boards[1] == boards[2]


def test_the_same_seed_is_the_same_file(tmp_path: Path) -> None:
    random = "from random import choice\nfrom koth.games.zombies.bot import Move\nclass Me:\n"
    random += "    def do_turn(self, context): return choice([*{*Move}])\n"
    files = []
    for name in ("first", "again"):
        (tmp_path / name).mkdir()
        entrants = [good_bot(tmp_path), python_bot(tmp_path, random, "dice")]
        _, replay = match(entrants, tmp_path / name)
        files.append(replay.path.read_bytes())
    assert files[0] == files[1]


FAILS = """
import os

class Me:
    def do_turn(self, context):
        if context.game_clock == 4:
            os._exit(1)
        1 / (context.id.number % 2)
"""


def test_faults_are_played_again_alike(tmp_path: Path) -> None:
    seen = []
    for name in ("first", "again", "once more"):
        (tmp_path / name).mkdir()
        result, replay = match([python_bot(tmp_path, FAILS, "fails"), good_bot(tmp_path)], tmp_path / name)
        fault_reports = result.records["fails"].fault_reports
        assert sorted(fault_reports) == ["crash", "error", "illegal"]
        told = [(t.kind, t.turn, t.text, t.asked, t.end, t.count) for t in fault_reports.values()]
        seen.append((replay.path.read_bytes(), told))
    assert seen[0] == seen[1] == seen[2]


def test_a_bot_without_units_is_not_asked(tmp_path: Path) -> None:
    asked: dict[str, list[int]] = {"a": [], "b": []}

    def listens(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        asked[match_info["names"][match_info["seat"]]].append(int(observations.fields["clock"][0]))
        return {}

    result = play(GAME, SETTINGS, [InlineBot("a", listens), InlineBot("b", listens)], 1)
    for name, turns in asked.items():
        assert turns == list(range(len(turns)))
        assert len(turns) == result.scores[name] + 1
    assert result.turns == max(len(turns) for turns in asked.values()) + 1


def test_an_error_inline_is_the_callers(tmp_path: Path) -> None:
    def breaks(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        play(GAME, SETTINGS, [InlineBot("a", breaks), good_bot(tmp_path)], 1, Hosting(time_control=PATIENT))


def test_on_turn_is_called_after_each_turn(tmp_path: Path) -> None:
    turns: list[int] = []
    result = play(GAME, SETTINGS, [InlineBot("a", walks)], 1, watching=Watching(on_turn=turns.append))
    assert turns == list(range(1, result.turns + 1))


def test_a_note_is_its_authors_alone(tmp_path: Path) -> None:
    bot = json_bot(tmp_path, "for q in questions(): say(stay(q, note={'seen': len(q['players'])}))")
    result, replay = match([bot, InlineBot("b", walks)], tmp_path)
    assert result.records["bad"].notes[0] == (1, {"seen": 3})
    assert result.records["b"].notes == []
    assert b"seen" not in gzip.decompress(replay.path.read_bytes())
    assert np.isfinite(list((replay.result or {})["scores"].values())).all()


def test_notes_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.match.NOTES", 30)
    record = BotReport()
    for turn in range(20):
        record.note(turn, "ten bytes")
    assert record.notes == [(0, "ten bytes"), (1, "ten bytes")]


# --- what nobody may know


def test_match_info_does_not_reveal_the_dice() -> None:
    """A bot knows its own seed and how everything is derived; the match's dice are not seed that it can come to.

    It tries the seeds that contests are likely to be begun with, as whatever it has been told could be derived.
    """
    told: list[int] = []
    dice: list[int] = []

    def listens(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        told.append(match_info["seed"])
        return {}

    drawn = Secret.draw()
    for key in (drawn.key(1), drawn.key(2)):
        play(GAME, SETTINGS, [InlineBot("a", listens), InlineBot("b", walks)], key, watching=Watching(max_turns=1))
        dice.append(key.dice)
    for own in told:
        for guess in range(1000):
            match_seed = derive(guess, "match", 1)
            assert derive(match_seed, "bot", 0) != own
            assert match_seed not in dice
            assert Secret.from_seed(guess).key(1).bot(1, 0) != own
        assert not {own, derive(own, "dice"), key_of(own).dice} & set(dice)
    assert len(set(told)) == len(set(dice)) == 2


def test_a_block_reveals_its_own_dice_and_nothing_else() -> None:
    secret = Secret.from_seed(42)
    keys = [secret.key(block) for block in range(1, 51)]
    assert len({key.dice for key in keys}) == len({str(key) for key in keys}) == 50
    assert Key.from_hex(str(keys[3])).dice == keys[3].dice
    assert len({keys[0].bot(match, seat) for match in range(1, 10) for seat in range(9)}) == 81
    for key in keys:
        assert Secret(key.data).key(1) not in keys  # a key taken for a secret leads nowhere
        assert Secret(key.data).commitment != secret.commitment
    assert "secret" not in repr(secret).replace("Secret", "")
    assert str(keys[0]) not in repr(keys[0])


def test_a_secret_is_repeatable_committed_to_and_mixed() -> None:
    assert Secret.from_seed(42) == Secret.from_seed(42) != Secret.from_seed(43)
    assert Secret.from_option("AB" * 16) == Secret.from_hex("ab" * 16)
    assert Secret.draw() != Secret.draw()
    secret = Secret.draw()
    assert Secret.from_hex(str(secret)).commitment == secret.commitment
    assert len(secret.commitment) == 64
    assert secret.mix(["b", "a"]) == secret.mix(["a", "b"]) != secret.mix(["a", "c"])
    for text in ("", "12", "g" * 32, str(secret).upper() + "A"):
        with pytest.raises(ValueError, match="32 hex digits"):
            Secret.from_hex(text)


def test_a_trial_keeps_its_turns_without_questions(tmp_path: Path) -> None:
    """Two species that set no legal points are dead from the start, and the prey live on."""
    game = load("aliens")
    settings = replace(game.rulesets["published"], instances=2, rounds=60)
    path = tmp_path / "trial.koth.gz"

    def dies(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"points": np.float32(99)} if observations.question.name == "points" else {}

    dead = [InlineBot("a", dies), InlineBot("b", dies)]
    assert play(game, settings, dead, 1).turns == 60
    assert play(game, settings, dead, 1, Hosting(replay=path), Watching(max_turns=7)).turns == 7
    replay = Replay(path)
    assert [turn.turn for turn in replay.turns()][-1] == 7
    assert verify(game, replay, settings) is None


def test_a_match_for_one_bot_ends_when_that_is_out(tmp_path: Path) -> None:
    """It is dead, or has no body left; without such a wish its rivals play on."""
    dies = json_bot(tmp_path, "for q in questions():\n    1 / (q['clock'] - 2)\n    say(stay(q))")
    other = InlineBot("b", walks)
    whole = play(GAME, SETTINGS, [dies, other], 1, Hosting(time_control=PATIENT))
    short = play(GAME, SETTINGS, [dies, other], 1, Hosting(time_control=PATIENT), Watching(only_for="bad"))
    assert (whole.turns > 3, whole.was_left) == (True, False)
    assert (short.turns, short.was_left) == (3, True)
    assert short.records["bad"].faults == whole.records["bad"].faults
    assert (
        play(GAME, SETTINGS, [dies, other], 1, Hosting(time_control=PATIENT), Watching(only_for="b")).turns
        == whole.turns
    )


def test_equal_names_are_refused() -> None:
    """Scores are by name: one of two would be lost."""
    bots = [InlineBot("a", walks), InlineBot("a", walks), InlineBot("b", walks)]
    with pytest.raises(KothError, match="2 bots of this match are called a: give each its own name"):
        play(GAME, SETTINGS, bots, 7)
