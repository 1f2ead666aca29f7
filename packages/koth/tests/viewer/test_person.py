"""A person is a bot like the others: shown what they are shown, recorded as they are, gone as they go."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.engine.batch import Batch
from koth.frame import apply_fog
from koth.games import load
from koth.match import Watching, play
from koth.replay.reader import Replay
from koth.replay.verify import verify
from koth.session.local import InlineBot
from koth.viewer.person import NotLegal, Person, Refused
from tests.trials import PLAYABLE, trial
from tests.viewer.scripted_person import Example, Page, play_with

TURNS = 12


def settings_of(name: str) -> Any:
    return next(iter(load(name).rulesets.values()))


@pytest.mark.parametrize("name", PLAYABLE)
def test_the_page_is_sent_the_messages_of_a_bot_in_its_seat_and_the_frames_through_its_eyes(
    name: str, tmp_path: Path
) -> None:
    game, file = load(name), tmp_path / "match.koth.gz"
    person, _ = play_with(game, settings_of(name), file, turns=TURNS)
    again = Rerun(game, Replay(file), "Ann")
    protocol = again.open_protocol(RecordedBot("json"))
    expected = [orjson.dumps({"spec": game.frame_spec.as_json()}), protocol.hello(again.match_info)]
    for moment in again.exchanges():
        whole = {"turn": moment.turn - 1, **game.frame(again.settings, moment.state, 0)}
        known = apply_fog(game.frame_spec, whole, again.seat)
        expected += [
            orjson.dumps({"frame": known}, option=orjson.OPT_SERIALIZE_NUMPY),
            protocol.ask(moment.observations),
        ]
    assert len(expected) >= 12
    if name in ("zombies", "aliens"):  # no squares are remembered
        expected[2:-2:2] = [b"{}"] * (len(expected) // 2 - 2)
    assert person.messages == [*expected, protocol.bye([])]


@pytest.mark.parametrize("name", PLAYABLE)
def test_a_persons_match_verifies(name: str, tmp_path: Path) -> None:
    game, file = load(name), tmp_path / "match.koth.gz"
    settings = trial(name).short
    person, result = play_with(game, settings, file)
    assert verify(game, Replay(file), settings) is None
    assert Replay(file).header["bots"][0] == {"name": "Ann", "hash": "person"}
    assert result.records["Ann"].faults == {}
    assert not person.gone


@pytest.mark.parametrize("name", PLAYABLE)
def test_who_goes_away_is_gone_and_the_match_goes_on(name: str, tmp_path: Path) -> None:
    game, file = load(name), tmp_path / "match.koth.gz"
    person, result = play_with(game, trial(name).short, file, questions=3, patience=0.5)
    assert person.gone
    assert result.turns > 3
    assert result.records["Ann"].faults == {"closed": 1}
    assert "not opened again" in result.records["Ann"].fault_reports["closed"].text
    assert verify(game, Replay(file), trial(name).short) is None


def test_a_match_that_was_not_begun_waits_however_long_the_page_is_closed() -> None:
    game = load("zombies")
    settings = settings_of("zombies")
    person = Person("Ann", game.protocols["json"](settings, 1), game.frame_spec, patience=0.01)
    batch = Batch(game, settings, 1, [0])
    match_info = {"seat": 0, **game.match_info(settings, batch.state, 0, 0)}
    starting = threading.Thread(target=person.seat, args=(game, settings, 1, match_info), daemon=True)
    person.page_seen()
    starting.start()
    starting.join(0.2)
    assert starting.is_alive()
    assert not person.gone
    person.receive(b'{"ready": true}')
    starting.join(60)
    assert not person.gone


def test_who_opens_the_page_again_in_time_goes_on(tmp_path: Path) -> None:
    game = load("zombies")
    protocol = Example(game.protocols["json"](settings_of("zombies"), 1))
    person = Person("Ann", protocol, game.frame_spec, 30)

    def close_and_open(ask: dict[str, Any]) -> None:
        Page(person, protocol.stay).start()

    Page(person, close_and_open).start()
    result = play(game, settings_of("zombies"), [person], 3, watching=Watching(max_turns=5))
    assert result.records["Ann"].faults == {}
    assert not person.gone


def test_what_can_not_be_read_is_refused_and_the_question_stays_open(tmp_path: Path) -> None:
    refused: list[str] = []

    def try_everything(ask: dict[str, Any]) -> dict[str, Any]:
        person = pages[0]
        number = ask["ask"]
        wrong: list[bytes] = [b"\xff", b"{", b"[]", b'{"ask": 10000, "move": "N"}', b'{"ask": 0, "move": "N"}']
        for message in [*wrong, json.dumps({"ask": number}).encode(), json.dumps({"ask": number - 1}).encode()]:
            with pytest.raises(Refused) as refusal:
                person.receive(message)
            refused.append(str(refusal.value))
        return {"move": "X"}  # legal whatever walls there are

    pages: list[Person] = []
    game = load("pacman")
    settings = settings_of("pacman")
    person = Person("Ann", game.protocols["json"](settings, 2), game.frame_spec)
    pages.append(person)
    page = Page(person, try_everything)
    page.start()
    result = play(
        game,
        settings,
        [person, InlineBot("other", lambda observations, match_info: {})],
        3,
        watching=Watching(max_turns=2),
    )
    page.join(10)
    assert len(refused) >= 7
    assert any("not UTF-8" in text for text in refused)
    assert result.records["Ann"].faults == {}


def test_an_answer_that_is_no_action_is_a_fault_as_for_any_bot(tmp_path: Path) -> None:
    _, result = play_with(
        load("pacman"), settings_of("pacman"), tmp_path / "match.koth.gz", act=lambda ask: {"move": "Q"}, turns=2
    )
    record = result.records["Ann"]
    assert set(record.faults) == {"illegal"}
    assert "'Q' is not a move" in record.fault_reports["illegal"].text


def test_illegal_answers_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time the question is sent again; a page may send illegal answers as fast as it can."""
    game, settings = load("pacman"), settings_of("pacman")
    batch, protocol = Batch(game, settings, 2, [5]), game.protocols["json"](settings, 2)
    person = Person("Ann", protocol, game.frame_spec)
    protocol.hello(game.match_info(settings, batch.state, 0, 0))
    assert batch.observations is not None
    person.put(batch.observations.rows(0, 1), batch)
    size = len(b"".join(person.messages))
    monkeypatch.setattr("koth.viewer.person.are_legal", lambda *_: np.zeros(1, bool))
    for number in range(1, 101):
        with pytest.raises(NotLegal):
            person.receive(b'{"ask": %d, "move": "X"}' % number)
    assert len(b"".join(person.messages)) < size + 1000
    assert json.loads(person.messages[-1])["ask"] == 101


def test_an_answer_without_a_question_is_refused() -> None:
    person = Person("Ann", load("pacman").protocols["json"](settings_of("pacman"), 2), load("pacman").frame_spec)
    with pytest.raises(Refused):
        person.receive(b'{"ask": 1, "move": "N"}')
    person.leave()
    with pytest.raises(Refused, match="goes on without you"):
        person.receive(b'{"ready": true}')


def test_no_waiting_once_the_person_has_left() -> None:
    game, settings = load("pacman"), settings_of("pacman")
    person = Person("Ann", game.protocols["json"](settings, 2), game.frame_spec)
    starting = threading.Thread(target=person.seat, args=(game, settings, 2, {"seat": 0}), daemon=True)
    starting.start()
    person.leave()
    starting.join(10)
    assert not starting.is_alive()
    assert person.fault_reports["closed"].text == "left the match"
