"""A bot's wrong assumptions are noticed; what samples do on purpose is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from koth.contest.run_reader import RunReader
from koth.diagnostics.habits import find_remarks
from koth.diagnostics.hints import find_hint
from koth.discovery.samples import find_sample, sample_names
from koth.games import home, load
from tests.cli.program import Koth

STILL = {"zombies": {"stand_still"}, "aliens": {"rock"}}
"""Samples that do the same whatever they are told, and are said to."""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["pacman", "zombies"])
def test_samples_mean_what_they_do(game: str, koth: Koth, tmp_path: Path) -> None:
    words = [f"@{name}" for name in sample_names(game) if find_sample(game, name).suffix == ".py"]
    assert len(words) > 5
    done = koth(
        "run", game, *words, "--max-turns", 40, "--matches", 1, "--seed", 5, "--isolation", "none", "--out", "out"
    )
    assert done.code == 0, done.err
    found = find_remarks(RunReader(tmp_path / "out"))
    assert {*found} == STILL.get(game, set())
    texts = [text for texts in found.values() for text in texts]
    assert all("STAY" in text and "whatever it was asked: if that is not meant" in text for text in texts)


LINES = """
import sys
sys.stdin.readline()
READY
for line in sys.stdin:
    if line.startswith(("Q", '{"bye')):
        break
    ANSWER
    sys.stdout.flush()
"""
JSON = ('protocol = "json"', "print('{\"ready\": true}', flush=True)")
TEXT = ("", "")
WRONG = {
    # name: (manifest and how it says that it is ready, its answer, what is noticed)
    "prints": (
        TEXT,
        'print("debug", line.split()[0]); print("E")',
        "'debug 0,0X', which is not an answer; write your own notes to stderr",
    ),
    "speaks_json": (TEXT, 'print(\'{"ask": 1, "move": "N"}\')', 'say protocol = "json" in its koth.toml'),
    "speaks_text": (JSON, 'print("N")', "it says 'N', as in the protocol 'text', but its protocol is 'json'"),
    "stutters": (
        TEXT,
        'n = globals().get("n", 0) + 1; print("what?" if n == 3 else "E")',
        "noticed, too: all its",
    ),
    "leaves": (TEXT, 'n = globals().get("n", 0) + 1; print("X") if n < 4 else sys.exit(3)', "crash"),
    "deaf": (TEXT, 'print("N")', "answers were the same (move: N), whatever it was asked"),
}


@pytest.mark.slow
def test_wrong_assumptions_are_noticed(koth: Koth, tmp_path: Path) -> None:
    for name, ((manifest, ready), answer, _) in WRONG.items():
        folder = tmp_path / "wrong" / name
        folder.mkdir(parents=True)
        (folder / "bot.py").write_text(LINES.replace("READY", ready).replace("ANSWER", answer))
        (folder / "koth.toml").write_text(manifest)
    for name in ("explorer", "greedy", "mastermind"):  # good bots, that are told squares the other way round
        folder = tmp_path / "wrong" / name
        folder.mkdir()
        (folder / "bot.py").write_text((home("pacman").folder / "bots" / f"{name}.py").read_text())
        (folder / "koth.toml").write_text('coordinates = "col,row"')
    rules = ["--max-turns", 80, "--matches", 3, "--seed", 5, "--isolation", "none", "--out", "out"]
    done = koth("run", "pacman", "wrong", *rules)
    assert done.code == 0
    assert done.out.splitlines()[-2].endswith(" why out")
    told = koth("why", "out").out
    assert "stutters: no fault" not in told
    turned = ("squares as row,col", 'coordinates = "row,col" in its koth.toml')
    wanted = {name: (text.replace("'debug 0,0X'", ""),) for name, (_, _, text) in WRONG.items()}
    for name, texts in {**wanted, "explorer": turned, "greedy": turned, "mastermind": turned}.items():
        lines = told.split(f"\n{name}: ")[1:] or [told.partition(f"{name}: ")[2]]
        assert any(all(text in line for text in texts) for line in lines), (name, told)
    remarks = [item for item in json.loads(koth("why", "out", "--json").out) if item["kind"] == "remark"]
    assert {item["bot"] for item in remarks} == {"deaf", "explorer", "greedy", "mastermind", "stutters"}
    checked = koth("check", "wrong/deaf", "--game", "pacman", "--max-turns", 40, "--isolation", "none")
    assert checked.code == 0
    tried = "tried: a whole match of 17 turns alone; 40 of 500 turns against others; --max-turns 500 tries all"
    assert checked.out.splitlines()[-1] == f"no fault, but see what was noticed ({tried})"
    assert "whatever it was asked" in checked.out
    checked = koth("check", "wrong/prints", "--game", "pacman", "--max-turns", 3, "--isolation", "none")
    assert "which is not an answer; write your own notes to stderr: print(..., file=sys.stderr)" in checked.out


@pytest.mark.parametrize(
    ("game", "protocol", "kind", "said", "noticed"),
    [
        ("zombies", "json", "garbage", b"turn 3: 7 players", "'turn 3: 7 players', which is not an answer"),
        ("zombies", "json", "garbage", b"stay\n", "the bare word 'stay'; here an answer is a line of JSON"),
        ("zombies", "json", "illegal", b'{"ask": 1, "moves": {"3": "HIDE"}}', ""),
        ("zombies", "frames", "garbage", b"KOTH", ""),
        (
            "pacman",
            "json",
            "garbage",
            b"{ask: 1, move: N}",
            "put its keys in double quotes; a library",
        ),
        ("pacman", "json", "illegal", b'{"ask": 1, "move": ' + b"[" * 900 + b"]" * 900 + b"}", ""),
        ("pacman", "text", "unasked", b"E", ""),
        ("pacman", "text", "late", b"x", ""),
        ("pacman", "text", "garbage", b"\xff\xfe", "write UTF-8"),
        ("pacman", "text", "garbage", b"('N',)", "which is not an answer; write 'N' alone, with nothing around it"),
        ("pacman", "text", "garbage", b"ghosts: 3", "which is not an answer; write your own notes to stderr"),
        ("pacman", "json", "garbage", b'[{"ask": 1, "move": "N"}]', """write '{"ask": 1, "move": "N"}' alone"""),
        (
            "pacman",
            "json",
            "garbage",
            rb'"{\"ask\": 1, \"move\": \"N\"}"',
            """write '{"ask": 1, "move": "N"}' alone""",
        ),
        (
            "pacman",
            "json",
            "garbage",
            b'got {"ask": 1, "question": "move", "row": 3}',
            "which is not an answer; write your own notes to stderr",
        ),
    ],
)
def test_what_a_message_tells(game: str, protocol: str, kind: str, said: bytes, noticed: str) -> None:
    rules = load(game)
    told = find_hint(rules, next(iter(rules.rulesets.values())), protocol, kind, said)
    assert noticed in told
    assert bool(noticed) == bool(told)


@pytest.mark.parametrize(
    ("language", "cure"),
    [
        ("python", "json.dumps(...) writes it so"),
        ("ruby", "JSON.generate(...) writes it so"),
        ("", "a library writes it so: json.dumps(...) in Python, JSON.stringify(...) in JavaScript"),
    ],
)
def test_the_cure_for_broken_json_is_in_the_bots_language(language: str, cure: str) -> None:
    rules = load("zombies")
    told = find_hint(rules, rules.rulesets["published"], "json", "garbage", b"{ask: 1}", language)
    assert told.endswith(f"; {cure}")
