"""Protocols of lines: what is said until a last word, and the whole talk of every protocol that people can read."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.batch import Batch
from koth.game import Constants, Field, Question
from koth.games import GAMES, load
from koth.match import play
from koth.plain import Match, PlainGame
from koth.protocol.bot_protocol import Fault, Ready, Reply
from koth.protocol.lines import LinesProtocol
from koth.protocol.schema import game_schema
from koth.services.talk import Spoken, talk_of


@dataclass(frozen=True)
class Settings(Constants):
    pass


class Duel(Match[Settings]):
    """Seat 1 is out after turn 1, the match over after turn 3."""

    score: list[int]
    sent: list[list[int]]

    def reset(self) -> None:
        self.score, self.sent = [0, 0], [[], []]

    def step(self, actions: Any) -> None:
        for seat, action in actions.items():
            self.score[seat] += sum(action["to"])

    def is_alive(self, seat: int) -> bool:
        return seat == 0 or self.turn < 1

    def is_over(self) -> bool:
        return self.turn >= 3


class Orders(LinesProtocol):
    """Orders until GO, a question to koth, comments."""

    ready = last = "GO"
    bye_when_out = True

    def opening(self) -> str:
        return f"names {' '.join(self.info['names'])}\nready"

    def question(self, seen: Any) -> str:
        return "go"

    def parse_line(self, line: str) -> Any:
        if line.startswith("#"):
            return None
        if line == "who?":
            return Reply(b"koth\n")
        _, number = line.split()
        return int(number)

    def answer(self, parts: list[Any]) -> Any:
        if len(parts) > 3:
            raise ValueError("too many orders")
        return Fault("flood", "four") if 4 in parts else {"to": parts}

    def answer_text(self, answer: Any) -> str:
        return "\n".join(f"to {number}" for number in answer["to"])

    def closing(self, scores: Any) -> str:
        return f"end {' '.join(map(str, scores))}"


class DuelGame(PlainGame):
    name, title, seats, match, dice, default_entrants = "duel", "Duel", range(2, 3), Duel, False, ()
    rulesets = {"standard": Settings()}  # noqa: RUF012
    protocols = {"text": Orders, **PlainGame.protocols}  # noqa: RUF012

    def questions(self, settings: Any, seats: int) -> dict[str, Question]:
        answer = {"count": Field("u1", high=5), "to": Field("u1", (5,), ragged="count", high=9)}
        return {"order": Question("order", {}, answer, max_rows=seats)}


GAME = DuelGame()


def asked() -> tuple[Orders, Any]:
    """A protocol that has asked its first question, and the question's observations."""
    batch = Batch(GAME, Settings(), 2, [1])
    protocol, rows = Orders(Settings(), 2), batch.observations.rows(0, 1)
    assert protocol.hello({"names": ["a", "b"]}) == b"names a b\nready\n"
    assert isinstance(protocol.decode(b"noise"), Fault)
    assert isinstance(protocol.decode(b" go\r"), Ready)
    assert protocol.ask(rows) == b"go\n"
    return protocol, rows


@pytest.mark.parametrize(
    ("lines", "given"),
    [
        ("go", []),
        ("to 7; # comment; to  9;GO", [7, 9]),
        ("to 1;who?;go", [1]),
        ("to 1;to x;to 2;go", [1, 2]),
    ],
)
def test_lines_until_the_last_word_are_an_answer(lines: str, given: list[int]) -> None:
    protocol, rows = asked()
    *early, last = [protocol.decode(line.encode()) for line in lines.split(";")]
    kinds = {"who?": Reply(b"koth\n"), "to x": Fault("garbage", early[1].text, ends=False) if "x" in lines else None}
    assert early == [kinds.get(line, Reply(b"")) for line in lines.split(";")[:-1]]
    assert last.fields["to"][0, : last.fields["count"][0]].tolist() == given
    assert not last.has_faults
    written = protocol.encode_answer(1, rows, last.fields)
    protocol.ask(rows)
    assert [protocol.decode(line.encode()) for line in written.split("\n")][-1].fields["to"].tolist() == (
        last.fields["to"].tolist()
    )


@pytest.mark.parametrize(
    ("lines", "kind", "text"),
    [("to 1;to 1;to 1;to 1", "garbage", "too many orders"), ("to 4", "flood", "four")],
)
def test_a_wrong_answer_is_a_fault(lines: str, kind: str, text: str) -> None:
    protocol, _ = asked()
    for line in lines.split(";"):
        assert protocol.decode(line.encode()) == Reply(b"")
    assert protocol.decode(b"go") == Fault(kind, text)


def test_the_answer_is_checked_as_json_is() -> None:
    protocol, _ = asked()
    protocol.decode(b"to 77")
    answer = protocol.decode(b"go")
    assert list(answer.row_faults()) == [("illegal", "to[0] must be a whole number in 0..9, not 77")]


BOT = """
import sys
print("go", flush=True)
for line in sys.stdin:
    print("got", line.strip(), file=sys.stderr)
    if line == "go\\n":
        print("to 2\\nto nobody\\ngo", flush=True)
    if line.startswith("end"):
        break
"""


def test_the_last_message_has_the_scores_and_comes_when_a_bot_is_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, "duel", __name__)
    bots = []
    for name in ("stays", "leaves"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(BOT)
        (tmp_path / name / "koth.toml").write_text('command = "python bot.py"\n')
        bots.append(load_bot(GAME, tmp_path / name, Interpreters(sys.executable)))
    result = play(GAME, Settings(), bots, 1)
    read = {name: record.stderr.decode().split("got ")[1:] for name, record in result.records.items()}
    assert [line.strip() for line in read["stays"]] == ["names stays leaves", "ready", "go", "go", "go", "end 6 2"]
    assert [line.strip() for line in read["leaves"]] == ["names stays leaves", "ready", "go", "end 2 2"]
    assert {name: record.faults for name, record in result.records.items()} == {
        "stays": {"garbage": 3},
        "leaves": {"garbage": 1},
    }


def test_the_talk_of_a_protocol_of_lines() -> None:
    assert list(talk_of(GAME, "standard", Settings(), 2, "text")) == [
        Spoken(False, "hello", "names bot1 bot2\nready"),
        Spoken(True, "ready", "GO"),
        Spoken(False, "order", "go"),
        Spoken(True, "order", "GO"),
        Spoken(False, "bye", "end 0 0"),
    ]


@pytest.mark.parametrize("name", GAMES)
def test_the_talk_in_json_is_by_the_schema(name: str) -> None:
    game = load(name)
    ruleset, settings = next(iter(game.rulesets.items()))
    seats = max(2, game.seats.start)
    schema = game_schema(game, settings, seats)
    talk = list(talk_of(game, ruleset, settings, seats, "json"))
    questions = list(game.questions(settings, seats))
    assert [one.what for one in talk] == ["hello", "ready", *(q for q in questions for _ in "<>"), "bye"]
    for one in talk:
        kind = f"{one.what}.answer" if one.by_bot and one.what != "ready" else one.what
        jsonschema.validate(json.loads(one.text), {**schema, "anyOf": [{"$ref": f"#/$defs/{kind}"}]})
