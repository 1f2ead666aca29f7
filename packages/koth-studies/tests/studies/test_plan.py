"""A study's file that can't be used: one line names the file, the key and the valid choices."""

from __future__ import annotations

import pytest

from tests.studies.conftest import TABLES, Place

WRONG = {
    "an unknown key": ("round = 2", TABLES, "round: there is no such key; did you mean rounds? (there are: "),
    "no table": ("", "", "games: at least one table [games.NAME] is expected"),
    "a game": ("", "[games.chess]", "there is no game 'chess'"),
    "a key of a game": ("", "[games.zombies]\nseats = 2", "games.zombies.seats: there is no such key"),
    "a setting": ("", "[games.zombies.settings]\nwide = 2", "zombies has no setting 'wide'"),
    "a number": (
        "",
        "[games.zombies]\nmatches = 0",
        "games.zombies.matches must be a whole number from 1",
    ),
    "a text for a number": ("jobs = '2'", TABLES, "jobs must be a whole number from 1 to 256, not '2'"),
    "a number for a path": ("allow_read = [5]", TABLES, "allow_read[0] must be a text, not 5"),
    "a text for paths": ("allow_read = 'x'", TABLES, "allow_read must be a list of texts, not 'x'"),
    "both plans": ("", "[games.zombies]\nmatches = 2\nround_robin = 1", "leave out games.zombies.matches"),
    "a type": ("untrusted = 1", TABLES, "untrusted must be true or false, not 1"),
    "a budget": ("", TABLES.replace("timeout", "time"), "budget.time: there is no such key; did you mean timeout?"),
    "a time": (
        "",
        TABLES.replace("20m", "30 minutes"),
        "budget.timeout: '30 minutes' is not a time: a whole number",
    ),
    "a word": (
        "withhold = ['films']",
        TABLES,
        "withhold: 'films' (there are: replays, standings, why, ",
    ),
    "an author": (
        "authors.a.comand = 'true'",
        TABLES,
        "authors.a.comand: there is no such key; did you mean command?",
    ),
    "no command": ("[authors.a]", TABLES, "authors.a.command: a value is expected"),
    "a name": ("[authors.'a b']", TABLES, "authors.a b: a name is a letter, then up to 39 letters"),
    "a seed": ("untrusted = true", TABLES, "the seed 5 can be guessed"),
    "TOML": ("rounds = ", TABLES, "Invalid value"),
    "two tables": ("", "[games.metalman]", "bots would meet at tables of 4, some pairs more often than others"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_key_is_told(what: str, place: Place) -> None:
    keys, tables, said = WRONG[what]
    file = place.write(keys, tables, ann="true", yard2="true")
    line = place.koth.refused("study", file)
    assert line.startswith(f"{file}: ")
    assert said in line


def test_a_yardstick_and_an_author_have_different_names(place: Place) -> None:
    line = place.koth.refused("study", place.write(yard="true"))
    assert "games.zombies: yard is the name of an author, and of a yardstick or the game's own" in line


def test_a_program_that_is_missing_is_told_before_the_study_begins(place: Place) -> None:
    file = place.write(ann="if true; then true; fi", ben="KEY=1 an-agent --print x; true")
    assert place.koth.refused("study", file) == f"{file}: authors.ben: an-agent: there is no such program"
    assert not (place.folder / "trial" / "study.json").exists()
    place.write(ann="true", ben="true")
    assert place.try_to_play().code == 0


def test_a_file_that_is_none_is_told(place: Place) -> None:
    assert "there is no such file; a study's file is called NAME.toml" in place.koth.refused("study", "nothing.toml")
